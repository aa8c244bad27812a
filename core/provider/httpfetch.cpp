// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/httpfetch.h"

#include "io/iothread.h"
#include "provider/serverdialect.h"

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

HttpRequest jsonRequest(const QUrl &url)
{
    HttpRequest request;
    request.url = url;
    request.headers = {{"Accept", "application/json"}, {"Accept-Encoding", "identity"}};
    return request;
}

Result<HttpReply> fetch(IoThread &io, HttpRequest request, const CancellationToken &token,
                        Deadline deadline, qsizetype largestBody)
{
    if (token.isCancelled())
        return CancellationError(TurnPhase::Initialization, token.reason());
    const QString host = hostForPeople(request.url);
    const std::unique_ptr<HttpStream> stream = io.openHttp(std::move(request), token);
    HttpReply reply;
    for (;;) {
        auto step = stream->next(token, deadline);
        if (!step)
            return step.error();
        if (std::holds_alternative<NoHttpEventInTime>(*step))
            return Error(ErrorCode::TimedOut,
                         u"%1 did not answer in time. Check that the server runs."_s.arg(host));
        const HttpEvent &event = std::get<HttpEvent>(*step);
        if (const auto *head = std::get_if<HttpHead>(&event)) {
            reply.head = *head;
        } else if (const auto *bytes = std::get_if<QByteArray>(&event)) {
            if (reply.body.size() + bytes->size() > largestBody)
                return Error(ErrorCode::TooLarge,
                             u"%1 sent more than %2 KB. Check the address."_s.arg(
                                 host, QString::number(largestBody / 1024)));
            reply.body += *bytes;
        } else if (std::holds_alternative<HttpEnd>(event)) {
            return reply;
        }
    }
}

} // namespace fermata

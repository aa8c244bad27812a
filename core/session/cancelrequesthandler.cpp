// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/cancelrequesthandler.h"

#include "base/cancelrequest.h"
#include "session/cancelreply.h"
#include "session/conversationlibrary.h"

#include <QJsonDocument>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString messageOf(CancelReply reply)
{
    switch (reply) {
    case CancelReply::Cancelled:
        return {};
    case CancelReply::NothingToCancel:
        return u"The turn has ended or is stopping already."_s;
    case CancelReply::UnknownTurn:
        return u"There is no such turn."_s;
    case CancelReply::OtherConversation:
        return u"The turn belongs to another conversation."_s;
    case CancelReply::TooMany:
        return u"There were too many requests; try again in a second."_s;
    }
    Q_UNREACHABLE();
}

QJsonObject errorReply(const QJsonValue &id, const QString &code, const QString &message)
{
    return {{u"id"_s, id}, {u"error"_s, QJsonObject{{u"code"_s, code}, {u"message"_s, message}}}};
}

} // namespace

QString toString(CancelReply reply)
{
    switch (reply) {
    case CancelReply::Cancelled:
        return u"cancelled"_s;
    case CancelReply::NothingToCancel:
        return u"nothingToCancel"_s;
    case CancelReply::UnknownTurn:
        return u"unknownTurn"_s;
    case CancelReply::OtherConversation:
        return u"otherConversation"_s;
    case CancelReply::TooMany:
        return u"tooMany"_s;
    }
    Q_UNREACHABLE();
}

std::optional<QJsonObject> handleCancelRequest(ConversationLibrary &library,
                                               const ConversationId &asking,
                                               const QByteArray &request, const QString &source)
{
    const auto parsed = parseCancelRequest(request, source);
    // Read again only for its id: what is refused gets an answer, too. What is too large is not read at all.
    const QJsonValue id = request.size() <= MostCancelRequestBytes
        ? QJsonDocument::fromJson(request).object().value("id"_L1)
        : QJsonValue();
    const bool wantsReply = id.isString() || id.isDouble();
    if (!parsed.ok()) {
        if (!wantsReply)
            return std::nullopt;
        return errorReply(id, u"invalidRequest"_s, parsed.error().message);
    }
    const CancelReply reply = library.cancelTurn(asking, *parsed);
    if (!wantsReply)
        return std::nullopt;
    if (reply == CancelReply::Cancelled)
        return QJsonObject{{u"id"_s, id}, {u"result"_s, toString(reply)}};
    return errorReply(id, toString(reply), messageOf(reply));
}

} // namespace fermata

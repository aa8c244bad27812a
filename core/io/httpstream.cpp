// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/httpstream.h"

#include "io/httpexchange_p.h"
#include "io/httpfeed_p.h"
#include "io/iothread_p.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

template <typename... Visitors>
struct Overloaded : Visitors...
{
    using Visitors::operator()...;
};

template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>; // clang 14 does not deduce it

} // namespace

struct HttpStream::Shared
{
    std::shared_ptr<IoThread::Private> thread;
    std::shared_ptr<HttpFeed> feed = std::make_shared<HttpFeed>();
    CancellationToken token; // the one it was opened with
    std::optional<Registration> closing;

    // Only posts. What it captures outlives this object.
    auto closer() const
    {
        return [postTo = thread, feed = feed] { postTo->post([feed] { delete feed->exchange; }); };
    }

    void readOn() const
    {
        thread->post([feed = feed] {
            if (feed->exchange)
                feed->exchange->read();
        });
    }
};

QByteArray HttpHead::header(QByteArrayView name) const
{
    for (const auto &[key, value] : headers) {
        if (name.compare(key, Qt::CaseInsensitive) == 0)
            return value;
    }
    return {};
}

HttpStream::HttpStream(std::shared_ptr<Shared> shared) : m_shared(std::move(shared)) { }

HttpStream::~HttpStream()
{
    m_shared->closing.reset();
    m_shared->closer()();
}

Result<std::variant<HttpEvent, NoHttpEventInTime>> HttpStream::next(const CancellationToken &token,
                                                                    Deadline deadline)
{
    using Next = std::variant<HttpEvent, NoHttpEventInTime>;
    auto [end, item] = m_shared->feed->receive(token, deadline);
    if (end == ChannelWait::Cancelled)
        return CancellationError(TurnPhase::Streaming, token.reason());
    if (m_shared->token.isCancelled())
        return CancellationError(TurnPhase::Streaming, m_shared->token.reason());
    if (end == ChannelWait::TimedOut)
        return Next(NoHttpEventInTime());
    if (end == ChannelWait::Closed)
        return Error(ErrorCode::Io, u"The connection is closed."_s);

    return std::visit(Overloaded{
                          [](Error &error) -> Result<Next> { return std::move(error); },
                          [this](HttpEvent &event) -> Result<Next> {
                              const auto *bytes = std::get_if<QByteArray>(&event);
                              if (bytes && m_shared->feed->taken(bytes->size()))
                                  m_shared->readOn();
                              return Next(std::move(event));
                          },
                      },
                      *item);
}

void HttpStream::pause()
{
    m_shared->feed->setPaused(true);
}

void HttpStream::resume()
{
    m_shared->feed->setPaused(false);
    m_shared->readOn();
}

bool HttpStream::isPaused() const
{
    return m_shared->feed->isPaused();
}

std::optional<Instant> HttpStream::closedAt() const
{
    return m_shared->feed->closedAt();
}

std::unique_ptr<HttpStream> IoThread::openHttp(HttpRequest request, const CancellationToken &token)
{
    auto shared = std::make_shared<HttpStream::Shared>();
    shared->thread = m_private;
    shared->token = token;
    auto open = [thread = m_private.get(), feed = shared->feed, request = std::move(request),
                 token] {
        if (token.isCancelled()) {
            feed->close();
            return;
        }
        auto *exchange = new HttpExchange(request, feed, thread->connections(), thread->context());
        exchange->start();
    };
    if (!m_private->post(std::move(open)))
        shared->feed->close();
    // After the post, so that a close never comes before its open; a cancelled token closes at once.
    shared->closing = token.onCancelled(shared->closer());
    return std::unique_ptr<HttpStream>(new HttpStream(std::move(shared)));
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/modelserver.h"

#include "support/chathistorycheck.h"
#include "support/loopback.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr auto LongestWait = std::chrono::seconds(20);

QByteArray headerOf(const QByteArray &head, QByteArrayView name)
{
    for (const QByteArray &line : head.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0 && name.compare(QByteArrayView(line).first(colon), Qt::CaseInsensitive) == 0)
            return line.mid(colon + 1).trimmed();
    }
    return {};
}

Reply modelList(const QStringList &models)
{
    QJsonArray list;
    for (const QString &model : models)
        list.append(QJsonObject{{u"id"_s, model}, {u"object"_s, u"model"_s}});
    return jsonReply({{u"object"_s, u"list"_s}, {u"data"_s, list}});
}

Reply errorReply(int status, const QString &message)
{
    const QJsonObject error{{u"message"_s, message}, {u"type"_s, u"invalid_request_error"_s}};
    return jsonReply({{u"error"_s, error}}, status);
}

} // namespace

// The client has gone, or the server ends: the rest of a reply has nobody to go to.
struct ConnectionOver
{
};

class ModelServer::Private final
{
public:
    Private(ModelServerScript script, Observer observer);
    ~Private();

    template <typename Condition>
    bool waitFor(Condition condition) const
    {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, LongestWait, condition);
    }

    void release();

    const ModelServerScript m_script;
    const Observer m_observer;
    Listener m_listener;

    mutable std::mutex m_mutex;
    mutable std::condition_variable m_changed;
    std::vector<ServedRequest> m_requests;
    int m_connections = 0;
    int m_closedConnections = 0;

private:
    friend class ModelConnection;

    void acceptAll();

    std::atomic<bool> m_stopping = false;
    FileDescriptor m_stop{::eventfd(0, EFD_CLOEXEC)};
    FileDescriptor m_releases{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)};
    size_t m_replies = 0; // taken from the script
    std::vector<std::thread> m_sessions;
    std::thread m_acceptor; // last: it uses the others
};

// One connection, on a thread of its own.
class ModelConnection final
{
public:
    ModelConnection(ModelServer::Private &server, FileDescriptor socket, int number)
        : m_server(server), m_socket(std::move(socket)), m_number(number),
          m_accepted(steadyClock().now())
    {
    }

    void run()
    {
        const QByteArray &greeting = m_server.m_script.greeting;
        (void)::send(m_socket.get(), greeting.constData(), size_t(greeting.size()), MSG_NOSIGNAL);
        try {
            while (readRequest())
                play(chooseReply());
        } catch (const ConnectionOver &) {
            // The rest of the reply is not sent.
        }
        m_socket.close();
    }

private:
    // False at the end of the connection. Throws ConnectionOver when it ends within a request.
    bool readRequest()
    {
        qsizetype headEnd = m_buffer.indexOf("\r\n\r\n");
        while (headEnd < 0) {
            receive();
            headEnd = m_buffer.indexOf("\r\n\r\n");
        }
        ServedRequest request;
        request.connection = m_number;
        request.accepted = m_accepted;
        request.head = m_buffer.left(headEnd + 2);
        m_buffer.remove(0, headEnd + 4);
        const QList<QByteArray> words = request.head.left(request.head.indexOf('\r')).split(' ');
        request.method = words.value(0);
        request.path = words.value(1);
        if (m_server.m_script.readsBody) {
            const qint64 length = headerOf(request.head, "content-length").toLongLong();
            while (m_buffer.size() < length)
                receive();
            request.body = m_buffer.left(length);
            m_buffer.remove(0, length);
        }
        request.received = steadyClock().now();

        {
            const std::lock_guard lock(m_server.m_mutex);
            m_index = m_server.m_requests.size();
            m_server.m_requests.push_back(request);
        }
        m_request = std::move(request);
        m_server.m_changed.notify_all();
        if (m_server.m_observer)
            m_server.m_observer(*m_index, *m_request);
        return true;
    }

    void receive()
    {
        waitUntil({}, Waits::ForInput);
        char bytes[65536];
        const ssize_t size = ::recv(m_socket.get(), bytes, sizeof bytes, 0);
        if (size <= 0)
            leave();
        m_buffer.append(bytes, size);
    }

    Reply chooseReply()
    {
        const ModelServerScript &script = m_server.m_script;
        const bool reads = m_request->method == "GET" || m_request->method == "HEAD";
        if (reads && !script.models.isEmpty())
            return m_request->path.endsWith("/models") ? modelList(script.models)
                                                       : errorReply(404, u"not found"_s);
        if (script.strict) {
            const QString violation = chatRequestViolation(m_request->body);
            if (!violation.isEmpty())
                return errorReply(400, violation);
        }
        const std::lock_guard lock(m_server.m_mutex);
        if (script.replies.empty())
            return errorReply(500, u"the script has no reply"_s);
        return script.replies[std::min(m_server.m_replies++, script.replies.size() - 1)];
    }

    void play(const Reply &reply)
    {
        for (const ReplyStep &step : reply.steps)
            std::visit([this](const auto &each) { perform(each); }, step);
    }

    void perform(const SendBytes &step) { sendAll(step.bytes); }
    void perform(const SendRepeatedly &step)
    {
        for (qint64 i = 0; i < step.times; ++i)
            sendAll(step.bytes);
    }
    void perform(const SendSlowly &step)
    {
        for (const char &byte : step.bytes) {
            sendAll(QByteArray(1, byte));
            if (step.gap.count() > 0)
                perform(WaitFor{step.gap});
        }
    }
    void perform(const WaitFor &step)
    {
        waitUntil(steadyClock().now() + step.time, Waits::ForClient);
    }
    void perform(const WaitForRelease &) { waitUntil({}, Waits::ForRelease); }
    void perform(const Stall &) { waitUntil({}, Waits::ForClient); }
    void perform(const CloseConnection &)
    {
        // Unread bytes would turn the close into a reset.
        char bytes[65536];
        while (::recv(m_socket.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) { }
        m_socket.close();
        throw ConnectionOver();
    }
    void perform(const ResetConnection &)
    {
        const linger hard{.l_onoff = 1, .l_linger = 0};
        ::setsockopt(m_socket.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        m_socket.close();
        throw ConnectionOver();
    }

    void sendAll(const QByteArray &bytes)
    {
        qsizetype at = 0;
        while (at < bytes.size()) {
            if (m_server.m_stopping)
                throw ConnectionOver();
            const ssize_t size = ::send(m_socket.get(), bytes.constData() + at,
                                        size_t(bytes.size() - at), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (size < 0 && errno == EAGAIN) {
                waitUntil({}, Waits::ForOutput);
                continue;
            }
            if (size < 0)
                leave();
            at += size;
            {
                const std::lock_guard lock(m_server.m_mutex);
                m_server.m_requests[*m_index].sent += size;
            }
            m_server.m_changed.notify_all();
        }
    }

    enum class Waits { ForClient, ForInput, ForOutput, ForRelease };

    // Until what it waits for, or the time. Throws when the client goes or the server ends.
    void waitUntil(Deadline deadline, Waits waits)
    {
        short events = POLLRDHUP;
        if (waits == Waits::ForInput)
            events = POLLIN;
        else if (waits == Waits::ForOutput)
            events = POLLRDHUP | POLLOUT;
        for (;;) {
            pollfd fds[] = {
                {m_socket.get(), events, 0},
                {m_server.m_stop.get(), POLLIN, 0},
                {waits == Waits::ForRelease ? m_server.m_releases.get() : -1, POLLIN, 0}};
            if (poll(fds, deadline) == 0)
                return;
            if (fds[1].revents)
                throw ConnectionOver();
            if (fds[0].revents & (POLLRDHUP | POLLHUP | POLLERR))
                leave();
            if (fds[0].revents)
                return;
            eventfd_t one = 0;
            if (fds[2].revents && ::eventfd_read(m_server.m_releases.get(), &one) == 0)
                return;
        }
    }

    static int poll(pollfd (&fds)[3], Deadline deadline)
    {
        timespec rest{};
        if (deadline) {
            const auto left = std::max(Duration(0), Duration(*deadline - steadyClock().now()));
            rest.tv_sec = left.count() / 1'000'000'000;
            rest.tv_nsec = left.count() % 1'000'000'000;
        }
        int ready = -1;
        do {
            ready = ::ppoll(fds, std::size(fds), deadline ? &rest : nullptr, nullptr);
        } while (ready < 0 && errno == EINTR);
        return ready;
    }

    [[noreturn]] void leave()
    {
        const Instant now = steadyClock().now();
        {
            const std::lock_guard lock(m_server.m_mutex);
            ++m_server.m_closedConnections;
            if (m_index) {
                m_server.m_requests[*m_index].disconnected = now;
                m_request = m_server.m_requests[*m_index];
            }
        }
        m_server.m_changed.notify_all();
        if (m_index && m_server.m_observer)
            m_server.m_observer(*m_index, *m_request);
        throw ConnectionOver();
    }

    ModelServer::Private &m_server;
    FileDescriptor m_socket;
    const int m_number;
    const Instant m_accepted;
    QByteArray m_buffer;
    std::optional<size_t> m_index; // of the latest request
    std::optional<ServedRequest> m_request;
};

ModelServer::Private::Private(ModelServerScript script, Observer observer)
    : m_script(std::move(script)), m_observer(std::move(observer)),
      m_listener(Listener::Backlog::Deep), m_acceptor([this] { acceptAll(); })
{
}

ModelServer::Private::~Private()
{
    m_stopping = true;
    ::eventfd_write(m_stop.get(), 1);
    m_acceptor.join();
    for (std::thread &session : m_sessions)
        session.join();
}

void ModelServer::Private::release()
{
    ::eventfd_write(m_releases.get(), 1);
}

void ModelServer::Private::acceptAll()
{
    for (;;) {
        pollfd fds[] = {{m_listener.socket(), POLLIN, 0}, {m_stop.get(), POLLIN, 0}};
        if (::poll(fds, std::size(fds), -1) < 0)
            continue;
        if (fds[1].revents)
            return;
        FileDescriptor socket(::accept4(m_listener.socket(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket.isOpen())
            continue;
        // As servers that stream do: each write goes out at once, and not with the next one or after 40 ms.
        const int noDelay = 1;
        ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof noDelay);
        int number = 0;
        {
            const std::lock_guard lock(m_mutex);
            number = m_connections++;
        }
        auto session = std::make_shared<ModelConnection>(*this, std::move(socket), number);
        m_sessions.emplace_back([session] { session->run(); });
        m_changed.notify_all();
    }
}

QByteArray ServedRequest::header(QByteArrayView name) const
{
    return headerOf(head, name);
}

ModelServer::ModelServer(ModelServerScript script, Observer observer)
    : m_private(std::make_unique<Private>(std::move(script), std::move(observer)))
{
}

ModelServer::ModelServer(Reply reply)
    : ModelServer(ModelServerScript{.replies = {std::move(reply)}, .models = {}, .greeting = {}})
{
}

ModelServer::~ModelServer() = default;

quint16 ModelServer::port() const
{
    return m_private->m_listener.port();
}

QUrl ModelServer::url(const QString &path) const
{
    return QUrl(u"http://127.0.0.1:%1%2"_s.arg(port()).arg(path));
}

void ModelServer::release()
{
    m_private->release();
}

std::vector<ServedRequest> ModelServer::requests() const
{
    const std::lock_guard lock(m_private->m_mutex);
    return m_private->m_requests;
}

int ModelServer::connectionCount() const
{
    const std::lock_guard lock(m_private->m_mutex);
    return m_private->m_connections;
}

bool ModelServer::waitForConnections(int count) const
{
    return m_private->waitFor([&] { return m_private->m_connections >= count; });
}

bool ModelServer::waitForRequests(size_t count) const
{
    return m_private->waitFor([&] { return m_private->m_requests.size() >= count; });
}

bool ModelServer::waitForSent(size_t index, qint64 bytes) const
{
    return m_private->waitFor([&] {
        return m_private->m_requests.size() > index && m_private->m_requests[index].sent >= bytes;
    });
}

bool ModelServer::waitForDisconnect(size_t index) const
{
    return m_private->waitFor([&] {
        return m_private->m_requests.size() > index && m_private->m_requests[index].disconnected;
    });
}

bool ModelServer::waitForClosedConnections(int count) const
{
    return m_private->waitFor([&] { return m_private->m_closedConnections >= count; });
}

} // namespace fermata

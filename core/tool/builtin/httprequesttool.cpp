// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/httprequesttool.h"

#include "base/visibletext.h"
#include "io/httpstream.h"
#include "io/iothread.h"
#include "tool/builtin/toolschema.h"
#include "tool/outputbuffer.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QUrl>
#include <QUrlQuery>

#include <algorithm>
#include <utility>

namespace fermata {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 DefaultSeconds = 30;
constexpr qint64 MostSeconds = 600;
constexpr qint64 MostBytes = 5 * 1024 * 1024;
constexpr int MostRedirects = 5;
constexpr auto LookUpLimit = 5s;
constexpr qsizetype LongestUrl = 8 * 1024;
constexpr qsizetype LongQuery = 200; // may carry more than an address: the user is told
constexpr qsizetype LongAddress = 300; // of all that a GET sends beside its query
constexpr qsizetype MostHeaders = 50;
constexpr qsizetype MostShownHeaderBytes = 8 * 1024;

ToolSpec makeSpec()
{
    QJsonObject method = stringProperty(u"Default: GET."_s);
    method.insert(u"enum"_s, QJsonArray{u"GET"_s, u"HEAD"_s, u"POST"_s, u"PUT"_s, u"DELETE"_s});
    QJsonObject headers{{u"type"_s, u"object"_s},
                        {u"description"_s, u"Request headers, name to value."_s},
                        {u"additionalProperties"_s, QJsonObject{{u"type"_s, u"string"_s}}}};
    ToolSpec spec;
    spec.name = u"http_request"_s;
    spec.title = u"HTTP request"_s;
    spec.description =
        u"Sends one HTTP request and returns status, headers and body (text, at most "
        "5 MB, the first and the last part of what is long). No cookies are kept."_s;
    spec.parameters = objectSchema(
        {{u"url"_s, stringProperty(u"http or https."_s)},
         {u"method"_s, method},
         {u"headers"_s, headers},
         {u"body"_s, stringProperty(u"Of POST, PUT and DELETE."_s)},
         {u"timeout_seconds"_s, integerProperty(u"Default: 30."_s, 1, MostSeconds)},
         {u"private_network"_s,
          booleanProperty(u"True to reach this computer or the local network; the user is asked "
                          "each time then."_s)}},
        {u"url"_s});
    spec.allowReach = AllowReach::CallsWithPattern;
    return spec;
}

struct Call
{
    HttpRequest request;
    bool privateNetwork = false;
    std::chrono::seconds limit{DefaultSeconds};
};

Error invalid(const QString &what)
{
    return {ErrorCode::InvalidArgument, what};
}

bool hasControl(QStringView text)
{
    return std::any_of(text.begin(), text.end(),
                       [](QChar c) { return c.unicode() < 0x20 || c.unicode() == 0x7F; });
}

Result<QUrl> parseUrl(const QString &text)
{
    if (text.size() > LongestUrl)
        return invalid(u"The address is longer than %1 characters."_s.arg(LongestUrl));
    if (hasControl(text))
        return invalid(u"The address holds control characters."_s);
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid())
        return invalid(u"The address is not valid: %1."_s.arg(url.errorString()));
    if (url.scheme() != "http"_L1 && url.scheme() != "https"_L1)
        return invalid(u"Only http and https addresses can be requested."_s);
    if (url.host().isEmpty())
        return invalid(u"The address has no host."_s);
    if (!url.userInfo().isEmpty())
        return invalid(u"An address with a user name or a password is not requested."_s);
    return url;
}

Result<void> addHeaders(const QJsonObject &headers, HttpRequest &request)
{
    static const QRegularExpression token(
        QRegularExpression::anchoredPattern(u"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}"_s));
    static const QStringList ours{u"host"_s,       u"content-length"_s,
                                  u"connection"_s, u"transfer-encoding"_s,
                                  u"upgrade"_s,    u"te"_s,
                                  u"trailer"_s,    u"keep-alive"_s,
                                  u"expect"_s,     u"accept-encoding"_s};
    if (headers.size() > MostHeaders)
        return invalid(u"There are more than %1 headers."_s.arg(MostHeaders));
    for (auto it = headers.begin(); it != headers.end(); ++it) {
        const QString name = it.key();
        const QString value = it.value().toString();
        if (!token.match(name).hasMatch())
            return invalid(u"“%1” is not the name of a header."_s.arg(
                withControlsNamed(name, TextUse::Asked)));
        if (ours.contains(name.toLower()) || name.startsWith("proxy-"_L1, Qt::CaseInsensitive))
            return invalid(u"The header “%1” cannot be set."_s.arg(name));
        if (hasControl(value))
            return invalid(u"The header “%1” holds control characters."_s.arg(name));
        request.headers.emplace_back(name.toLatin1(), value.toUtf8());
    }
    return {};
}

HttpRequest::Method methodOf(const QString &name)
{
    using Method = HttpRequest::Method;
    if (name == "HEAD"_L1)
        return Method::Head;
    if (name == "POST"_L1)
        return Method::Post;
    if (name == "PUT"_L1)
        return Method::Put;
    return name == "DELETE"_L1 ? Method::Delete : Method::Get;
}

QString nameOf(const QJsonObject &arguments)
{
    return arguments.value("method"_L1).toString(u"GET"_s);
}

bool isSafe(HttpRequest::Method method)
{
    return method == HttpRequest::Method::Get || method == HttpRequest::Method::Head;
}

Result<Call> parse(const QJsonObject &arguments)
{
    auto url = parseUrl(arguments.value("url"_L1).toString());
    if (!url)
        return url.error();
    Call call;
    call.request.url = url.value();
    call.request.method = methodOf(nameOf(arguments));
    call.request.body = arguments.value("body"_L1).toString().toUtf8();
    if (isSafe(call.request.method) && !call.request.body.isEmpty())
        return invalid(u"A %1 request has no body."_s.arg(nameOf(arguments)));
    if (auto headers = addHeaders(arguments.value("headers"_L1).toObject(), call.request); !headers)
        return headers.error();
    call.privateNetwork = arguments.value("private_network"_L1).toBool();
    call.limit =
        std::chrono::seconds(arguments.value("timeout_seconds"_L1).toInteger(DefaultSeconds));
    return call;
}

Error privateRefusal(const QString &host)
{
    return {ErrorCode::Denied,
            u"“%1” is an address of this computer or of the local network. Set private_network to "
            "true to ask the user for it."_s.arg(host)};
}

// As it goes out: names in their ASCII form, so that no letter passes for another one.
QString shown(const QUrl &url)
{
    return QString::fromLatin1(url.toEncoded());
}

bool isSameOrigin(const QUrl &a, const QUrl &b)
{
    const auto port = [](const QUrl &url) {
        return url.port(url.scheme() == "https"_L1 ? 443 : 80);
    };
    return a.scheme() == b.scheme() && a.host() == b.host() && port(a) == port(b);
}

QString headText(const HttpHead &head)
{
    QByteArray text = "HTTP " + QByteArray::number(head.status) + ' ' + head.reason + '\n';
    for (const auto &[name, value] : head.headers) {
        if (text.size() + name.size() + value.size() > MostShownHeaderBytes)
            break;
        if (name.compare("set-cookie", Qt::CaseInsensitive) != 0)
            text += name + ": " + value + '\n';
    }
    return withoutControlSequences(QString::fromUtf8(text));
}

// The request, its redirects and its reply, as the tool's thread lives through them.
class Exchange final
{
public:
    Exchange(IoThread &io, const HostLookUp &lookUp, Call call, ToolContext &context)
        : m_io(io), m_lookUp(lookUp), m_call(std::move(call)), m_context(context),
          m_token(context.token()), m_deadline(steadyClock().now() + m_call.limit)
    {
    }

    Result<ToolResult> run()
    {
        const QUrl first = m_call.request.url;
        for (int redirects = 0;; ++redirects) {
            auto target = nextTarget(first);
            if (!target)
                return ended(target.error());
            if (target->isEmpty())
                return finished();
            if (redirects == MostRedirects)
                return Error(ErrorCode::Redirected,
                             u"There were more than %1 redirects."_s.arg(MostRedirects));
            if (auto turned = redirect(target.value()); !turned)
                return turned.error();
        }
    }

private:
    // Sends the request; the address it redirects to, or an empty one if there is a reply.
    Result<QUrl> nextTarget(const QUrl &first)
    {
        auto address = checkedAddress(first);
        if (!address)
            return address.error();
        m_call.request.address = address->toString();
        const auto stream = m_io.openHttp(m_call.request, m_token);
        m_body = OutputBuffer();
        m_note.clear();
        for (;;) {
            auto event = stream->next(m_token, m_deadline);
            if (!event)
                return event.error();
            const auto *some = std::get_if<HttpEvent>(&*event);
            if (!some)
                return timedOut();
            if (const auto *head = std::get_if<HttpHead>(some)) {
                m_head = *head;
                const QByteArray location = head->header("location");
                if (head->status >= 301 && head->status <= 308 && head->status != 304
                    && !location.isEmpty())
                    return m_call.request.url.resolved(QUrl::fromEncoded(location));
                m_context.reportOutput(headText(*head).toUtf8() + '\n');
            } else if (const auto *bytes = std::get_if<QByteArray>(some)) {
                m_body.append(*bytes);
                m_context.reportOutput(*bytes);
                if (m_body.totalBytes() >= MostBytes) {
                    m_note = u"\n[stopped after %1 MB]"_s.arg(MostBytes / 1024 / 1024);
                    return QUrl();
                }
            } else if (std::holds_alternative<HttpEnd>(*some)) {
                return QUrl();
            }
        }
    }

    // The user's consent is for the host and port that were shown, and for no other.
    Result<QHostAddress> checkedAddress(const QUrl &first)
    {
        const QUrl &url = m_call.request.url;
        const Deadline lookUp = earlier(m_deadline, steadyClock().now() + LookUpLimit);
        auto addresses = m_lookUp(url.host(QUrl::FullyEncoded), m_token, lookUp);
        if (!addresses) {
            if (addresses.error().code == ErrorCode::TimedOut
                && steadyClock().hasPassed(m_deadline))
                return timedOut();
            return addresses.error();
        }
        const bool allPublic = std::all_of(addresses->begin(), addresses->end(), [](const auto &a) {
            return reachOf(a) == AddressReach::Public;
        });
        const bool consented = m_call.privateNetwork && isSameOrigin(url, first);
        if (addresses->empty() || (!allPublic && !consented))
            return privateRefusal(url.host());
        return addresses->front();
    }

    Result<void> redirect(const QUrl &target)
    {
        auto url = parseUrl(shown(target));
        if (!url)
            return Error(ErrorCode::Redirected,
                         u"The redirect is refused. "_s + url.error().message);
        HttpRequest &request = m_call.request;
        const bool downgrade = request.url.scheme() == "https"_L1 && url->scheme() == "http"_L1;
        if (downgrade)
            return Error(
                ErrorCode::Redirected,
                u"The redirect from https to http was not followed: %1"_s.arg(shown(*url)));
        const bool keepsMethod = m_head.status == 307 || m_head.status == 308;
        if (!isSameOrigin(request.url, *url)) {
            if (keepsMethod && !isSafe(request.method))
                return Error(ErrorCode::Redirected,
                             u"The redirect would send the request to another host, and was not "
                             "followed: %1"_s.arg(shown(*url)));
            request.headers.clear(); // they were meant for the host that was shown
        }
        if (!keepsMethod && request.method != HttpRequest::Method::Head) {
            request.method = HttpRequest::Method::Get;
            request.body.clear();
        }
        request.url = url.value();
        m_redirects += u"[redirected to %1]\n"_s.arg(shown(*url));
        return {};
    }

    Error timedOut() const
    {
        return {ErrorCode::TimedOut,
                m_call.limit == 1s ? u"timed out after 1 second"_s
                                   : u"timed out after %1 seconds"_s.arg(m_call.limit.count())};
    }

    Result<ToolResult> ended(const Error &error)
    {
        if (m_token.isCancelled() || isCancellation(error)) {
            m_context.reportOutput("\n[cancelled]\n");
            const auto check = m_token.check(TurnPhase::ToolCalls);
            return check ? Result<ToolResult>(error) : Result<ToolResult>(check.error());
        }
        if (m_body.totalBytes() == 0 && error.code != ErrorCode::TimedOut)
            return error;
        m_note = u"\n[%1]"_s.arg(error.message);
        auto result = finished();
        result->isError = true;
        return result;
    }

    Result<ToolResult> finished() const
    {
        const QString head = m_head.status == 0 ? QString() : headText(m_head) + u'\n';
        const QString text = (m_redirects + head + m_body.text() + m_note).trimmed();
        return ToolResult{text, m_head.status >= 400, std::nullopt, {}};
    }

    IoThread &m_io;
    const HostLookUp &m_lookUp;
    Call m_call;
    ToolContext &m_context;
    const CancellationToken m_token;
    const Deadline m_deadline;
    HttpHead m_head;
    OutputBuffer m_body;
    QString m_redirects;
    QString m_note;
};

} // namespace

HttpRequestTool::HttpRequestTool(IoThread &io, HostLookUp lookUp)
    : m_io(io), m_lookUp(std::move(lookUp)), m_spec(makeSpec())
{
}

Result<ApprovalRequest> HttpRequestTool::describe(const QJsonObject &arguments,
                                                  const QString &) const
{
    auto call = parse(arguments);
    if (!call)
        return call.error();
    const QUrl &url = call->request.url;
    // Names are not looked up before the user has agreed: asking for a name tells something, too.
    const bool isPrivate = isPrivateHost(url.host());
    if (isPrivate && !call->privateNetwork)
        return privateRefusal(url.host());

    ApprovalRequest request;
    request.tool = m_spec.name;
    request.title = m_spec.title;
    request.question = u"Allow this request?"_s;
    QString text = nameOf(arguments) + u' ' + shown(url);
    for (const auto &[name, value] : call->request.headers)
        text += u'\n' + QString::fromLatin1(name) + u": "_s + QString::fromUtf8(value);
    if (!call->request.body.isEmpty())
        text += u"\n\n"_s + QString::fromUtf8(call->request.body);
    request.exactText = withControlsNamed(text, TextUse::Asked);
    request.facts = {{u"Host"_s, url.host(QUrl::FullyEncoded)}};
    request.place =
        shown(url.adjusted(QUrl::RemovePath | QUrl::RemoveQuery | QUrl::RemoveFragment));
    if (call->privateNetwork)
        request.facts.emplace_back(u"Network"_s, u"this computer and the local network"_s);
    const qsizetype queryLength = url.query(QUrl::FullyEncoded).size();
    if (queryLength > LongQuery)
        request.facts.emplace_back(u"Long query"_s, u"%1 characters"_s.arg(queryLength));
    // What a query can carry to somebody else, a path, a header and a host name can as well.
    const qsizetype carried = text.size() - queryLength;
    if (carried > LongAddress)
        request.facts.emplace_back(u"Long address"_s,
                                   u"%1 characters without the query"_s.arg(carried));
    request.facts.emplace_back(u"Time limit"_s, u"%1 seconds"_s.arg(call->limit.count()));
    if (isSafe(call->request.method) && !call->privateNetwork && queryLength <= LongQuery
        && carried <= LongAddress && request.exactText == text)
        request.alwaysPattern = text;
    request.fingerprint = approvalFingerprint(m_spec.name, arguments);
    return request;
}

QString HttpRequestTool::summary(const QJsonObject &arguments) const
{
    return withControlsNamed(nameOf(arguments) + u' ' + arguments.value("url"_L1).toString(),
                             TextUse::Asked);
}

Result<ToolResult> HttpRequestTool::run(const QJsonObject &arguments, ToolContext &context)
{
    auto call = parse(arguments);
    if (!call)
        return call.error();
    if (auto live = context.token().check(TurnPhase::ToolCalls); !live)
        return live.error();
    return Exchange(m_io, m_lookUp, std::move(call).value(), context).run();
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/profile.h"

#include <QRegularExpression>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestAddress = 2048;

// As it goes over the wire: lower case, look-alike letters as xn--.
QString wireHost(const QUrl &url)
{
    QString host = url.host(QUrl::FullyEncoded).toLower();
    if (host.endsWith(u'.'))
        host.chop(1);
    return host;
}

bool isPrivateAddress(const QString &host)
{
    static const QRegularExpression range(
        uR"(^(?:10|192\.168|172\.(?:1[6-9]|2[0-9]|3[01]))(?:\.[0-9]{1,3}){2,3}$)"_s);
    return range.match(host).hasMatch();
}

bool holdsControlOrSpace(const QString &text)
{
    return std::any_of(text.begin(), text.end(), [](QChar character) {
        const auto category = character.category();
        return character.isSpace() || category == QChar::Other_Control
            || category == QChar::Other_Format;
    });
}

// The text with a scheme. What has none is http on this machine and in a private network, where hardly any server
// has a certificate, and https everywhere else.
QString withScheme(const QString &text)
{
    static const QRegularExpression scheme(u"^[A-Za-z][A-Za-z0-9+.-]*://"_s);
    static const QRegularExpression bareIpv6(u"^[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*$"_s);
    // "file:/x" and "javascript:x" have a scheme, "localhost:11434" has a port.
    static const QRegularExpression schemeWithoutHost(
        u"^[A-Za-z][A-Za-z0-9+.-]*:(?![0-9]+(?:/|$))"_s);
    if (scheme.match(text).hasMatch())
        return text;
    const bool isIpv6 = bareIpv6.match(text).hasMatch();
    if (!isIpv6 && schemeWithoutHost.match(text).hasMatch())
        return text;
    const QString address = isIpv6 ? u'[' + text + u']' : text;
    const QUrl plain(u"http://"_s + address, QUrl::StrictMode);
    if (isLocal(plain) || isPrivateAddress(wireHost(plain)))
        return u"http://"_s + address;
    return u"https://"_s + address;
}

} // namespace

bool isLocal(const QUrl &endpoint)
{
    const QString host = wireHost(endpoint);
    static const QRegularExpression loopback(uR"(^(?:::ffff:)?127(?:\.[0-9]{1,3}){3}$)"_s);
    // ::ffff:7f00:0/104 is 127/8 in another spelling.
    static const QRegularExpression mapped(u"^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$"_s);
    return host == u"localhost" || host.endsWith(u".localhost") || host == u"::1"
        || loopback.match(host).hasMatch() || mapped.match(host).hasMatch();
}

QString originOf(const QUrl &url)
{
    const QString scheme = url.scheme().toLower();
    QString host = wireHost(url);
    if (scheme.isEmpty() || host.isEmpty())
        return {};
    if (host.contains(u':'))
        host = u'[' + host + u']';
    const int port = url.port(scheme == u"https" ? 443 : 80);
    return scheme + u"://"_s + host + u':' + QString::number(port);
}

bool mayReceiveKey(const Profile &profile)
{
    const bool hasKey = !profile.keyName.isEmpty() || !profile.keyVariable.isEmpty();
    return hasKey && !profile.keyOrigin.isEmpty()
        && profile.keyOrigin == originOf(profile.endpoint);
}

QUrl endpointFromText(const QString &text, QString *problem)
{
    const auto refused = [problem](const QString &sentence) {
        if (problem)
            *problem = sentence;
        return QUrl();
    };
    const QString typed = text.trimmed();
    if (typed.isEmpty())
        return refused(u"Enter the address of the server, for example http://localhost:11434."_s);
    if (typed.size() > LongestAddress) {
        return refused(u"The address is longer than %1 characters. Enter a shorter one."_s.arg(
            LongestAddress));
    }
    if (holdsControlOrSpace(typed))
        return refused(u"The address holds a space or a control character. Remove it."_s);

    QUrl url(withScheme(typed), QUrl::StrictMode);
    if (const QString sentence = endpointProblem(url); !sentence.isEmpty())
        return refused(sentence);

    if (url.host().endsWith(u'.'))
        url.setHost(url.host().chopped(1));
    QString path = url.path(QUrl::FullyEncoded);
    const auto dropSlashes = [&path] {
        while (path.endsWith(u'/'))
            path.chop(1);
    };
    dropSlashes();
    const bool hasPath = !path.isEmpty();
    if (path.endsWith(u"/chat/completions")) {
        path.chop(int(u"/chat/completions"_s.size()));
        dropSlashes();
    }
    url.setPath(hasPath ? path : u"/v1"_s, QUrl::StrictMode);
    if (problem)
        problem->clear();
    return url;
}

QString endpointProblem(const QUrl &endpoint)
{
    const QString scheme = endpoint.scheme().toLower();
    if (!scheme.isEmpty() && scheme != u"http" && scheme != u"https") {
        return u"An address that begins with “%1:” cannot be used. Enter one that begins with "
               u"http:// or "
               u"https://."_s.arg(scheme.left(20));
    }
    if (!endpoint.isValid())
        return u"This is not a valid address. It looks like http://localhost:11434."_s;
    if (scheme.isEmpty())
        return u"The address does not begin with http:// or https://."_s;
    if (endpoint.host().isEmpty() || wireHost(endpoint).isEmpty())
        return u"The address names no server. It looks like http://localhost:11434."_s;
    if (endpoint.authority().contains(u'@'))
        return u"Leave the name and the password out of the address. The key has a field of its own."_s;
    if (endpoint.port(1) == 0)
        return u"Port 0 cannot be used. Enter the port that the server listens on."_s;
    if (endpoint.hasQuery() || endpoint.hasFragment())
        return u"Leave out everything that follows a “?” or a “#” in the address."_s;
    return {};
}

QString endpointWarning(const QUrl &endpoint)
{
    const QString host = wireHost(endpoint);
    if (host.startsWith(u"xn--") || host.contains(u".xn--")) {
        return u"The server's name holds letters that can be taken for others. Its real name is "
               u"%1."_s.arg(host);
    }
    if (endpoint.scheme() == u"http" && !isLocal(endpoint)) {
        return u"The connection to %1 is not encrypted: whoever is on the way can read the key and "
               u"the "
               u"conversation."_s.arg(host);
    }
    return {};
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/addressreach.h"

#include "base/channel.h"

#include <algorithm>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include <netdb.h>
#include <sys/socket.h>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t MostAddresses = 32;
constexpr qsizetype LongestHost = 253;

struct Range
{
    quint32 network;
    int bits;
};

// Everything IANA lists as not globally reachable, and multicast.
constexpr Range NotPublic[] = {
    {0x00000000, 8},  {0x0A000000, 8},  {0x64400000, 10}, {0x7F000000, 8},  {0xA9FE0000, 16},
    {0xAC100000, 12}, {0xC0000000, 24}, {0xC0000200, 24}, {0xC0586300, 24}, {0xC0A80000, 16},
    {0xC6120000, 15}, {0xC6336400, 24}, {0xCB007100, 24}, {0xE0000000, 4},  {0xF0000000, 4},
};

AddressReach reachOfV4(quint32 address)
{
    const bool found = std::any_of(std::begin(NotPublic), std::end(NotPublic), [&](Range range) {
        return (address ^ range.network) >> (32 - range.bits) == 0;
    });
    return found ? AddressReach::Private : AddressReach::Public;
}

AddressReach reachOfV6(const Q_IPV6ADDR &address)
{
    const auto word = [&](int i) { return quint32(address[i] << 8 | address[i + 1]); };
    const auto v4 = [&](int i) { return word(i) << 16 | word(i + 2); };
    const auto zeroUpTo = [&](int end) {
        return std::all_of(address.c, address.c + end, [](quint8 byte) { return byte == 0; });
    };
    if (zeroUpTo(12)) // also "::" and "::1"
        return AddressReach::Private;
    if (zeroUpTo(10) && word(10) == 0xFFFF)
        return reachOfV4(v4(12));
    if (word(0) == 0x0064 && word(2) == 0xFF9B && v4(4) == 0 && v4(8) == 0)
        return reachOfV4(v4(12));
    if (word(0) == 0x2002) // 6to4
        return reachOfV4(v4(2));
    const bool global = (word(0) & 0xE000) == 0x2000;
    const bool special = (word(0) == 0x2001 && word(2) < 0x0200) // Teredo, ORCHID, benchmarks
        || (word(0) == 0x2001 && word(2) == 0x0DB8) || (word(0) == 0x3FFF && word(2) < 0x1000);
    return global && !special ? AddressReach::Public : AddressReach::Private;
}

// A literal address without its brackets; null if the host is a name.
QHostAddress literal(QString host)
{
    if (host.startsWith(u'[') && host.endsWith(u']'))
        host = host.mid(1, host.size() - 2);
    return QHostAddress(host);
}

using Addresses = Result<std::vector<QHostAddress>>;

Addresses lookUpNow(const QByteArray &host)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *list = nullptr;
    const int problem = ::getaddrinfo(host.constData(), nullptr, &hints, &list);
    // This machine has that name whether or not the system's list of hosts says so (RFC 6761, section 6.3).
    if (problem != 0 && host == "localhost")
        return std::vector{QHostAddress(QHostAddress::LocalHost)};
    if (problem != 0) {
        return Error(
            ErrorCode::HostNotFound,
            u"The host “%1” was not found: %2."_s.arg(
                QString::fromLatin1(host), QString::fromLocal8Bit(::gai_strerror(problem))));
    }
    std::vector<QHostAddress> addresses;
    for (const addrinfo *item = list; item && addresses.size() < MostAddresses;
         item = item->ai_next) {
        const QHostAddress address(item->ai_addr);
        if (std::find(addresses.begin(), addresses.end(), address) == addresses.end())
            addresses.push_back(address);
    }
    ::freeaddrinfo(list);
    return addresses;
}

} // namespace

AddressReach reachOf(const QHostAddress &address)
{
    switch (address.protocol()) {
    case QAbstractSocket::IPv4Protocol:
        return reachOfV4(address.toIPv4Address());
    case QAbstractSocket::IPv6Protocol:
        return reachOfV6(address.toIPv6Address());
    default:
        return AddressReach::Private;
    }
}

bool isPrivateHost(const QString &host)
{
    QString name = host.toLower();
    while (name.endsWith(u'.'))
        name.chop(1);
    if (name == "localhost"_L1 || name.endsWith(".localhost"_L1) || name.endsWith(".local"_L1)
        || name.endsWith(".internal"_L1))
        return true;
    const QHostAddress address = literal(name);
    return !address.isNull() && reachOf(address) == AddressReach::Private;
}

Addresses lookUpHost(const QString &host, const CancellationToken &token, Deadline deadline)
{
    if (host.isEmpty() || host.size() > LongestHost || host.contains(QChar::Null))
        return Error(ErrorCode::InvalidAddress, u"The host name is not valid."_s);
    if (const QHostAddress address = literal(host); !address.isNull())
        return std::vector{address};

    // It cannot be interrupted, so it gets a thread that owns all it needs.
    const auto answer = std::make_shared<Channel<Addresses>>();
    try {
        std::thread([answer, name = host.toLatin1()] { answer->send(lookUpNow(name)); }).detach();
    } catch (const std::system_error &) {
        return Error(ErrorCode::Internal, u"No thread could be started to look up the host."_s);
    }
    auto item = answer->receive(token, deadline);
    if (item.end == ChannelWait::Cancelled)
        return token.check(TurnPhase::ToolCalls).error();
    if (item.end != ChannelWait::Received)
        return Error(ErrorCode::TimedOut, u"Looking up the host “%1” took too long."_s.arg(host));
    return std::move(*item.value);
}

} // namespace fermata

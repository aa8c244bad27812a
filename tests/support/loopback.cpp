// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fermata {

namespace {

sockaddr_in loopbackAddress(quint16 port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

} // namespace

void FileDescriptor::close()
{
    if (m_descriptor >= 0)
        ::close(std::exchange(m_descriptor, -1));
}

Listener::Listener(Backlog backlog) : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address = loopbackAddress(0);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    const bool listens = ::bind(m_socket.get(), generic, size) == 0
        && ::listen(m_socket.get(), backlog == Backlog::Full ? 0 : 128) == 0
        && ::getsockname(m_socket.get(), generic, &size) == 0;
    if (!listens)
        qFatal("No listening socket on the loopback interface");
    m_port = ntohs(address.sin_port);
    if (backlog == Backlog::Full)
        fill();
}

void Listener::fill()
{
    constexpr int Most = 16;
    constexpr int Patience = 200; // ms; a connect on loopback that the queue takes needs far less
    sockaddr_in address = loopbackAddress(m_port);
    for (int i = 0; i < Most; ++i) {
        FileDescriptor filler(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        (void)::connect(filler.get(), reinterpret_cast<sockaddr *>(&address), sizeof address);
        pollfd fd{filler.get(), POLLOUT, 0};
        const bool taken = ::poll(&fd, 1, Patience) == 1;
        m_fillers.push_back(std::move(filler));
        if (!taken)
            return;
    }
    qFatal("The queue of a listening socket did not fill up");
}

quint16 unusedPort()
{
    return Listener(Listener::Backlog::Deep).port();
}

} // namespace fermata

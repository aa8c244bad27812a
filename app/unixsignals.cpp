// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/unixsignals.h"

#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

namespace fermata {

namespace {

// Written by the handler, which may do no more than that.
int s_sockets[2] = {-1, -1};

void handleSignal(int)
{
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(s_sockets[0], &byte, 1);
}

} // namespace

UnixSignals::UnixSignals(QObject *parent) : QObject(parent)
{
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, s_sockets) != 0)
        return;
    m_notifier = std::make_unique<QSocketNotifier>(s_sockets[1], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        char bytes[16];
        while (::read(s_sockets[1], bytes, sizeof bytes) > 0) { }
        emit terminationRequested();
    });
    struct sigaction action = {};
    action.sa_handler = handleSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        sigaction(signal, &action, nullptr);
}

UnixSignals::~UnixSignals()
{
    m_notifier.reset();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_DFL);
    for (int &socket : s_sockets) {
        if (socket >= 0)
            ::close(socket);
        socket = -1;
    }
}

} // namespace fermata

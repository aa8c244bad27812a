// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

#include <utility>
#include <vector>

namespace fermata {

// A file descriptor that is closed with its owner.
class FileDescriptor final
{
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) : m_descriptor(descriptor) { }
    ~FileDescriptor() { close(); }
    FileDescriptor(FileDescriptor &&other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
    {
    }
    FileDescriptor &operator=(FileDescriptor &&other) noexcept
    {
        std::swap(m_descriptor, other.m_descriptor);
        return *this;
    }

    int get() const { return m_descriptor; }
    bool isOpen() const { return m_descriptor >= 0; }
    void close();

private:
    int m_descriptor = -1;
};

// A listening socket on a free port of 127.0.0.1. Full: it never accepts, and its queue is filled up, so that a further
// connect hangs until it is given up.
class Listener final
{
public:
    enum class Backlog { Deep, Full };

    explicit Listener(Backlog backlog);

    int socket() const { return m_socket.get(); }
    quint16 port() const { return m_port; }

private:
    void fill();

    FileDescriptor m_socket;
    quint16 m_port = 0;
    std::vector<FileDescriptor> m_fillers;
};

// A port of 127.0.0.1 on which nothing listened a moment ago.
quint16 unusedPort();

} // namespace fermata

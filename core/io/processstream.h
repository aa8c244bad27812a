// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"
#include "io/processrequest.h"

#include <QByteArray>

#include <chrono>
#include <memory>
#include <variant>

namespace fermata {

struct ProcessExit
{
    bool crashed = false; // ended by a signal
    int code = 0; // exit status, or the signal's number
};

using ProcessEvent = std::variant<QByteArray, ProcessExit>;

struct NoProcessEventInTime
{
};

// A running program and everything it started, as a handle on what lives on the I/O thread. It runs in a session and
// process group of its own, with no descriptor but 0, 1 and 2, and dies with Fermata. When the
// program has exited or was stopped, the rest of its tree is killed, too, and a process that still holds the pipe does
// not hold the end up. Destroying the handle kills the tree.
class ProcessStream final
{
public:
    ~ProcessStream();
    ProcessStream(const ProcessStream &) = delete;
    ProcessStream &operator=(const ProcessStream &) = delete;

    // Output, at most 64 KB at a time, then one ProcessExit after the tree is gone. A program that cannot be started is a
    // fault. The token and the deadline only end the wait. If the output is not fetched, the program is held up by
    // its full pipe, and memory stays small.
    Result<std::variant<ProcessEvent, NoProcessEventInTime>> next(const CancellationToken &token,
                                                                  Deadline deadline = {});

    // Queues bytes for the input of the program, in the order of the calls; success does not mean that it reads them.
    // Refused as a whole: TooLarge if more than 1 MB would wait; Io if the request has no Input::Pipe, after stop(),
    // and as soon as it is known that the program reads no more. Returns at once. Thread-safe.
    Result<void> write(const QByteArray &bytes);

    // TERM to the tree, KILL after `grace` to what is left; zero kills at once. With Input::Pipe, the input is closed
    // first, behind what is queued, and TERM comes after `grace`, KILL after `grace` again; a program that exits at the
    // end of its input gets no signal. May be called again with a shorter grace. Returns at once; the end comes by
    // next(). Thread-safe.
    void stop(std::chrono::milliseconds grace);

    // What the handle and the job on the I/O thread share; see processstream.cpp.
    struct Shared;

private:
    friend class IoThread;
    explicit ProcessStream(std::shared_ptr<Shared> shared);

    std::shared_ptr<Shared> m_shared;
};

} // namespace fermata

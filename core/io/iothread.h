// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "io/httprequest.h"
#include "io/processrequest.h"

#include <functional>
#include <memory>

namespace fermata {

class HttpStream;
class ProcessStream;

// The one thread with sockets and processes on it. Everything event-driven of the core lives here, behind handles that
// any thread can wait on. The destructor closes what is still open and joins the thread; handles that outlive it say
// that their stream is closed.
class IoThread final
{
public:
    IoThread();
    ~IoThread();
    IoThread(const IoThread &) = delete;
    IoThread &operator=(const IoThread &) = delete;

    // Return at once; the work begins on the I/O thread, which looks at the token first. Thread-safe.
    std::unique_ptr<HttpStream> openHttp(HttpRequest request, const CancellationToken &token);
    std::unique_ptr<ProcessStream> startProcess(ProcessRequest request);

    // What the handles post to; see iothread_p.h.
    class Private;

private:
    std::shared_ptr<Private> m_private;
};

} // namespace fermata

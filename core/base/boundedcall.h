// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/channel.h"
#include "base/logging.h"

#include <QString>

#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace fermata {

// One call of foreign code on a thread of its own, so that it can neither throw through who calls it nor hold it for
// ever. Destroying it leaves behind what has not ended, as leave() does. Used by one thread.
template <typename T>
class BoundedCall final
{
public:
    // `token` is cancelled with `parent`, and when the call is left behind: whoever waits in the function waits with it.
    using Function = std::function<Result<T>(const CancellationToken &token)>;

    // `name` says in errors and in the log what it is: "clean-up handler \"temporary files\"".
    BoundedCall(const QString &name, Function function, const Clock &clock,
                const CancellationToken &parent = {})
        : m_end(std::make_shared<Channel<Result<T>>>(clock))
    {
        m_source.linkTo(parent);
        try {
            m_thread = std::thread([name, function = std::move(function), token = m_source.token(),
                                    end = m_end]() mutable {
                Result<T> result = guarded(name, function, token);
                function = {}; // what it captured is gone before its end is told
                if (!end->send(std::move(result)))
                    qCInfo(lcCancellation, "the %s ended late", qUtf8Printable(name));
            });
        } catch (const std::system_error &error) {
            m_end->send(Error(ErrorCode::Internal, QStringLiteral("The %1 got no thread").arg(name),
                              QString::fromUtf8(error.what())));
        }
    }
    ~BoundedCall()
    {
        if (m_thread.joinable() && (m_hasEnded || leave()))
            m_thread.join();
    }
    BoundedCall(const BoundedCall &) = delete;
    BoundedCall &operator=(const BoundedCall &) = delete;

    // Its result, once; nothing if it has not ended by then. What it throws is an Internal error.
    std::optional<Result<T>> waitUntil(Deadline deadline)
    {
        auto result = m_end->receive({}, deadline).value;
        m_hasEnded = m_hasEnded || result;
        return result;
    }

    // Its result, if it ended in this very moment. Else its thread now keeps itself and all that the function captured,
    // and only a line in the log tells of its end.
    std::optional<Result<T>> leave()
    {
        m_end->close();
        if (auto result = m_end->tryReceive()) {
            m_hasEnded = true;
            return result;
        }
        m_source.cancel(CancellationCause::TurnLimit, QStringLiteral("its time is over"));
        m_thread.detach();
        return std::nullopt;
    }

private:
    static Result<T> guarded(const QString &name, const Function &function,
                             const CancellationToken &token)
    {
        try {
            return function(token);
        } catch (const CancellationError &error) {
            return error;
        } catch (const std::exception &error) {
            return Error(ErrorCode::Internal, QStringLiteral("The %1 threw").arg(name),
                         QString::fromUtf8(error.what()));
        } catch (...) {
            return Error(ErrorCode::Internal, QStringLiteral("The %1 threw").arg(name));
        }
    }

    CancellationSource m_source;
    std::shared_ptr<Channel<Result<T>>> m_end;
    std::thread m_thread;
    bool m_hasEnded = false; // all but the thread's last instructions
};

} // namespace fermata

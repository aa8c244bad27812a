// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/secret.h"

#include <QObject>
#include <QString>

#include <chrono>
#include <functional>

namespace QKeychain {
class Job;
}

namespace fermata {

// The system's keyring, with a limit on each answer: a locked one may wait for its own dialog without end. Calls return
// at once and answer exactly once, on the GUI thread; a late answer is dropped. Nothing is answered after destruction.
class Keyring final : public QObject
{
    Q_OBJECT

public:
    explicit Keyring(QObject *parent = nullptr);

    void write(const QString &name, const Secret &secret, std::chrono::milliseconds limit,
               std::function<void(Result<void>)> done);
    // NotFound if there is no such key, or if the keyring is locked and says so.
    void read(const QString &name, std::chrono::milliseconds limit,
              std::function<void(Result<Secret>)> found);
    void remove(const QString &name, std::chrono::milliseconds limit,
                std::function<void(Result<void>)> done);

private:
    using Ended = std::function<void(Result<void>)>;
    void start(QKeychain::Job *job, const QString &name, std::chrono::milliseconds limit,
               Ended ended);
};

} // namespace fermata

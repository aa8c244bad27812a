// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace fermata {

// A program and everything it started, as far as the system lets us find it: the seam behind which each system has a file
// of its own. Used on the I/O thread.
class ProcessTree final
{
public:
    ProcessTree();
    ~ProcessTree();
    ProcessTree(const ProcessTree &) = delete;
    ProcessTree &operator=(const ProcessTree &) = delete;

    // A variable that the program's environment must hold: what it starts inherits it, and is found by it.
    std::pair<QString, QString> environmentMark() const;

    // What the child does between fork and exec, async-signal-safe: a session of its own, the mark, death with us, no
    // core file, default signals, the given descriptors as outputs and no other one.
    std::function<void()> childSetUp(int outputDescriptor, int errorDescriptor) const;

    void setLeader(std::int64_t pid);

    enum class Include { Everything, AllButLeader };
    // Asks what was not asked yet to end. How many are left.
    int terminate(Include include);
    // Kills and reaps. How many were found: the tree is gone when that is none.
    int kill(Include include);
    // Waits until the first of those that still live has ended, but not longer than that.
    void waitForEnd(Include include, std::chrono::milliseconds limit);

    // A shell script for a process outside of the tree that waits for the end of its input, that is, for our death, and
    // then kills the tree: only the leader dies with us by itself.
    QString guardScript() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata

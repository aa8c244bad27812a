// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <chrono>
#include <utility>
#include <vector>

namespace fermata {

// A program to run: an argument vector, never a shell line put together from parts.
struct ProcessRequest
{
    QString program;
    QStringList arguments;
    QString workingDirectory;
    // The whole environment of the child: nothing is inherited.
    std::vector<std::pair<QString, QString>> environment;
    // None: /dev/null. Pipe: what ProcessStream::write() gives it, until a stop closes it.
    enum class Input { None, Pipe } input = Input::None;
    bool mergeErrorOutput = true; // else what goes to the error output is dropped
    // Launcher: the program only starts the real one and ends with it, as a sandbox does. A stop then asks what it
    // started to end, and not the launcher itself, which would take the rest down without a chance to clean up.
    enum class Leader { Program, Launcher } leader = Leader::Program;
};

} // namespace fermata

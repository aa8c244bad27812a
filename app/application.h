// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commandline.h"
#include "base/result.h"

#include <QObject>

#include <memory>

namespace fermata {

class MainWindow;

// The composition root: the only place that names concrete providers, tools and stores. It makes everything in the order
// in which it is needed and ends it in the reverse one: turns, agent threads, each with its connection to the database, I/O thread.
class Application final : public QObject
{
    Q_OBJECT

public:
    explicit Application(const CommandLine &commandLine);
    ~Application() override;

    // RunsElsewhere: another Fermata uses the same data and has come to the front. Fails if the folders for the data cannot be made.
    enum class Start { Runs, RunsElsewhere };
    Result<Start> start();

    MainWindow *window() const; // from start() on

    // Stops what runs, saves, and leaves the event loop within two seconds. Again: harmless.
    void quit();

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
// A program with one fault, made on purpose: the worker writes to what it has already posted.
#include "base/mailbox.h"

#include <QCoreApplication>

#include <atomic>
#include <cstdio>
#include <memory>
#include <thread>

namespace {

struct Letter
{
    int written = 0;
};

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    int sum = 0;
    std::atomic<bool> hasRead = false;
    fermata::Mailbox<std::shared_ptr<Letter>> mailbox([&](const auto &letters) {
        for (const auto &letter : letters)
            sum += letter->written;
        hasRead.store(true, std::memory_order_relaxed);
        QCoreApplication::quit();
    });
    std::thread worker([&] {
        const auto letter = std::make_shared<Letter>();
        letter->written = 1; // before the post: this is how it is done
        mailbox.post(letter);
        // Relaxed, so that waiting for the reader orders nothing.
        while (!hasRead.load(std::memory_order_relaxed))
            std::this_thread::yield();
        letter->written = 2; // the race
    });
    QCoreApplication::exec();
    worker.join();
    std::printf("%d: the race was not reported\n", sum);
    return 0;
}

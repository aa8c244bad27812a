// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellation.h"
#include "base/channel.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

using SteadyTime = std::chrono::steady_clock;
using Nanoseconds = std::chrono::duration<double, std::nano>;
using Microseconds = std::chrono::duration<double, std::micro>;

void print(const QString &name, const QString &unit, std::vector<double> samples,
           const QJsonObject &budget = {})
{
    std::sort(samples.begin(), samples.end());
    const auto quantile = [&](double part) {
        return samples[std::min(samples.size() - 1, size_t(part * double(samples.size())))];
    };
    QJsonObject json{
        {u"name"_s, name},          {u"unit"_s, unit},
        {u"p50"_s, quantile(0.5)},  {u"p99"_s, quantile(0.99)},
        {u"max"_s, samples.back()}, {u"samples"_s, qint64(samples.size())},
    };
    if (!budget.isEmpty())
        json.insert(u"budget"_s, budget);
    std::puts(QJsonDocument(json).toJson(QJsonDocument::Compact).constData());
}

// Nanoseconds per call, one sample for each batch.
template <typename Call>
std::vector<double> timedBatches(int batches, int callsEach, Call call)
{
    std::vector<double> samples;
    for (int batch = 0; batch < batches; ++batch) {
        const auto start = SteadyTime::now();
        for (int i = 0; i < callsEach; ++i) {
            call();
            asm volatile("" ::: "memory"); // each call looks anew
        }
        samples.push_back(Nanoseconds(SteadyTime::now() - start).count() / callsEach);
    }
    return samples;
}

// Tells when a receiver has begun to wait.
class ObservedClock final : public Clock
{
public:
    Instant now() const override { return steadyClock().now(); }
    bool waitUntil(std::condition_variable &condition, std::unique_lock<std::mutex> &lock,
                   Deadline deadline) const override
    {
        m_waiting = true; // under the channel's lock, which the cancel takes
        return steadyClock().waitUntil(condition, lock, deadline);
    }
    void awaitWait() const
    {
        while (!m_waiting.exchange(false))
            std::this_thread::yield();
    }

private:
    mutable std::atomic<bool> m_waiting = false;
};

void measureChecks()
{
    const CancellationSource source;
    const CancellationToken token = source.token();
    std::atomic<bool> seen = false;
    print(u"token_check"_s, u"ns"_s,
          timedBatches(2000, 10000,
                       [&] {
                           if (token.isCancelled())
                               seen = true;
                       }),
          {{u"p99"_s, 5}});
    print(u"token_check_as_result"_s, u"ns"_s, timedBatches(2000, 10000, [&] {
              if (!token.check(TurnPhase::Streaming).ok())
                  seen = true;
          }));
}

void measureRegistration()
{
    const CancellationSource source;
    const CancellationToken token = source.token();
    int runs = 0;
    print(u"register_and_release"_s, u"ns"_s, timedBatches(2000, 500, [&] {
              const Registration registration = token.onCancelled([&] { ++runs; });
          }));
    print(u"linked_child"_s, u"ns"_s,
          timedBatches(2000, 100, [&] { const CancellationSource child = source.linkedChild(); }));
}

void measureCancelToWake(int rounds)
{
    const ObservedClock clock;
    Channel<int> channel(clock);
    Channel<CancellationToken> work;
    Channel<SteadyTime::time_point> woken;
    const std::jthread receiver([&] {
        for (auto token = work.receive(); token.value; token = work.receive()) {
            const auto end = channel.receive(*token.value).end;
            const auto time = SteadyTime::now();
            if (end == ChannelWait::Cancelled)
                woken.send(time);
        }
    });
    std::vector<double> toWake;
    std::vector<double> ofCancel;
    for (int round = 0; round < rounds; ++round) {
        const CancellationSource source;
        work.send(source.token());
        clock.awaitWait();
        // Long enough for the receiver to be asleep in the kernel, which is what a stop finds.
        const auto asleep = SteadyTime::now() + std::chrono::microseconds(100);
        while (SteadyTime::now() < asleep)
            std::this_thread::yield();
        const auto start = SteadyTime::now();
        source.cancel(CancellationCause::User);
        const auto returned = SteadyTime::now();
        const auto end = woken.receive();
        toWake.push_back(Microseconds(*end.value - start).count());
        ofCancel.push_back(Microseconds(returned - start).count());
    }
    work.close();
    print(u"cancel_to_wake"_s, u"us"_s, toWake, {{u"p99"_s, 100}});
    print(u"cancel_call"_s, u"us"_s, ofCancel);
}

} // namespace

// behaviours: 298, 302
int main()
{
    measureChecks();
    measureRegistration();
    measureCancelToWake(2000);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// The engine without any window: one turn, stopped from another thread after its first words, and what came of it.
// With an address (and a model) it asks a server that speaks chat completions, else the built-in Guide.
#include "agent/turn.h"
#include "io/iothread.h"
#include "provider/chatcompletionsprovider.h"
#include "provider/guideprovider.h"

#include <QCoreApplication>
#include <QTextStream>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;

// Where a turn is saved while it runs; this one keeps nothing. core/store has the one that writes a database.
class NoJournal final : public TurnJournal
{
    Result<void> begin(const Conversation &, const TurnRecord &) override { return {}; }
    Result<void> checkpoint(const TurnRecord &) override { return {}; }
    Result<void> saveCall(const TurnRecord &, const ToolCallBlock &) override { return {}; }
    Result<void> finish(const TurnRecord &) override { return {}; }
};

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    IoThread io; // sockets; outlives the providers
    TurnRequest request;
    request.turn.id = TurnId::create();
    request.turn.userText = u"How do I stop an answer?"_s;
    request.model = application.arguments().value(2);
    request.provider = std::make_shared<GuideProvider>(GuideBook::fromFolder(u":/guide"_s));
    if (const QUrl address(application.arguments().value(1)); !address.isEmpty())
        request.provider = std::make_shared<ChatCompletionsProvider>(io, address, Secret());

    // The handle on the running turn: thread-safe, and the only way to reach it.
    const auto control = std::make_shared<TurnControl>(request.turn.id);
    Channel<int> heard;
    std::thread listener([&] {
        for (int words = 0; words < 10 && heard.receive().value; ++words) { }
        control->stop({CancellationCause::User, u"heard enough"_s, {}, {}});
    });
    NoJournal journal;
    QTextStream out(stdout);
    Turn turn(request, control, journal, [&](const TurnEvent &event) {
        if (const auto *text = std::get_if<TextAppended>(&event)) {
            out << text->text << Qt::flush;
            heard.send(1);
        }
    });
    const TurnOutcome outcome = turn.run(); // blocks until the end, on any thread that may wait
    heard.close();
    listener.join();
    out << "\n[" << toString(outcome.status) << ", " << outcome.text.size() << " characters]\n";
}

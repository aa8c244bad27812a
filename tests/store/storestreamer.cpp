// SPDX-License-Identifier: GPL-3.0-or-later
// storestreamer DATABASE [DELAY_MS]: saves the streamed turn step by step and acknowledges each step that is saved with
// a line on its output: "begun", the number of the step, "finished". A save that fails is acknowledged as "failed" with
// its message and tried again with the next step, the last one up to five times.
#include "store/conversationstore.h"

#include "streamedturn.h"

#include <QCoreApplication>
#include <QThread>

#include <csignal>

#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// One write call: what was acknowledged has left the process.
void acknowledge(const QString &text)
{
    const QByteArray line = text.toUtf8() + '\n';
    if (::write(STDOUT_FILENO, line.constData(), size_t(line.size())) != line.size())
        std::_Exit(3);
}

bool acknowledge(const QString &text, const Result<void> &saved)
{
    acknowledge(saved ? text
                      : u"failed "_s + saved.error().message + u" / "_s + saved.error().detail);
    return saved.ok();
}

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    std::signal(SIGXFSZ, SIG_IGN);
    const QStringList arguments = QCoreApplication::arguments();
    const int delay = arguments.size() > 2 ? arguments.at(2).toInt() : 0;

    auto store = ConversationStore::open(arguments.at(1));
    for (int i = 0; i < 5 && !store; ++i) {
        acknowledge(u"failed "_s + store.error().message);
        store = ConversationStore::open(arguments.at(1));
    }
    if (!store)
        return 2;

    TurnRecord record = streamed::turn();
    bool begun = acknowledge(u"begun"_s, (*store)->beginTurn(streamed::conversation(), record));
    for (int step = 0; step < streamed::Steps; ++step) {
        for (const TurnEvent &event : streamed::events(step))
            apply(record, event);
        if (!begun)
            begun = acknowledge(u"begun"_s, (*store)->beginTurn(streamed::conversation(), record));
        const ToolCallBlock *call = record.findCall(streamed::callId());
        acknowledge(QString::number(step),
                    call ? (*store)->saveCall(record, *call) : (*store)->checkpoint(record));
        if (delay > 0)
            QThread::msleep(static_cast<unsigned long>(delay));
    }
    record.outcome = streamed::outcome();
    for (int i = 0; i < 5; ++i) {
        if (!begun)
            begun = acknowledge(u"begun"_s, (*store)->beginTurn(streamed::conversation(), record));
        if (acknowledge(u"finished"_s, (*store)->finishTurn(record)))
            return 0;
    }
    return 1;
}

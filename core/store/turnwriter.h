// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"

#include <QHash>
#include <QVariantList>

#include <vector>

namespace fermata {

class Batch;

// Writes turns, and remembers of the running ones what is in the database, so that a checkpoint costs what is new. It
// remembers only what was committed: after a failed batch forget() the turn, and the next write reads what is there.
class TurnWriter final
{
public:
    // What follows the turn's last text: while it grows, half a character waits for its other half.
    enum class Text { Grows, Final };

    // The row of a turn, new or as it was; without its answer.
    void begin(Batch &batch, qint64 conversation, const TurnRecord &turn);
    // What is new in the answer. The turn must have a row: NotFound if it has none.
    void write(Batch &batch, const TurnRecord &turn, Text text);
    // The state of one call of a turn that is written.
    void writeCall(Batch &batch, const TurnRecord &turn, const ToolCallBlock &call);
    // All of it, its end, and its place in the search.
    void finish(Batch &batch, const TurnRecord &turn);

    void forget(const TurnId &turn) { m_turns.remove(turn); }

    // Takes the turns that `condition` selects out of the search; they must be as they were when they were put in.
    static void unindex(Batch &batch, const QString &condition, const QVariantList &values = {});

private:
    struct Block
    {
        qint64 number = 0;
        ContentBlock shape; // without its long text
        qsizetype length = 0; // of the long text that is written
        int segments = 0;
    };
    struct Message
    {
        std::vector<Block> blocks;
        QJsonObject extras;
        bool complete = false;
        QString instruction = {};
        bool settled = false; // nothing of it changes while the turn runs
    };
    struct Turn
    {
        qint64 number = 0;
        std::vector<Message> messages;
    };

    Turn *turnFor(Batch &batch, const TurnRecord &record);
    static bool matches(const Turn &turn, const TurnRecord &record);
    void writeMessage(Batch &batch, Turn &turn, size_t index, const AssistantMessage &message,
                      Text text);
    void insertBlock(Batch &batch, Turn &turn, size_t message, const ContentBlock &block,
                     Text text);
    void updateBlock(Batch &batch, Block &written, const ContentBlock &block, Text text);
    void updateText(Batch &batch, Block &written, const ContentBlock &block, Text text);

    QHash<TurnId, Turn> m_turns;
};

} // namespace fermata

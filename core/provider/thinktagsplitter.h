// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace fermata {

// Takes thinking out of a text whose server left it in: a block between <think> and </think> (and their relatives) that
// stands before the answer. Tags may be cut anywhere. Later in the text they are text: an answer may speak of them.
class ThinkTagSplitter final
{
public:
    struct Piece
    {
        enum class Kind { Text, Thinking, ThinkingEnd };

        Kind kind;
        QString text;

        friend bool operator==(const Piece &, const Piece &) = default;
    };

    std::vector<Piece> append(const QString &text);
    // What was held back because a tag might have begun there. An open block is ended.
    std::vector<Piece> finish();

private:
    enum class State { Start, Thinking, AfterThinking, Text };

    void takeStart();
    void takeThinking(std::vector<Piece> &pieces);
    void takeRest(std::vector<Piece> &pieces);

    State m_state = State::Start;
    QString m_held;
    QString m_closingTag;
    bool m_thought = false; // something of the block was given out
};

} // namespace fermata

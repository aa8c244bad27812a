// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/chathistory.h"

#include <QString>

namespace fermata {

// What a server sends when it takes up an answer, without what is there already: the repeated beginning that some servers
// send by rule and some models by habit, and the space that was taken off the end of the old text.
class ContinuationFilter final
{
public:
    // Shorter repetitions than this may be meant.
    static constexpr qsizetype ShortestOverlap = 12;

    ContinuationFilter() = default; // lets everything pass
    explicit ContinuationFilter(ContinuedAnswer answer);

    // May hold text back while it could still turn out to be a repetition.
    QString append(const QString &text);
    QString finish();

private:
    enum class State { Comparing, SkippingSpace, Passing };

    bool isRepetition() const;
    bool mayRepeatMore() const;
    qsizetype repeatedLength() const;
    QString released();

    ContinuedAnswer m_answer;
    State m_state = State::Passing;
    QString m_held;
    qsizetype m_spaceSkipped = 0;
};

} // namespace fermata

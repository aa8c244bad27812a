// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace fermata {

// Takes terminal control sequences out of text that comes in pieces: a sequence, or a CR LF, may be cut between two.
class ControlSequenceFilter final
{
public:
    QString feed(QStringView text);
    // What is still held back, at the end of the text.
    QString finish();
    // Of those taken out: characters that show nothing and are no control either, as hidden text is made of.
    int invisibleCount() const { return m_invisible; }

private:
    enum class State { Text, Escape, EscapeIntermediate, Csi, String, StringEscape };

    void take(char32_t c, QString &out);
    void takeText(char32_t c, QString &out);

    State m_state = State::Text;
    bool m_carriageReturn = false;
    int m_invisible = 0;
};

} // namespace fermata

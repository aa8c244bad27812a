// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace fermata {

// The first and the last 32 KB of an output of any length, in constant memory.
class OutputBuffer final
{
public:
    explicit OutputBuffer(qsizetype headBytes = 32 * 1024, qsizetype tailBytes = 32 * 1024);

    void append(QByteArrayView bytes);
    qint64 totalBytes() const { return m_total; }
    // As text: invalid UTF-8 replaced, control sequences taken out, and "[N bytes omitted]" between head and tail.
    // Output that is not text is told as such, with its size.
    QString text() const;

private:
    qsizetype m_headBytes;
    qsizetype m_tailBytes;
    QByteArray m_head;
    QByteArray m_tail; // up to twice tailBytes, cut when it gets there: appending stays linear
    qint64 m_total = 0;
};

// True for what is no text: zero bytes, or far too much that is not UTF-8. Looks at the first 8 KB.
bool looksBinary(QByteArrayView bytes);

// Foreign output as it may be shown: ANSI and control sequences (8-bit ones, too) taken out, lone carriage returns as
// line breaks, tabs and line breaks kept; and how many characters were taken out that show nothing, as hidden text is
// made of.
struct CleanText
{
    QString text;
    int invisible = 0;

    // With a line that tells of these, if there were any: who reads it must know that there was more.
    QString withNote() const;
};
CleanText cleaned(const QString &text);
QString withoutControlSequences(const QString &text);

} // namespace fermata

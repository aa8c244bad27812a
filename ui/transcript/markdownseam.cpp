// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/markdownseam.h"

#include "ui/transcript/markdownfence.h"

#include <QByteArray>
#include <QRegularExpression>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostIndent = 3; // of a fence; with more it is code itself

QByteArrayView withoutIndent(QByteArrayView line)
{
    qsizetype indent = 0;
    while (indent < line.size() && indent < MostIndent && line[indent] == ' ')
        ++indent;
    return line.sliced(indent);
}

struct Line
{
    QByteArrayView text;
    bool isWhole = false; // its end has come
};

template <typename Visit> // returns whether to go on
void forEachLine(const QByteArray &text, Visit visit)
{
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype end = text.indexOf('\n', at);
        const qsizetype length = (end < 0 ? text.size() : end) - at;
        if (!visit(Line{QByteArrayView(text).sliced(at, length), end >= 0}))
            return;
        at += length + 1;
    }
}

// The line that opened the block of code in which the text ends, as far as it has come.
QByteArray openedBy(const QByteArray &text)
{
    MarkdownFence open;
    QByteArray opener;
    forEachLine(text, [&](const Line &line) {
        if (open.character) {
            if (closesFence(line.text, open))
                open = {};
        } else if (open = openingFence(withoutIndent(line.text)); open.character) {
            opener = withoutIndent(line.text).toByteArray() + (line.isWhole ? "\n" : "");
        }
        return true;
    });
    return open.character ? opener : QByteArray();
}

// A model that does not take up its line begins the code anew, behind words or at once: with a fence that names a
// language, which nothing inside of code does.
bool beginsAnew(const QByteArray &continuation, const QByteArray &opener)
{
    const MarkdownFence open = openingFence(opener.trimmed());
    bool isAnew = false;
    forEachLine(continuation, [&](const Line &line) {
        const bool closes = line.isWhole && closesFence(line.text, open);
        isAnew = !closes && openingFence(withoutIndent(line.text)).length >= open.length
            && !closesFence(line.text, open);
        return !closes && !isAnew;
    });
    return isAnew;
}

} // namespace

QString openAtCut(const QString &cut, const QString &continuation)
{
    const QByteArray opener = openedBy(cut.toUtf8());
    if (!opener.isEmpty())
        return beginsAnew(continuation.toUtf8(), opener) ? QString() : QString::fromUtf8(opener);
    // "Settings" and then " > Model". Whoever means a block begins it without a space.
    constexpr QChar WordJoiner(0x2060);
    static const QRegularExpression likeABlock(u"^ +[-+*#>=|~`\\d]"_s);
    if (!cut.isEmpty() && !cut.endsWith(u'\n') && likeABlock.match(continuation).hasMatch())
        return WordJoiner;
    return {};
}

} // namespace fermata

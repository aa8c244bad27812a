// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/monotext.h"

#include "ui/transcript/displaytext.h"
#include "ui/transcript/transcriptstyle.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace fermata {

namespace {

constexpr int TabColumns = 4;
// Longer lines are broken even where lines are not wrapped: shaping takes a line at once.
constexpr int LongestLine = 2000;

int columnsOf(char32_t c, int column)
{
    if (c < 0x80)
        return c == U'\t' ? TabColumns - column % TabColumns : 1;
    if (QChar::isMark(c))
        return 0;
    const bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf)
        || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff)
        || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60)
        || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
    return wide ? 2 : 1;
}

QColor colorOf(CodeColor color, const Theme &theme)
{
    switch (color) {
    case CodeColor::Word:
        return theme.codeWord;
    case CodeColor::String:
        return theme.codeString;
    case CodeColor::Comment:
        return theme.codeComment;
    case CodeColor::Number:
        return theme.codeNumber;
    case CodeColor::Function:
        return theme.codeFunction;
    case CodeColor::Added:
        return theme.codeString;
    case CodeColor::Removed:
        return theme.red;
    }
    return theme.text;
}

void layOut(QTextLayout &layout)
{
    QTextOption option;
    option.setWrapMode(QTextOption::NoWrap);
    option.setTextDirection(Qt::LeftToRight);
    const qreal space = QFontMetricsF(layout.font()).horizontalAdvance(u' ');
    option.setTabStopDistance(TabColumns * space);
    layout.setTextOption(option);
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
}

} // namespace

bool MonoText::setText(const QString &source)
{
    if (m_source == source)
        return false;
    m_source = source;
    m_display = withControlsNamed(source);
    m_spans.clear();
    breakLines();
    return true;
}

void MonoText::setFont(const QFont &font, qreal pitch)
{
    m_font = font;
    m_pitch = pitch;
    m_character = QFontMetricsF(font).horizontalAdvance(u'0');
}

void MonoText::setWidth(Wrap wrap, qreal width)
{
    const int columns = wrap == Wrap::None ? 0 : std::max(8, int(width / m_character));
    if (columns == m_columns)
        return;
    m_columns = columns;
    breakLines();
}

void MonoText::showLines(int first, int count)
{
    m_first = std::clamp(first, 0, lineCount());
    m_count = count;
}

int MonoText::visibleCount() const
{
    const int rest = lineCount() - m_first;
    return m_count < 0 ? rest : std::min(rest, m_count);
}

void MonoText::breakLines()
{
    m_starts.assign(1, 0);
    m_widest = 0;
    int column = 0;
    const int most = m_columns > 0 ? m_columns : LongestLine;
    const auto *text = reinterpret_cast<const char16_t *>(m_display.utf16());
    const int size = int(m_display.size());
    for (int i = 0; i < size;) {
        const char16_t unit = text[i];
        if (unit == u'\n') {
            m_widest = std::max(m_widest, column);
            column = 0;
            m_starts.push_back(++i);
            continue;
        }
        const bool pair = QChar::isHighSurrogate(unit) && i + 1 < size;
        const char32_t c = pair ? QChar::surrogateToUcs4(unit, text[i + 1]) : char32_t(unit);
        const int columns = columnsOf(c, column);
        if (column + columns > most) {
            m_widest = std::max(m_widest, column);
            column = 0;
            m_starts.push_back(i);
        }
        column += columns;
        i += pair ? 2 : 1;
    }
    m_widest = std::max(m_widest, column);
}

qreal MonoText::widest() const
{
    return std::ceil(m_widest * m_character);
}

QString MonoText::sourceOf(int from, int to) const
{
    if (m_source.size() == m_display.size())
        return m_source.mid(from, to - from);
    // Names stand for characters: find the characters by walking along both.
    QString copied;
    int shown = 0;
    int marks = 0;
    for (qsizetype i = 0; i < m_source.size() && shown < to;) {
        const char32_t c = nextCharacter(m_source, i);
        marks = QChar::isMark(c) ? marks + 1 : 0;
        const bool hidden = isInvisible(c, TextUse::Exact) || marks > MostMarks;
        const int length = hidden          ? int(visibleName(c).size())
            : QChar::requiresSurrogates(c) ? 2
                                           : 1;
        if (shown + length > from)
            copied += QChar::fromUcs4(c);
        shown += length;
    }
    return copied;
}

int MonoText::lineOf(int position) const
{
    const auto after = std::upper_bound(m_starts.begin(), m_starts.end(), position);
    return int(after - m_starts.begin()) - 1;
}

int MonoText::lineEnd(int line) const
{
    if (size_t(line) + 1 >= m_starts.size())
        return int(m_display.size());
    const int next = m_starts[size_t(line) + 1];
    return m_display[next - 1] == u'\n' ? next - 1 : next;
}

void MonoText::paint(QPainter *painter, QPointF origin, const QRectF &clip,
                     const TranscriptStyle &style, const Look &look) const
{
    const int from = m_first + std::max(0, int((clip.top() - origin.y()) / m_pitch));
    const int to = std::min(m_first + visibleCount(),
                            m_first + int((clip.bottom() - origin.y()) / m_pitch) + 1);
    const QFontMetricsF metrics(m_font);
    const qreal lead = (m_pitch - metrics.height()) / 2;
    for (int line = from; line < to; ++line) {
        const int begin = m_starts[size_t(line)];
        const int end = lineEnd(line);
        const qreal y = origin.y() + (line - m_first) * m_pitch;
        QList<QTextLayout::FormatRange> formats;
        const auto add = [&](int start, int stop, const QTextCharFormat &format) {
            const int a = std::max(start, begin);
            const int b = std::min(stop, end);
            if (a < b)
                formats.append({a - begin, b - a, format});
        };
        auto span = std::upper_bound(
            m_spans.begin(), m_spans.end(), begin,
            [](int wanted, const CodeSpan &s) { return wanted < s.start + s.length; });
        for (; span != m_spans.end() && span->start < end; ++span) {
            QTextCharFormat format;
            format.setForeground(colorOf(span->color, style.theme));
            add(span->start, span->start + span->length, format);
        }
        if (look.brightUntil > begin) {
            QTextCharFormat format;
            format.setForeground(style.theme.text);
            add(begin, look.brightUntil, format);
        }
        if (look.selectedTo > look.selectedFrom) {
            QTextCharFormat format;
            format.setForeground(style.theme.onAccent);
            format.setBackground(style.theme.accent);
            add(look.selectedFrom, look.selectedTo, format);
        }
        painter->setPen(look.color);
        QTextLayout layout(m_display.mid(begin, end - begin), m_font);
        layout.setFormats(formats);
        layOut(layout);
        layout.draw(painter, QPointF(origin.x(), y + lead), {}, clip);
    }
}

int MonoText::positionAt(QPointF point) const
{
    if (visibleCount() <= 0)
        return 0;
    const int line =
        m_first + std::clamp(int(std::floor(point.y() / m_pitch)), 0, visibleCount() - 1);
    const int begin = m_starts[size_t(line)];
    QTextLayout layout(m_display.mid(begin, lineEnd(line) - begin), m_font);
    layOut(layout);
    return begin + layout.lineAt(0).xToCursor(point.x());
}

QRectF MonoText::cursorRect(int position) const
{
    const int line = lineOf(std::clamp(position, 0, int(m_display.size())));
    const int begin = m_starts[size_t(line)];
    QTextLayout layout(m_display.mid(begin, lineEnd(line) - begin), m_font);
    layOut(layout);
    return QRectF(layout.lineAt(0).cursorToX(position - begin), (line - m_first) * m_pitch, 2,
                  m_pitch);
}

} // namespace fermata

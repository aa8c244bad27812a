// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/toolcardpart.h"

#include "ui/style/icons.h"
#include "ui/transcript/codehighlight.h"
#include "ui/transcript/displaytext.h"
#include "ui/transcript/tooltext.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int Padding = 12;
constexpr int MarkBox = 16;
constexpr int TextLeft = Padding + MarkBox + 8;
constexpr int WellPaddingY = 8;
constexpr int ChevronSpace = 33; // from the text at the right to the edge
constexpr int ArgumentLines = 12; // of an open row, until all is shown

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::ToolCardPart", text);
}

} // namespace

struct ToolCardPart::Row
{
    CallId id;
    QString name;
    QString arguments;
    ToolSlot slot;

    QString title;
    QString summary;
    MonoText exact;
    MonoText output;
    std::optional<bool> wish; // what the user made of it
    bool all = false;

    int top = 0;
    int height = 0;
    QRectF well;
    QRectF allRect; // "Show all"; empty if all is shown
    qreal exactHeight = 0;
    int begin = 0; // position of its text
};

ToolCardPart::ToolCardPart() = default;
ToolCardPart::~ToolCardPart() = default;

void ToolCardPart::setCalls(const std::vector<const ToolCallBlock *> &calls)
{
    if (m_rows.size() > calls.size()) {
        m_rows.resize(calls.size());
        setChanged();
    }
    for (size_t i = 0; i < calls.size(); ++i) {
        const ToolCallBlock &call = *calls[i];
        if (i == m_rows.size())
            m_rows.push_back(std::make_unique<Row>());
        Row &row = *m_rows[i];
        if (row.id == call.id && row.slot == call.slot && row.arguments == call.arguments)
            continue;
        const bool wasOpen = isOpen(row);
        if (row.id != call.id || row.arguments != call.arguments || row.name != call.name) {
            row.id = call.id;
            row.name = call.name;
            row.arguments = call.arguments;
            row.title = toolTitle(call.name);
            row.summary = toolSummary(call.arguments);
            row.exact.setText(toolArguments(call.arguments));
            row.exact.setSpans(isTextChange(call.arguments)
                                   ? highlightCode(u"diff"_s, row.exact.display())
                                   : std::vector<CodeSpan>());
            setChanged();
        }
        const bool sameOutput = row.slot.output == call.slot.output
            && row.slot.note == call.slot.note && !row.output.source().isEmpty();
        const bool sameState =
            row.slot.state == call.slot.state && row.slot.canBeUndone() == call.slot.canBeUndone();
        row.slot = call.slot;
        if (!sameOutput) {
            // A call without output of its own shows what Fermata says of it.
            QString text = call.slot.output;
            if (text.isEmpty()
                && (call.slot.state == ToolState::Failed || call.slot.state == ToolState::Denied))
                text = call.slot.note;
            while (text.endsWith(u'\n'))
                text.chop(1);
            row.output.setText(terminalText(text));
        }
        if (!sameState || wasOpen != isOpen(row) || (isOpen(row) && !sameOutput))
            setChanged();
    }
    int begin = 0;
    for (const auto &row : m_rows) {
        row->begin = begin;
        begin += int(row->title.size() + 1 + row->exact.display().size() + 1
                     + row->output.display().size() + 1);
    }
}

bool ToolCardPart::isOpen(const Row &row) const
{
    if (row.wish)
        return *row.wish;
    switch (row.slot.state) {
    case ToolState::Running:
    case ToolState::Interrupted:
    case ToolState::StillRunning:
        return true;
    default:
        return false;
    }
}

void ToolCardPart::toggle(int row)
{
    Row &toggled = *m_rows.at(size_t(row));
    toggled.wish = !isOpen(toggled);
    setChanged();
}

void ToolCardPart::showAll(int row)
{
    m_rows.at(size_t(row))->all = true;
    setChanged();
}

int ToolCardPart::gapAbove(const Part *previous) const
{
    return previous ? transcript::CardGap : 0;
}

int ToolCardPart::estimatedHeight(const TranscriptStyle &style, int) const
{
    int height = 1;
    for (const auto &row : m_rows) {
        height += style.scaled(transcript::ToolRow);
        if (isOpen(*row))
            height += int((std::min(row->exact.lineCount(), ArgumentLines)
                           + std::min(row->output.lineCount(), transcript::OutputLines))
                          * style.outputPitch)
                + 34;
    }
    return height;
}

void ToolCardPart::layOutRow(Row &row, const TranscriptStyle &style, int width)
{
    row.well = {};
    row.allRect = {};
    if (!isOpen(row)) {
        row.height = style.scaled(transcript::ToolRow);
        return;
    }
    const int head = style.scaled(transcript::ToolHead);
    const qreal inner = width - 2 * Padding - 2 * Padding;
    row.exact.setFont(style.output, style.outputPitch);
    row.output.setFont(style.output, style.outputPitch);
    row.exact.setWidth(MonoText::Wrap::Columns, inner);
    row.output.setWidth(MonoText::Wrap::Columns, inner);
    const int hiddenExact = row.all ? 0 : std::max(0, row.exact.lineCount() - ArgumentLines);
    const int hiddenOutput =
        row.all ? 0 : std::max(0, row.output.lineCount() - transcript::OutputLines);
    row.exact.showLines(0, row.exact.lineCount() - hiddenExact);
    row.output.showLines(hiddenOutput, -1);
    row.exactHeight = row.exact.source().isEmpty() ? 0 : row.exact.height();
    qreal y = row.exactHeight;
    if (hiddenExact + hiddenOutput > 0) {
        row.allRect =
            QRectF(2 * Padding, row.top + head + WellPaddingY + y, inner, style.outputPitch);
        y += style.outputPitch;
    }
    if (!row.output.source().isEmpty())
        y += row.output.height();
    else if (row.slot.state == ToolState::Running) // the cursor stands where the first output will
        y += style.outputPitch;
    y = std::max(y, style.outputPitch);
    row.well =
        QRectF(Padding, row.top + head, width - 2 * Padding, std::ceil(y) + 2 * WellPaddingY);
    row.height = head + int(row.well.height()) + Padding;
    if (!toolWarning(row.slot.state).isEmpty())
        row.height += int(style.controlPitch) + metrics::Space8;
}

int ToolCardPart::doLayout(const TranscriptStyle &style, int width)
{
    m_width = width;
    const QFontMetricsF metrics(style.control);
    m_stopWidth = int(metrics.horizontalAdvance(tr("Stop tool"))) + 44;
    m_undoWidth = int(metrics.horizontalAdvance(tr("Undo"))) + 24;
    int y = 0;
    for (const auto &row : m_rows) {
        row->top = y;
        layOutRow(*row, style, width);
        y += row->height + (row == m_rows.back() ? 0 : 1);
    }
    return y + 1;
}

void ToolCardPart::paint(QPainter *painter, const PartPaint &paint) const
{
    const TranscriptStyle &style = paint.style;
    const qreal line = metrics::hairline(style.pixelRatio);
    for (size_t i = 0; i < m_rows.size(); ++i) {
        const Row &row = *m_rows[i];
        const qreal top = paint.rect.top() + row.top;
        if (i > 0)
            painter->fillRect(QRectF(paint.rect.left(), top - 1, paint.rect.width(), line),
                              style.theme.line);
        if (top + row.height >= paint.clip.top() && top <= paint.clip.bottom())
            paintRow(painter, paint, row);
    }
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(style.theme.line, line));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(metrics::snapped(paint.rect, style.pixelRatio), metrics::RadiusCard,
                             metrics::RadiusCard);
    paintFocus(painter, paint);
}

void ToolCardPart::paintRow(QPainter *painter, const PartPaint &paint, const Row &row) const
{
    const TranscriptStyle &style = paint.style;
    const Theme &theme = style.theme;
    const bool open = isOpen(row);
    const QRectF head(paint.rect.left(), paint.rect.top() + row.top, paint.rect.width(),
                      style.scaled(open ? transcript::ToolHead : transcript::ToolRow));
    painter->setRenderHint(QPainter::Antialiasing);
    if (head.contains(paint.hover + paint.rect.topLeft()) && !open) {
        painter->save();
        painter->setClipRect(paint.rect.adjusted(1, 1, -1, -1), Qt::IntersectClip);
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.hover);
        painter->drawRoundedRect(head.adjusted(4, 3, -4, -3), metrics::RadiusField,
                                 metrics::RadiusField);
        painter->restore();
    }
    const qreal middle = head.center().y();
    paintMark(painter, toolMark(row.slot), MarkPlace::Tool,
              QRectF(head.left() + Padding, middle - MarkBox / 2.0, MarkBox, MarkBox), theme);

    const auto button = buttonPlace(row);
    qreal right = head.right() - ChevronSpace;
    if (button)
        right = paint.rect.left() + button->rect.left() - Padding;
    if (!button || button->kind != ButtonPlace::Kind::StopTool)
        paintIcon(painter, open ? Icon::ChevronDown : Icon::ChevronRight,
                  QRectF(head.right() - 25, middle - 8, 16, 16), theme.text);
    const QString state = toolStateText(row.slot, QDateTime::currentDateTimeUtc());
    const qreal stateWidth = metrics::steadyWidth(style.small, state);
    painter->setFont(style.small);
    painter->setPen(theme.text2);
    painter->drawText(QRectF(right - stateWidth, head.top(), stateWidth + 1, head.height()),
                      Qt::AlignRight | Qt::AlignVCenter, state);
    right -= stateWidth + Padding;

    const QFont &titleFont = open ? style.controlBold : style.control;
    const QFontMetricsF titleMetrics(titleFont);
    qreal x = head.left() + TextLeft;
    const QString title = titleMetrics.elidedText(row.title, Qt::ElideRight, right - x);
    painter->setFont(titleFont);
    painter->setPen(theme.text);
    painter->drawText(QRectF(x, head.top(), right - x, head.height()),
                      Qt::AlignLeft | Qt::AlignVCenter, title);
    x += titleMetrics.horizontalAdvance(title) + Padding;
    if (!open && right - x > 24) {
        painter->setFont(style.output);
        painter->setPen(theme.text2);
        painter->drawText(
            QRectF(x, head.top(), right - x, head.height()), Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetricsF(style.output).elidedText(row.summary, Qt::ElideRight, right - x));
    }
    if (open)
        paintWell(painter, paint, row);
}

void ToolCardPart::paintWell(QPainter *painter, const PartPaint &paint, const Row &row) const
{
    const TranscriptStyle &style = paint.style;
    const Theme &theme = style.theme;
    const QRectF well = row.well.translated(paint.rect.topLeft());
    painter->setPen(QPen(theme.line, metrics::hairline(style.pixelRatio)));
    painter->setBrush(theme.well);
    painter->drawRoundedRect(metrics::snapped(well, style.pixelRatio), metrics::RadiusField,
                             metrics::RadiusField);

    const int exactBegin = row.begin + int(row.title.size()) + 1;
    const int outputBegin = exactBegin + int(row.exact.display().size()) + 1;
    const auto lookAt = [&paint](int begin, int size, const QColor &color) {
        MonoText::Look look;
        look.color = color;
        look.selectedFrom = std::clamp(paint.selectedFrom - begin, 0, size);
        look.selectedTo = std::clamp(paint.selectedTo - begin, 0, size);
        return look;
    };
    QPointF origin = well.topLeft() + QPointF(Padding, WellPaddingY);
    painter->save();
    painter->setClipRect(well.adjusted(1, 1, -1, -1), Qt::IntersectClip);
    if (row.exactHeight > 0) {
        row.exact.paint(painter, origin, paint.clip, style,
                        lookAt(exactBegin, int(row.exact.display().size()), theme.text));
        origin.ry() += row.exactHeight;
    }
    if (!row.allRect.isEmpty()) {
        painter->setFont(style.small);
        painter->setPen(theme.accentText);
        const int lines = row.output.lineCount() + row.exact.lineCount();
        painter->drawText(row.allRect.translated(paint.rect.topLeft()),
                          Qt::AlignLeft | Qt::AlignVCenter, tr("Show all %1 lines").arg(lines));
        origin.ry() += style.outputPitch;
    }
    const bool running = row.slot.state == ToolState::Running;
    if (!row.output.source().isEmpty())
        row.output.paint(painter, origin, paint.clip, style,
                         lookAt(outputBegin, int(row.output.display().size()), theme.text2));
    if (running) {
        QRectF cursor;
        if (!row.output.source().isEmpty())
            cursor = row.output.cursorRect(int(row.output.display().size()));
        cursor = QRectF(cursor.left() + 1, cursor.top() + 2, 7, style.outputPitch - 4);
        painter->fillRect(cursor.translated(origin), theme.accentText);
    }
    painter->restore();

    const QString warning = toolWarning(row.slot.state);
    if (!warning.isEmpty()) {
        painter->setFont(style.control);
        painter->setPen(theme.text2);
        painter->drawText(
            QRectF(well.left(), well.bottom() + metrics::Space8, well.width(), style.controlPitch),
            Qt::AlignLeft | Qt::AlignVCenter, warning);
    }
}

std::optional<ToolCardPart::ButtonPlace> ToolCardPart::buttonPlace(const Row &row) const
{
    const bool open = isOpen(row);
    const bool running = row.slot.state == ToolState::Running && open;
    if (!running && !row.slot.canBeUndone())
        return std::nullopt;
    const int head = open ? int(row.well.top()) - row.top : row.height;
    const int width = running ? m_stopWidth : m_undoWidth;
    const int right = running ? m_width - Padding : m_width - ChevronSpace;
    return ButtonPlace{running ? ButtonPlace::Kind::StopTool : ButtonPlace::Kind::Undo, row.id,
                       row.title + u' ' + row.summary,
                       QRectF(right - width, row.top + (head - metrics::SmallButtonHeight) / 2,
                              width, metrics::SmallButtonHeight)};
}

std::vector<ToolCardPart::ButtonPlace> ToolCardPart::buttonPlaces() const
{
    std::vector<ButtonPlace> places;
    if (!isLaidOut())
        return places;
    for (const auto &row : m_rows) {
        if (const auto place = buttonPlace(*row))
            places.push_back(*place);
    }
    return places;
}

bool ToolCardPart::hasRunningRow() const
{
    return std::any_of(m_rows.begin(), m_rows.end(),
                       [](const auto &row) { return row->slot.state == ToolState::Running; });
}

std::vector<QRectF> ToolCardPart::runningRects() const
{
    std::vector<QRectF> rects;
    for (const auto &row : m_rows) {
        if (row->slot.state == ToolState::Running)
            rects.emplace_back(0, row->top, m_width, transcript::ToolHead * 2);
    }
    return rects;
}

int ToolCardPart::length() const
{
    if (m_rows.empty())
        return 0;
    const Row &last = *m_rows.back();
    return last.begin
        + int(last.title.size() + 1 + last.exact.display().size() + 1
              + last.output.display().size());
}

QString ToolCardPart::plainText(int from, int to) const
{
    QStringList lines;
    for (const auto &row : m_rows) {
        int at = row->begin;
        for (const QString &piece : {row->title, row->exact.display(), row->output.display()}) {
            const int size = int(piece.size());
            const int a = std::clamp(from - at, 0, size);
            const int b = std::clamp(to - at, 0, size);
            if (a < b)
                lines += piece.mid(a, b - a);
            at += size + 1;
        }
    }
    return lines.join(u'\n');
}

int ToolCardPart::positionAt(QPointF point) const
{
    for (const auto &row : m_rows) {
        if (point.y() >= row->top + row->height + 1 && row != m_rows.back())
            continue;
        const int exactBegin = row->begin + int(row->title.size()) + 1;
        const int outputBegin = exactBegin + int(row->exact.display().size()) + 1;
        if (!isOpen(*row) || point.y() < row->well.top())
            return point.x() < TextLeft ? row->begin : exactBegin - 1;
        const QPointF inside = point - row->well.topLeft() - QPointF(Padding, WellPaddingY);
        if (inside.y() < row->exactHeight)
            return exactBegin + row->exact.positionAt(inside);
        const qreal skipped = row->exactHeight + row->allRect.height();
        return outputBegin + row->output.positionAt(inside - QPointF(0, skipped));
    }
    return 0;
}

std::vector<PartTarget> ToolCardPart::targets() const
{
    std::vector<PartTarget> targets;
    for (size_t i = 0; i < m_rows.size(); ++i) {
        const Row &row = *m_rows[i];
        const qreal head = isOpen(row) ? row.well.top() - row.top : row.height;
        const auto button = buttonPlace(row);
        const qreal width = button && button->kind == ButtonPlace::Kind::StopTool
            ? button->rect.left() - Padding
            : m_width;
        QString name = row.title + u' ' + row.summary;
        if (row.slot.state != ToolState::Running) // whose time goes on
            name += u", "_s + toolStateText(row.slot, {});
        targets.push_back(
            {PartTarget::Kind::Fold, int(i) * 2, name, {QRectF(0, row.top, width, head)}});
        if (!row.allRect.isEmpty())
            targets.push_back(
                {PartTarget::Kind::Fold, int(i) * 2 + 1, tr("Show all"), {row.allRect}});
    }
    return targets;
}

} // namespace fermata

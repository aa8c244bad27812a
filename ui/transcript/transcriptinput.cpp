// SPDX-License-Identifier: GPL-3.0-or-later
// What the mouse and the keys do in a TranscriptView.
#include "ui/transcript/transcriptview.h"

#include "ui/style/metrics.h"
#include "ui/transcript/blockpart.h"
#include "ui/transcript/displaytext.h"
#include "ui/transcript/openexternal.h"
#include "ui/transcript/transcriptoverlay.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextBoundaryFinder>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace fermata {

namespace {

constexpr int WheelStep = 96; // of one notch
constexpr int LineStep = 44;

} // namespace

TranscriptView::Spot TranscriptView::spotAt(QPoint point)
{
    const QPoint inLayout = toLayout(point);
    for (const TranscriptLayout::Seen &seen : m_layout->seen(inLayout.y(), inLayout.y() + 1)) {
        if (inLayout.y() >= seen.rect.top() && inLayout.y() <= seen.rect.bottom())
            return {seen.row, seen.part, QPointF(inLayout - seen.rect.topLeft())};
    }
    return {};
}

std::optional<PartTarget> TranscriptView::targetAt(const Spot &spot, int *index) const
{
    const RowContent *content = m_layout->existingContent(spot.row);
    if (!content || spot.part < 0 || size_t(spot.part) >= content->parts().size())
        return {};
    const std::vector<PartTarget> targets = content->parts()[size_t(spot.part)].part->targets();
    for (size_t i = 0; i < targets.size(); ++i) {
        if (targets[i].contains(spot.inside)) {
            if (index)
                *index = int(i);
            return targets[i];
        }
    }
    return {};
}

void TranscriptView::updateSpot(const Spot &spot)
{
    if (!spot.isNull())
        viewport()->update(m_layout->partRect(spot.row, spot.part)
                               .translated(m_columnLeft, -m_position)
                               .adjusted(-4, -4, 4, 4));
}

void TranscriptView::setHover(const Spot &spot)
{
    updateSpot(m_hover);
    m_hover = spot;
    updateSpot(m_hover);
    const bool overTarget = targetAt(spot).has_value();
    const RowContent *content = m_layout->existingContent(spot.row);
    const Part *part = content && spot.part >= 0 && size_t(spot.part) < content->parts().size()
        ? content->parts()[size_t(spot.part)].part
        : nullptr;
    viewport()->setCursor(overTarget                       ? Qt::PointingHandCursor
                              : part && part->length() > 0 ? Qt::IBeamCursor
                                                           : Qt::ArrowCursor);
    const bool isAnswer =
        spot.row >= 0 && m_model->row(spot.row).kind == TranscriptRow::Kind::Answer;
    m_overlay->setHoverRow(isAnswer ? spot.row : -1);
}

void TranscriptView::activateTarget(int row, int part, const PartTarget &target)
{
    RowContent &content = m_layout->content(row);
    if (part < 0 || size_t(part) >= content.parts().size())
        return;
    const Part &object = *content.parts()[size_t(part)].part;
    switch (target.kind) {
    case PartTarget::Kind::Link:
        openExternal(this, object.linkAddress(target.index), object.linkLabel(target.index));
        break;
    case PartTarget::Kind::CopyCode:
        copyCode(row, part);
        break;
    case PartTarget::Kind::Fold: {
        // What was clicked stays where it is, and the rest makes room.
        TranscriptLayout::Anchor anchor{row, part, 0};
        anchor.offset = m_position - m_layout->positionOf(anchor);
        content.toggle(part, target.index);
        m_layout->updateRow(row);
        m_follows = false;
        m_position = m_layout->positionOf(anchor);
        settleAround(0);
        break;
    }
    case PartTarget::Kind::FootLink: {
        const FootPart *foot = content.foot();
        if (!foot)
            break;
        if (foot->text().link == FootText::Link::Details)
            emit detailsRequested(m_model->row(row).turn, foot->text().details);
        else
            emit limitLinkClicked(foot->text().limit.value_or(Limit::Turn));
        break;
    }
    case PartTarget::Kind::PreviousVersion:
        changeVersion(row, -1);
        break;
    case PartTarget::Kind::NextVersion:
        changeVersion(row, 1);
        break;
    }
}

void TranscriptView::copyCode(int row, int part)
{
    const RowContent &content = m_layout->content(row);
    const auto *block = dynamic_cast<const BlockPart *>(content.parts()[size_t(part)].part);
    if (block)
        QGuiApplication::clipboard()->setText(block->block().text.text);
}

// --- Mouse ---

void TranscriptView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const QPoint point = event->position().toPoint();
    m_focused = {};
    m_pressed = spotAt(point);
    m_dragged = false;
    m_selecting = true;
    const TextPosition position = m_layout->positionAt(toLayout(point));
    if (event->modifiers() & Qt::ShiftModifier)
        m_selection.moveTo(position);
    else
        m_selection.start(position);
    viewport()->update();
}

void TranscriptView::mouseMoveEvent(QMouseEvent *event)
{
    m_lastMouse = event->position().toPoint();
    if (!m_selecting || !(event->buttons() & Qt::LeftButton)) {
        setHover(spotAt(m_lastMouse));
        return;
    }
    m_selection.moveTo(m_layout->positionAt(toLayout(m_lastMouse)));
    m_dragged = m_dragged || !m_selection.isEmpty();
    const bool outside = m_lastMouse.y() < 0 || m_lastMouse.y() > viewport()->height();
    if (outside && !m_autoScroll.isActive())
        m_autoScroll.start();
    else if (!outside)
        m_autoScroll.stop();
    viewport()->update();
}

void TranscriptView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_autoScroll.stop();
    m_selecting = false;
    const Spot released = spotAt(event->position().toPoint());
    if (!m_dragged && released.row == m_pressed.row && released.part == m_pressed.part) {
        const std::optional<PartTarget> target = targetAt(released);
        const std::optional<PartTarget> pressed = targetAt(m_pressed);
        if (target && pressed && target->kind == pressed->kind && target->index == pressed->index)
            activateTarget(released.row, released.part, *target);
        return;
    }
    QClipboard *clipboard = QGuiApplication::clipboard();
    if (clipboard->supportsSelection() && !m_selection.isEmpty())
        clipboard->setText(selectedText(), QClipboard::Selection);
}

void TranscriptView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const QPoint point = event->position().toPoint();
    const Spot spot = spotAt(point);
    if (spot.isNull() || targetAt(spot))
        return mousePressEvent(event);
    selectWord(spot, point);
    m_dragged = true;
    m_selecting = true;
    viewport()->update();
}

void TranscriptView::selectWord(const Spot &spot, QPoint point)
{
    TextPosition at = m_layout->positionAt(toLayout(point));
    const Part &part = *m_layout->content(spot.row).parts()[size_t(spot.part)].part;
    const QString text = part.positionText();
    QTextBoundaryFinder finder(QTextBoundaryFinder::Word, text);
    finder.setPosition(std::clamp(at.offset, 0, int(text.size())));
    if (!finder.isAtBoundary() || at.offset == text.size())
        finder.toPreviousBoundary();
    TextPosition from = at;
    from.offset = std::max(0, int(finder.position()));
    finder.toNextBoundary();
    at.offset = finder.position() < 0 ? int(text.size()) : int(finder.position());
    m_selection.set(from, at);
}

void TranscriptView::autoScroll()
{
    const int height = viewport()->height();
    const int over = m_lastMouse.y() < 0 ? m_lastMouse.y() : std::max(0, m_lastMouse.y() - height);
    scrollBy(std::clamp(over, -200, 200));
    const QPoint edge(m_lastMouse.x(), std::clamp(m_lastMouse.y(), 0, height - 1));
    m_selection.moveTo(m_layout->positionAt(toLayout(edge)));
    viewport()->update();
}

void TranscriptView::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers() & Qt::ControlModifier) {
        if (event->angleDelta().y() != 0)
            emit zoomStepRequested(event->angleDelta().y() > 0 ? 1 : -1);
        event->accept();
        return;
    }
    QPoint delta = event->pixelDelta();
    if (delta.isNull())
        delta = event->angleDelta() * WheelStep / 120;
    if (event->modifiers() & Qt::ShiftModifier)
        delta = delta.transposed();
    event->accept();
    if (delta.x() != 0) {
        const Spot spot = spotAt(event->position().toPoint());
        RowContent *content = m_layout->existingContent(spot.row);
        if (content && spot.part >= 0 && size_t(spot.part) < content->parts().size()
            && content->parts()[size_t(spot.part)].part->scrollSideways(-delta.x()))
            updateSpot(spot);
    }
    if (delta.y() != 0) {
        scrollBy(-delta.y());
        setHover(spotAt(event->position().toPoint()));
    }
}

void TranscriptView::contextMenuEvent(QContextMenuEvent *event)
{
    const Spot spot = spotAt(event->pos());
    const std::optional<PartTarget> target = targetAt(spot);
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy"), this, &TranscriptView::copySelection)
        ->setEnabled(!m_selection.isEmpty());
    menu->addAction(tr("Quote in the message"), this, &TranscriptView::quoteSelection)
        ->setEnabled(!m_selection.isEmpty());
    if (target && target->kind == PartTarget::Kind::Link) {
        const QString address =
            m_layout->content(spot.row).parts()[size_t(spot.part)].part->linkAddress(target->index);
        menu->addAction(tr("Copy link address"), this,
                        [address] { QGuiApplication::clipboard()->setText(address); });
    }
    menu->addAction(tr("Select all"), this, &TranscriptView::selectAll);
    menu->popup(event->globalPos());
}

void TranscriptView::showLinkHint(const Spot &spot, QPoint global)
{
    const std::optional<PartTarget> target = targetAt(spot);
    if (!target || target->kind != PartTarget::Kind::Link) {
        QToolTip::hideText();
        return;
    }
    const Part &part = *m_layout->content(spot.row).parts()[size_t(spot.part)].part;
    // Tooltips take rich text by themselves; an address must stay what it is.
    const QString address = withControlsNamed(part.linkAddress(target->index)).left(300);
    QToolTip::showText(global,
                       address.toHtmlEscaped().prepend(QLatin1StringView("<p>"))
                           + QLatin1StringView("</p>"),
                       viewport());
}

bool TranscriptView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        showLinkHint(spotAt(help->pos()), help->globalPos());
        return true;
    }
    if (event->type() == QEvent::Leave && !viewport()->underMouse()) {
        updateSpot(m_hover);
        m_hover = {};
    }
    return QAbstractScrollArea::viewportEvent(event);
}

// --- Keys ---

void TranscriptView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy))
        return copySelection();
    if (event->matches(QKeySequence::SelectAll))
        return selectAll();
    const int page = std::max(LineStep, viewport()->height() - LineStep);
    switch (event->key()) {
    case Qt::Key_Up:
        return scrollBy(-LineStep);
    case Qt::Key_Down:
        return scrollBy(LineStep);
    case Qt::Key_PageUp:
        return scrollBy(-page);
    case Qt::Key_PageDown:
        return scrollBy(page);
    case Qt::Key_Home:
        return jumpTo(0);
    case Qt::Key_End:
        return scrollToEnd();
    case Qt::Key_Left:
    case Qt::Key_Right: {
        RowContent *content = m_layout->existingContent(m_focused.row);
        if (content && size_t(m_focused.part) < content->parts().size()) {
            content->parts()[size_t(m_focused.part)].part->scrollSideways(
                event->key() == Qt::Key_Left ? -LineStep : LineStep);
            viewport()->update();
        }
        return;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: {
        RowContent *content = m_layout->existingContent(m_focused.row);
        if (content && size_t(m_focused.part) < content->parts().size()) {
            const auto targets = content->parts()[size_t(m_focused.part)].part->targets();
            if (m_focused.target >= 0 && size_t(m_focused.target) < targets.size())
                return activateTarget(m_focused.row, m_focused.part,
                                      targets[size_t(m_focused.target)]);
        }
        break;
    }
    default:
        break;
    }
    event->ignore();
}

void TranscriptView::focusOutEvent(QFocusEvent *event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

// Tab goes through what can be activated in the part of the text that is seen, and then on to the buttons.
bool TranscriptView::focusNextPrevChild(bool next)
{
    if (hasFocus() && moveFocusedTarget(next))
        return true;
    m_focused = {};
    viewport()->update();
    return QAbstractScrollArea::focusNextPrevChild(next);
}

bool TranscriptView::moveFocusedTarget(bool next)
{
    std::vector<FocusedTarget> all;
    int current = -1;
    for (const TranscriptLayout::Seen &seen :
         m_layout->seen(m_position, m_position + viewport()->height())) {
        const std::vector<PartTarget> targets = seen.object->targets();
        for (size_t i = 0; i < targets.size(); ++i) {
            if (targets[i].rects.empty())
                continue;
            const int y = seen.rect.top() + int(targets[i].rects.front().center().y());
            if (y < m_position || y > m_position + viewport()->height())
                continue;
            if (seen.row == m_focused.row && seen.part == m_focused.part
                && int(i) == m_focused.target)
                current = int(all.size());
            all.push_back({seen.row, seen.part, int(i)});
        }
    }
    const int wanted = current < 0 ? (next ? 0 : -1) : current + (next ? 1 : -1);
    if (wanted < 0 || wanted >= int(all.size()))
        return false;
    m_focused = all[size_t(wanted)];
    viewport()->update();
    return true;
}

} // namespace fermata

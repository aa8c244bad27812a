// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptoverlay.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/text/statustext.h"
#include "ui/transcript/answeractions.h"
#include "ui/transcript/approvalcard.h"
#include "ui/transcript/transcriptview.h"

#include <QApplication>
#include <QPushButton>
#include <QScrollBar>

#include <set>

namespace fermata {

TranscriptOverlay::TranscriptOverlay(TranscriptView *view)
    : QObject(view), m_view(view),
      m_actions(new AnswerActions(AnswerActions::Size::Full, view->viewport())),
      m_hoverActions(new AnswerActions(AnswerActions::Size::Compact, view->viewport())),
      m_newText(new QPushButton(tr("New text"), view->viewport()))
{
    m_newText->setIcon(icon(Icon::Down));
    m_newText->setFixedHeight(metrics::SmallButtonHeight);
    m_newText->setAccessibleName(tr("New text"));
    for (QWidget *widget :
         {static_cast<QWidget *>(m_actions), static_cast<QWidget *>(m_hoverActions),
          static_cast<QWidget *>(m_newText)}) {
        widget->hide();
        widget->setCursor(Qt::ArrowCursor);
    }
    connect(m_newText, &QPushButton::clicked, this, &TranscriptOverlay::newTextClicked);
}

void TranscriptOverlay::setApproval(const std::optional<ApprovalRequest> &request)
{
    if (m_card) {
        // What is hidden with the focus hands it to whatever comes next in the window.
        if (m_card->isAncestorOf(QApplication::focusWidget()))
            m_view->setFocus(Qt::OtherFocusReason);
        m_card->hide();
        m_card->deleteLater();
        m_card = nullptr;
    }
    if (!request)
        return;
    m_card = new ApprovalCard(*request, m_view->viewport());
    m_card->setCursor(Qt::ArrowCursor);
    m_card->hide();
    connect(m_card, &ApprovalCard::answered, this, &TranscriptOverlay::approvalAnswered);
}

int TranscriptOverlay::approvalHeight(int width) const
{
    return m_card ? m_card->heightForWidth(width) : 0;
}

void TranscriptOverlay::setHoverRow(int row)
{
    if (m_hoverRow == row)
        return;
    m_hoverRow = row;
    placeHoverActions();
}

void TranscriptOverlay::place()
{
    placeLastActions();
    placeHoverActions();
    placeToolButtons();
    placeApproval();
    placeNewText();
}

// Also where it is not seen: it is found by assistive technology, and by the focus.
void TranscriptOverlay::placeApproval()
{
    if (!m_card)
        return;
    const int row = m_view->m_model->rowCount() - 1;
    RowContent *content = m_view->m_layout->existingContent(row);
    const int part = content ? content->placePart() : -1;
    if (part < 0) {
        m_card->hide();
        return;
    }
    m_card->setGeometry(m_view->m_layout->partRect(row, part).translated(
        m_view->columnLeft(), -m_view->scrollPosition()));
    m_card->show();
}

void TranscriptOverlay::placeActions(AnswerActions *actions, int row, const FootPart &foot,
                                     const QRect &rect)
{
    const TurnRecord &turn = m_view->m_model->record(row);
    const int last = m_view->m_model->rowCount() - 1;
    actions->setTurn(turn.id, endedEarly(turn), !m_view->m_model->record(last).isRunning());
    const int margin = AnswerActions::Margin;
    QRect place = foot.actionsRect()
                      .toAlignedRect()
                      .translated(rect.topLeft())
                      .translated(m_view->columnLeft(), -m_view->scrollPosition());
    if (actions == m_hoverActions)
        place.setLeft(place.right() - actions->sizeHint().width() + 2 * margin + 1);
    actions->setGeometry(place.adjusted(-margin, -margin, margin, margin));
    actions->show();
}

void TranscriptOverlay::placeLastActions()
{
    const int row = m_view->m_model->rowCount() - 1;
    RowContent *content = m_view->m_layout->existingContent(row);
    FootPart *foot = content ? content->foot() : nullptr;
    if (!foot || !foot->isLaidOut()) {
        m_actions->hide();
        return;
    }
    const QRect rect = m_view->m_layout->partRect(row, int(content->parts().size()) - 1);
    placeActions(m_actions, row, *foot, rect);
}

void TranscriptOverlay::placeHoverActions()
{
    const int last = m_view->m_model->rowCount() - 1;
    RowContent *content = m_view->m_layout->existingContent(m_hoverRow);
    FootPart *foot = content && m_hoverRow < last ? content->foot() : nullptr;
    if (!foot || !foot->isLaidOut()) {
        if (!m_hoverActions->isHidden())
            m_hoverActions->hide();
        return;
    }
    placeActions(m_hoverActions, m_hoverRow, *foot,
                 m_view->m_layout->partRect(m_hoverRow, int(content->parts().size()) - 1));
}

QPushButton *TranscriptOverlay::makeToolButton(const ToolCardPart::ButtonPlace &place)
{
    const bool stops = place.kind == ToolCardPart::ButtonPlace::Kind::StopTool;
    auto *button = stops ? new QPushButton(icon(Icon::Stop), tr("Stop tool"), m_view->viewport())
                         : new QPushButton(tr("Undo"), m_view->viewport());
    if (stops)
        setButtonKind(button, ButtonKind::Stop);
    else
        button->setToolTip(tr("Makes the file what it was before this call"));
    button->setAccessibleName(button->text());
    button->setAutoDefault(true);
    button->setCursor(Qt::ArrowCursor);
    connect(button, &QPushButton::clicked, this, [this, stops, call = place.call] {
        if (stops)
            emit stopToolClicked(call);
        else
            emit undoClicked(call);
    });
    return button;
}

void TranscriptOverlay::placeToolButtons()
{
    using Kind = ToolCardPart::ButtonPlace::Kind;
    std::set<ToolButton> wanted;
    const int top = m_view->scrollPosition();
    const int last = m_view->m_model->rowCount() - 1;
    const bool running = last >= 0 && m_view->m_model->record(last).isRunning();
    for (const auto &seen : m_view->m_layout->seen(top, top + m_view->viewport()->height())) {
        const auto *card = dynamic_cast<const ToolCardPart *>(seen.object);
        if (!card)
            continue;
        for (const ToolCardPart::ButtonPlace &place : card->buttonPlaces()) {
            if (place.kind == Kind::StopTool && !running)
                continue;
            const ToolButton key(place.kind, place.call);
            wanted.insert(key);
            QPushButton *&button = m_toolButtons[key];
            if (!button)
                button = makeToolButton(place);
            button->setEnabled(place.kind == Kind::StopTool || !running);
            button->setAccessibleDescription(place.title);
            button->setGeometry(place.rect.toAlignedRect()
                                    .translated(seen.rect.topLeft())
                                    .translated(m_view->columnLeft(), -top));
            button->show();
        }
    }
    for (auto it = m_toolButtons.begin(); it != m_toolButtons.end();) {
        if (wanted.count(it->first) == 0) {
            it->second->hide();
            it->second->deleteLater();
            it = m_toolButtons.erase(it);
        } else {
            ++it;
        }
    }
}

void TranscriptOverlay::placeNewText()
{
    const int last = m_view->m_model->rowCount() - 1;
    const bool wanted = !m_view->isAtEnd() && last >= 0 && m_view->m_hasNewText;
    m_newText->setVisible(wanted);
    if (!wanted)
        return;
    const QSize size = m_newText->sizeHint();
    const QRect viewport = m_view->viewport()->rect();
    m_newText->setGeometry(m_view->columnLeft() + m_view->m_layout->width() - size.width(),
                           viewport.bottom() - metrics::SmallButtonHeight - metrics::Space12,
                           size.width(), metrics::SmallButtonHeight);
    m_newText->raise();
}

} // namespace fermata

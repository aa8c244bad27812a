// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"

#include "ui/transcript/toolcardpart.h"

#include <QObject>

#include <map>
#include <optional>
#include <utility>

class QPushButton;
class QWidget;

namespace fermata {

class AnswerActions;
class ApprovalCard;
class FootPart;
class TranscriptView;

// The widgets that are laid over their places in the transcript: all that takes the focus. They move with the text.
class TranscriptOverlay final : public QObject
{
    Q_OBJECT

public:
    explicit TranscriptOverlay(TranscriptView *view);

    // Puts everything where it belongs now.
    void place();
    void setApproval(const std::optional<ApprovalRequest> &request);
    int approvalHeight(int width) const; // 0: there is none
    ApprovalCard *approvalCard() const { return m_card; }
    AnswerActions *actions() const { return m_actions; }
    AnswerActions *hoverActions() const { return m_hoverActions; }
    // The older answer that the pointer is over, or -1.
    void setHoverRow(int row);

signals:
    void newTextClicked();
    void approvalAnswered(const fermata::CallId &call, fermata::ApprovalDecision decision);
    void stopToolClicked(const fermata::CallId &call);
    void undoClicked(const fermata::CallId &call);

private:
    using ToolButton = std::pair<ToolCardPart::ButtonPlace::Kind, CallId>;

    void placeActions(AnswerActions *actions, int row, const FootPart &foot, const QRect &rect);
    void placeLastActions();
    void placeHoverActions();
    void placeToolButtons();
    QPushButton *makeToolButton(const ToolCardPart::ButtonPlace &place);
    void placeApproval();
    void placeNewText();

    TranscriptView *m_view;
    AnswerActions *m_actions;
    AnswerActions *m_hoverActions;
    QPushButton *m_newText;
    ApprovalCard *m_card = nullptr;
    std::map<ToolButton, QPushButton *> m_toolButtons;
    int m_hoverRow = -1;
};

} // namespace fermata

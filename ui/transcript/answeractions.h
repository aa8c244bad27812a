// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/ids.h"

#include <QWidget>

class QPushButton;

namespace fermata {

// Continue, Retry, Edit, Copy and Delete for one turn: the same in every end state. It stands 4 px out of its place on
// each side, where the focus ring goes.
class AnswerActions final : public QWidget
{
    Q_OBJECT

public:
    enum class Size { Full, Compact }; // compact: icons alone
    static constexpr int Margin = 4;

    explicit AnswerActions(Size size, QWidget *parent = nullptr);

    // `endedEarly`: Continue is what most want, and is filled. Without `isIdle` nothing that starts a turn can be pressed.
    void setTurn(const TurnId &turn, bool endedEarly, bool isIdle);
    const TurnId &turn() const { return m_turn; }
    QPushButton *continueButton() const { return m_continue; }

signals:
    void continueRequested(const fermata::TurnId &turn);
    void retryRequested(const fermata::TurnId &turn);
    void editRequested(const fermata::TurnId &turn);
    void copyRequested(const fermata::TurnId &turn);
    void deleteRequested(const fermata::TurnId &turn);

private:
    TurnId m_turn;
    Size m_size;
    QPushButton *m_continue;
    QPushButton *m_retry;
    QPushButton *m_edit;
    QPushButton *m_delete;
};

} // namespace fermata

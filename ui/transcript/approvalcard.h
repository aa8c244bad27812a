// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/turnevent.h"

#include <QTimer>
#include <QWidget>

#include <chrono>

class QGridLayout;
class QLabel;
class QPushButton;

namespace fermata {

class ExactText;

// Asks whether a tool may run, and shows exactly what. Deny is the default. What has just appeared, or moved under the
// pointer, cannot be allowed for half a second, so that nobody allows by a key that was meant for something else. Closing
// it denies.
class ApprovalCard final : public QWidget
{
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds InputGuard{500};

    explicit ApprovalCard(const ApprovalRequest &request, QWidget *parent = nullptr);

    const ApprovalRequest &request() const { return m_request; }
    bool isArmed() const; // an answer would count now
    void focusDeny();

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void answered(const fermata::CallId &call, fermata::ApprovalDecision decision);

protected:
    void paintEvent(QPaintEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void moveEvent(QMoveEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void answer(ApprovalDecision decision);
    void offerAlways();
    void updateAllow();
    void guardAgain();
    void addFact(QGridLayout *grid, const QString &label, const QString &value);

    ApprovalRequest m_request;
    QTimer m_guardEnd; // runs since the card last appeared or moved
    ExactText *m_exact;
    QLabel *m_scrollHint;
    QPushButton *m_allow;
    QPushButton *m_always;
    QPushButton *m_deny;
    bool m_answered = false;
};

} // namespace fermata

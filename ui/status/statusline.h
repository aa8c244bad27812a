// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/statustext.h"

#include <QWidget>

class QPushButton;

namespace fermata {

class BusyArc;

// The line between transcript and composer: what the running turn is at, and the limit that ends next. Always there, so
// that nothing jumps. It is told what to show; it has no clock of its own.
class StatusLine final : public QWidget
{
    Q_OBJECT

public:
    // What "Extend" gives.
    static constexpr std::chrono::minutes Extension{5};

    explicit StatusLine(QWidget *parent = nullptr);

    void setText(const StatusText &text);
    const StatusText &text() const { return m_text; }
    // Offers "Show question" instead of the words about limits.
    void setQuestionHidden(bool isHidden);

    QSize sizeHint() const override;

signals:
    void extendRequested(fermata::Limit limit);
    void showQuestionRequested();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Layout;
    Layout layoutFor(const QRect &column) const;
    QRect columnRect() const;
    void placeChildren();
    void announce(const QString &before);

    StatusText m_text;
    BusyArc *m_arc;
    QPushButton *m_extend;
    QPushButton *m_showQuestion;
};

} // namespace fermata

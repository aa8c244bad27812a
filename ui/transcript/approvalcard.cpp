// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/approvalcard.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/transcript/displaytext.h"
#include "ui/transcript/exacttext.h"
#include "ui/widgets/textlabel.h"

#include <QCloseEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int PaddingX = 16;
constexpr int PaddingY = 12;
constexpr int HeadHeight = 20;
constexpr int FactColumn = 84;

} // namespace

ApprovalCard::ApprovalCard(const ApprovalRequest &request, QWidget *parent)
    : QWidget(parent), m_request(request), m_exact(new ExactText(this)),
      m_scrollHint(new TextLabel(tr("Scroll to the end to allow it."), metrics::FontStep::Small,
                                 TextLabel::Tone::Text2, this)),
      m_allow(new QPushButton(tr("Allow once"), this)),
      m_always(new QPushButton(tr("Always allow…"), this)),
      m_deny(new QPushButton(tr("Deny"), this))
{
    const QString exact = withControlsNamed(m_request.exactText, TextUse::Asked);
    setAccessibleName(withControlsNamed(m_request.question, TextUse::Asked));
    setAccessibleDescription(exact);
    m_exact->setAccessibleName(tr("What will run"));
    m_exact->setAccessibleDescription(exact);
    m_exact->setText(exact, m_request.isDiff ? ExactText::Kind::Diff : ExactText::Kind::Plain);
    m_allow->setAccessibleName(tr("Allow once"));
    m_always->setAccessibleName(tr("Always allow"));
    m_deny->setAccessibleName(tr("Deny"));
    setButtonKind(m_deny, ButtonKind::SafeDefault);

    auto *facts = new QGridLayout;
    facts->setContentsMargins(0, 0, 0, 0);
    facts->setHorizontalSpacing(0);
    facts->setVerticalSpacing(2);
    facts->setColumnMinimumWidth(0, FactColumn);
    facts->setColumnStretch(1, 1);
    for (const auto &[label, value] : m_request.facts)
        addFact(facts, label, value);
    if (!m_request.alwaysPattern.isEmpty() && m_request.alwaysPattern != m_request.exactText)
        addFact(facts, tr("Always"), m_request.alwaysPattern);

    auto *buttons = new QHBoxLayout;
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(metrics::Space8);
    buttons->addWidget(m_scrollHint);
    buttons->addStretch();
    for (QPushButton *button : {m_allow, m_always, m_deny}) {
        button->setFixedHeight(metrics::ButtonHeight);
        button->setAutoDefault(true); // Enter presses the one that has the focus
        button->installEventFilter(this);
        buttons->addWidget(button);
    }
    m_deny->setMinimumWidth(FactColumn);
    m_always->setVisible(!m_request.alwaysPattern.isEmpty());

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(PaddingX, PaddingY + HeadHeight + metrics::Space8, PaddingX,
                               PaddingX);
    layout->setSpacing(metrics::Space8);
    layout->addWidget(m_exact);
    if (facts->count() > 0)
        layout->addLayout(facts);
    layout->addSpacing(metrics::Space4);
    layout->addLayout(buttons);

    connect(m_exact, &ExactText::endReached, this, &ApprovalCard::updateAllow);
    connect(m_allow, &QPushButton::clicked, this, [this] { answer(ApprovalDecision::AllowOnce); });
    connect(m_always, &QPushButton::clicked, this, &ApprovalCard::offerAlways);
    connect(m_deny, &QPushButton::clicked, this, [this] { answer(ApprovalDecision::Deny); });
    m_guardEnd.setSingleShot(true);
    m_guardEnd.setInterval(InputGuard);
    connect(&m_guardEnd, &QTimer::timeout, this, &ApprovalCard::updateAllow);
    guardAgain();
}

void ApprovalCard::guardAgain()
{
    m_guardEnd.start();
    updateAllow();
}

void ApprovalCard::addFact(QGridLayout *grid, const QString &label, const QString &value)
{
    const int row = grid->rowCount();
    auto *name = new TextLabel(withControlsNamed(label, TextUse::Asked), metrics::FontStep::Control,
                               TextLabel::Tone::Text2, this);
    auto *text = new TextLabel(withControlsNamed(value, TextUse::Asked), metrics::FontStep::Control,
                               TextLabel::Tone::Text, this);
    text->setWordWrap(true);
    grid->addWidget(name, row, 0, Qt::AlignTop);
    grid->addWidget(text, row, 1);
}

bool ApprovalCard::isArmed() const
{
    return !m_answered && isVisible() && !m_guardEnd.isActive();
}

void ApprovalCard::focusDeny()
{
    m_deny->setFocus(Qt::OtherFocusReason);
}

int ApprovalCard::heightForWidth(int width) const
{
    return layout()->totalHeightForWidth(width);
}

void ApprovalCard::updateAllow()
{
    const bool seen = m_exact->isWhollyVisible() || m_exact->wasEndReached();
    const bool still = !m_guardEnd.isActive();
    m_allow->setEnabled(seen && still);
    m_always->setEnabled(seen && still);
    m_scrollHint->setVisible(!seen);
}

void ApprovalCard::answer(ApprovalDecision decision)
{
    // To deny is safe at any moment; to allow is not.
    if (m_answered || (decision != ApprovalDecision::Deny && !isArmed()))
        return;
    m_answered = true;
    emit answered(m_request.call, decision);
}

// Who closes a question has not allowed anything. Merely hidden, because another conversation is shown, it stays open.
void ApprovalCard::closeEvent(QCloseEvent *event)
{
    answer(ApprovalDecision::Deny);
    QWidget::closeEvent(event);
}

void ApprovalCard::offerAlways()
{
    if (!isArmed())
        return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("For this conversation"), this,
                    [this] { answer(ApprovalDecision::AllowInConversation); });
    menu->addAction(tr("Always"), this, [this] { answer(ApprovalDecision::AllowAlways); });
    menu->popup(m_always->mapToGlobal(QPoint(0, m_always->height() + metrics::Space4)));
}

// A key that is held down since before the card appeared is no answer to it.
bool ApprovalCard::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->isAutoRepeat()) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Space)
            return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ApprovalCard::showEvent(QShowEvent *event)
{
    guardAgain();
    QWidget::showEvent(event);
}

void ApprovalCard::moveEvent(QMoveEvent *event)
{
    guardAgain();
    QWidget::moveEvent(event);
}

void ApprovalCard::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    guardAgain();
}

void ApprovalCard::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.amberBorder, metrics::hairline(devicePixelRatioF())));
    painter.setBrush(theme.base);
    painter.drawRoundedRect(metrics::snapped(QRectF(rect()), devicePixelRatioF()),
                            metrics::RadiusCard, metrics::RadiusCard);
    const QRectF head(PaddingX, PaddingY, width() - 2 * PaddingX, HeadHeight);
    paintIcon(&painter, Icon::Ask, QRectF(head.left(), head.center().y() - 8, 16, 16), theme.amber);
    painter.setFont(metrics::font(metrics::FontStep::ControlBold));
    painter.setPen(theme.text);
    painter.drawText(head.adjusted(metrics::Space24, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     withControlsNamed(m_request.question, TextUse::Asked));
}

} // namespace fermata

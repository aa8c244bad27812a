// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/answeractions.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"

#include <QHBoxLayout>
#include <QPushButton>

namespace fermata {

namespace {

QPushButton *makeButton(AnswerActions::Size size, const QString &word, Icon which, QWidget *parent)
{
    auto *button = new QPushButton(parent);
    const bool full = size == AnswerActions::Size::Full;
    button->setIcon(icon(which));
    button->setAccessibleName(word);
    button->setAutoDefault(true); // Enter presses it
    setButtonKind(button, ButtonKind::Flat);
    if (full) {
        button->setText(word);
        button->setFixedHeight(metrics::ButtonHeight);
    } else {
        button->setToolTip(word);
        button->setFixedSize(metrics::SmallButtonHeight, metrics::SmallButtonHeight);
    }
    return button;
}

} // namespace

AnswerActions::AnswerActions(Size size, QWidget *parent)
    : QWidget(parent), m_size(size),
      m_continue(makeButton(size, tr("Continue"), Icon::Continue, this)),
      m_retry(makeButton(size, tr("Retry"), Icon::Retry, this)),
      m_edit(makeButton(size, tr("Edit"), Icon::Edit, this)), m_delete(nullptr)
{
    QPushButton *copy = makeButton(size, tr("Copy"), Icon::Copy, this);
    m_delete = makeButton(size, tr("Delete"), Icon::Delete, this);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(Margin, Margin, Margin, Margin);
    layout->setSpacing(size == Size::Full ? metrics::Space4 : 0);
    for (QPushButton *button : {m_continue, m_retry, m_edit, copy, m_delete})
        layout->addWidget(button);
    layout->addStretch();

    connect(m_continue, &QPushButton::clicked, this, [this] { emit continueRequested(m_turn); });
    connect(m_retry, &QPushButton::clicked, this, [this] { emit retryRequested(m_turn); });
    connect(m_edit, &QPushButton::clicked, this, [this] { emit editRequested(m_turn); });
    connect(copy, &QPushButton::clicked, this, [this] { emit copyRequested(m_turn); });
    connect(m_delete, &QPushButton::clicked, this, [this] { emit deleteRequested(m_turn); });
}

void AnswerActions::setTurn(const TurnId &turn, bool endedEarly, bool isIdle)
{
    m_turn = turn;
    const ButtonKind kind =
        endedEarly && m_size == Size::Full ? ButtonKind::Main : ButtonKind::Flat;
    if (buttonKindOf(m_continue) != kind)
        setButtonKind(m_continue, kind);
    for (QPushButton *button : {m_continue, m_retry, m_edit, m_delete})
        button->setEnabled(isIdle);
}

} // namespace fermata

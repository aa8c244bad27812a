// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/keyfield.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>

namespace fermata {

namespace {
constexpr int LongestKey = 4096;
} // namespace

KeyField::KeyField(QWidget *parent) : QLineEdit(parent)
{
    setEchoMode(QLineEdit::Password);
    setMaxLength(LongestKey);
    setDragEnabled(false);
    setInputMethodHints(Qt::ImhHiddenText | Qt::ImhSensitiveData | Qt::ImhNoPredictiveText
                        | Qt::ImhNoAutoUppercase);
}

Secret KeyField::secret() const
{
    return Secret(text().trimmed().toUtf8());
}

Secret KeyField::takeSecret()
{
    Secret taken = secret();
    // setText() empties the history of edits as well, unlike clear().
    setText({});
    return taken;
}

void KeyField::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo)
        || event->matches(QKeySequence::Copy) || event->matches(QKeySequence::Cut)) {
        event->accept();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void KeyField::contextMenuEvent(QContextMenuEvent *event)
{
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Paste"), this, &QLineEdit::paste);
    menu->popup(event->globalPos());
}

} // namespace fermata

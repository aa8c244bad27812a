// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/searchfield.h"

#include "ui/sidebar/sidebarmetrics.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"

#include <QKeyEvent>
#include <QPainter>

namespace fermata {

namespace {
constexpr int LongestSearch = 200;
constexpr int TextInset = 13; // where the style puts the text of a field, with the field's own 2 px
} // namespace

SearchField::SearchField(QWidget *parent) : QLineEdit(parent)
{
    setPlaceholderText(tr("Search conversations"));
    setAccessibleName(tr("Search conversations"));
    setFont(metrics::font(metrics::FontStep::Control));
    setMaxLength(LongestSearch);
    if (layoutDirection() == Qt::RightToLeft)
        setTextMargins(0, 0, sidebar::TextLeft - TextInset, 0);
    else
        setTextMargins(sidebar::TextLeft - TextInset, 0, 0, 0);
}

bool SearchField::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape && !text().isEmpty()) {
            event->accept();
            return true;
        }
        if (key->modifiers() == Qt::ControlModifier && key->key() == Qt::Key_K) {
            event->ignore();
            return false;
        }
    }
    return QLineEdit::event(event);
}

void SearchField::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        clear();
        emit left();
        return;
    }
    if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Return
        || event->key() == Qt::Key_Enter) {
        emit downRequested();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void SearchField::paintEvent(QPaintEvent *event)
{
    QLineEdit::paintEvent(event);
    QPainter painter(this);
    const QRect box(sidebar::IconLeft, (height() - metrics::IconSize) / 2, metrics::IconSize,
                    metrics::IconSize);
    paintIcon(&painter, Icon::Search, QStyle::visualRect(layoutDirection(), rect(), box),
              themeOf(this).text2);
}

} // namespace fermata

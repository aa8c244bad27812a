// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/paneheader.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>

namespace fermata {

namespace {
constexpr int LongestTitle = 200;
constexpr int LongestMeasured = 300;
} // namespace

PaneHeader::PaneHeader(QWidget *parent)
    : QWidget(parent), m_edit(new QLineEdit(this)), m_sidebar(new QToolButton(this)),
      m_more(new QToolButton(this))
{
    setFixedHeight(metrics::HeaderHeight);
    // The title itself would be found in place of the button of the same name.
    setAccessibleName(tr("Conversation title"));
    m_edit->setMaxLength(LongestTitle);
    m_edit->setFont(metrics::font(metrics::FontStep::Title));
    m_edit->setAccessibleName(tr("Title"));
    m_edit->installEventFilter(this);
    m_edit->hide();
    m_sidebar->setIcon(icon(Icon::Sidebar));
    m_sidebar->setAccessibleName(tr("Show conversations"));
    m_sidebar->setToolTip(tr("Show conversations"));
    m_sidebar->setFocusPolicy(Qt::TabFocus);
    m_sidebar->hide();
    m_more->setIcon(icon(Icon::More));
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setAccessibleName(tr("More"));
    m_more->setToolTip(tr("More"));
    m_more->setFocusPolicy(Qt::TabFocus);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(metrics::Space12, 0, metrics::Space12, 0);
    layout->setSpacing(metrics::Space8);
    layout->addWidget(m_sidebar);
    layout->addWidget(m_edit, 1);
    layout->addStretch();
    layout->addWidget(m_more);
    connect(m_edit, &QLineEdit::returnPressed, this, [this] { endEditing(Edit::Take); });
    connect(m_sidebar, &QToolButton::clicked, this, &PaneHeader::sidebarRequested);
}

void PaneHeader::setTitle(const QString &title)
{
    m_title = title.left(LongestMeasured).simplified();
    setAccessibleDescription(m_title);
    update();
}

void PaneHeader::editTitle()
{
    m_edit->setText(m_title);
    m_edit->selectAll();
    m_edit->show();
    m_edit->setFocus(Qt::OtherFocusReason);
    update();
}

void PaneHeader::setMenu(QMenu *menu)
{
    m_more->setMenu(menu);
}

void PaneHeader::setSidebarButtonVisible(bool isVisible)
{
    m_sidebar->setVisible(isVisible);
    update();
}

void PaneHeader::endEditing(Edit edit)
{
    if (m_edit->isHidden())
        return;
    const QString title = m_edit->text().simplified();
    m_edit->hide();
    update();
    if (edit == Edit::Take && !title.isEmpty() && title != m_title)
        emit titleEdited(title);
    emit editingEnded();
}

bool PaneHeader::eventFilter(QObject *watched, QEvent *event)
{
    // Esc leaves the title as it was, and is no Stop then.
    const bool isKey =
        event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress;
    if (isKey && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        if (event->type() == QEvent::KeyPress)
            endEditing(Edit::Drop);
        event->accept();
        return true;
    }
    if (event->type() == QEvent::FocusOut)
        endEditing(Edit::Take);
    return QWidget::eventFilter(watched, event);
}

QRect PaneHeader::titleRect() const
{
    const int left = m_sidebar->isVisible()
        ? metrics::Space12 + metrics::ButtonHeight + metrics::Space8
        : metrics::Space24;
    return {left, 0, width() - left - metrics::ButtonHeight - metrics::Space24, height() + 1};
}

void PaneHeader::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    const qreal line = metrics::hairline(devicePixelRatioF());
    painter.fillRect(QRectF(0, height() - line, width(), line), theme.line);
    if (m_edit->isVisible())
        return;
    const QFont font = metrics::font(metrics::FontStep::Title);
    const QRect area = titleRect();
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(
        QStyle::visualRect(layoutDirection(), rect(), area),
        int(QStyle::visualAlignment(layoutDirection(), Qt::AlignLeft | Qt::AlignVCenter))
            | Qt::TextSingleLine,
        QFontMetrics(font).elidedText(m_title, Qt::ElideRight, area.width()));
}

} // namespace fermata

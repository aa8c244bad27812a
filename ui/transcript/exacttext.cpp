// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/exacttext.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/transcript/transcriptstyle.h"

#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int PaddingX = 12;
constexpr int PaddingY = 8;
constexpr int ScrolledLines = 20; // that are seen at once of a text that scrolls
constexpr int ScrollBarSpace = 12;

} // namespace

ExactText::ExactText(QWidget *parent) : QAbstractScrollArea(parent)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    viewport()->setAutoFillBackground(false);
    applyFont();
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] {
        viewport()->update();
        checkEnd();
    });
}

void ExactText::applyFont()
{
    const QFont font = metrics::fixedFont(metrics::FixedStep::Output);
    m_text.setFont(font, metrics::linePitch(font, metrics::Pitch::Output));
}

void ExactText::setText(const QString &text, Kind kind)
{
    // The last line of a diff ends as all do, and no empty one follows it.
    m_text.setText(kind == Kind::Diff && text.endsWith(u'\n') ? text.chopped(1) : text);
    m_text.setSpans(kind == Kind::Diff ? highlightCode(u"diff"_s, m_text.display())
                                       : std::vector<CodeSpan>());
    m_endReached = false;
    verticalScrollBar()->setValue(0);
    updateGeometry();
    viewport()->update();
}

void ExactText::layOut(int width) const
{
    m_text.setWidth(MonoText::Wrap::Columns, width - 2 * PaddingX - ScrollBarSpace);
}

bool ExactText::isWhollyVisible() const
{
    return m_text.lineCount() <= MostOpen;
}

int ExactText::heightForWidth(int width) const
{
    layOut(width);
    const int lines = m_text.lineCount() <= MostOpen ? m_text.lineCount() : ScrolledLines;
    const qreal pitch = m_text.height() / std::max(1, m_text.lineCount());
    return int(std::ceil(lines * pitch)) + 2 * PaddingY;
}

QSize ExactText::sizeHint() const
{
    return QSize(400, heightForWidth(400));
}

void ExactText::resizeEvent(QResizeEvent *)
{
    layOut(width());
    const int content = int(std::ceil(m_text.height())) + 2 * PaddingY;
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(18);
    verticalScrollBar()->setRange(
        0, isWhollyVisible() ? 0 : std::max(0, content - viewport()->height()));
    setFocusPolicy(isWhollyVisible() ? Qt::NoFocus : Qt::StrongFocus);
    checkEnd();
}

void ExactText::checkEnd()
{
    const bool atEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
    if (m_endReached || !atEnd || viewport()->height() <= 0 || !isVisible())
        return;
    m_endReached = true;
    emit endReached();
}

void ExactText::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::ApplicationFontChange) {
        applyFont();
        updateGeometry();
    }
    QAbstractScrollArea::changeEvent(event);
}

// At its ends the wheel moves what is around it.
void ExactText::wheelEvent(QWheelEvent *event)
{
    if (isWhollyVisible())
        event->ignore();
    else
        QAbstractScrollArea::wheelEvent(event);
}

void ExactText::paintEvent(QPaintEvent *event)
{
    TranscriptStyle style;
    style.theme = themeOf(this);
    style.pixelRatio = devicePixelRatioF();
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? style.theme.ring : style.theme.line,
                        metrics::hairline(style.pixelRatio)));
    painter.setBrush(style.theme.well);
    painter.drawRoundedRect(metrics::snapped(QRectF(viewport()->rect()), style.pixelRatio),
                            metrics::RadiusField, metrics::RadiusField);
    painter.setClipRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1), Qt::IntersectClip);
    MonoText::Look look;
    look.color = style.theme.text;
    m_text.paint(&painter, QPointF(PaddingX, PaddingY - verticalScrollBar()->value()),
                 QRectF(event->rect()), style, look);
}

} // namespace fermata

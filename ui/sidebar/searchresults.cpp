// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/sidebar/searchresults.h"

#include "ui/sidebar/sidebarmetrics.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/style/stylepainter.h"

#include <QPainter>
#include <QRegularExpression>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {
constexpr int LongestShown = 300; // characters that are measured at all
constexpr int LineHeight = 20;
constexpr qsizetype MostBeforeHit = 16; // characters

// The line is short: what was found has to stand near its beginning.
QString withHitInView(const QString &snippet, const QString &words)
{
    static const QRegularExpression between(u"[^\\p{L}\\p{N}_]+"_s);
    qsizetype hit = -1;
    for (const QString &word : words.split(between, Qt::SkipEmptyParts)) {
        const qsizetype at = snippet.indexOf(word, 0, Qt::CaseInsensitive);
        if (at >= 0 && (hit < 0 || at < hit))
            hit = at;
    }
    if (hit <= MostBeforeHit)
        return snippet;
    const qsizetype gap = snippet.indexOf(u' ', hit - MostBeforeHit);
    return u'…' + snippet.sliced(gap >= 0 && gap < hit ? gap + 1 : hit);
}

} // namespace

void SearchResultsModel::setHits(std::vector<LibraryHit> hits, const QString &words)
{
    beginResetModel();
    m_hits = std::move(hits);
    for (LibraryHit &hit : m_hits)
        hit.snippet = withHitInView(hit.snippet, words);
    endResetModel();
}

const LibraryHit *SearchResultsModel::hit(const QModelIndex &index) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return nullptr;
    return &m_hits[std::size_t(index.row())];
}

int SearchResultsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : int(m_hits.size());
}

QVariant SearchResultsModel::data(const QModelIndex &index, int role) const
{
    const LibraryHit *found = hit(index);
    if (!found)
        return {};
    if (role == Qt::DisplayRole)
        return found->title.left(LongestShown).simplified();
    if (role == Qt::AccessibleTextRole)
        return QString(found->title.left(LongestShown).simplified() + u", "_s
                       + found->snippet.left(LongestShown).simplified());
    return {};
}

void SearchResultsDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                                  const QModelIndex &index) const
{
    const auto *model = qobject_cast<const SearchResultsModel *>(index.model());
    const LibraryHit *hit = model ? model->hit(index) : nullptr;
    if (!hit)
        return;
    const Theme &theme = themeOf(option.widget);
    const QRect rect = option.rect;
    painter->save();
    if (option.state & QStyle::State_Selected)
        stylepainter::paintFrame(painter, rect, metrics::RadiusField, theme.selection, {});
    else if (option.state & QStyle::State_MouseOver)
        stylepainter::paintFrame(painter, rect, metrics::RadiusField, theme.hover, {});
    if (option.state & QStyle::State_HasFocus && option.state & QStyle::State_KeyboardFocusChange)
        stylepainter::paintRing(painter, rect, metrics::RadiusField, theme.ring);
    const auto line = [&](int top, int height, const QFont &font, const QColor &color,
                          const QString &text) {
        const QRect box(rect.left() + sidebar::TextLeft, top,
                        rect.width() - sidebar::TextLeft - sidebar::RightInset, height);
        painter->setFont(font);
        painter->setPen(color);
        painter->drawText(
            QStyle::visualRect(option.direction, rect, box),
            int(QStyle::visualAlignment(option.direction, Qt::AlignLeft | Qt::AlignVCenter))
                | Qt::TextSingleLine,
            QFontMetrics(font).elidedText(text.left(LongestShown).simplified(), Qt::ElideRight,
                                          box.width()));
    };
    const int half = (rect.height() - metrics::Space8) / 2;
    line(rect.top() + metrics::Space4, half, metrics::font(metrics::FontStep::Control), theme.text,
         hit->title);
    line(rect.top() + metrics::Space4 + half, half, metrics::font(metrics::FontStep::Small),
         theme.text2, hit->snippet);
    painter->restore();
}

QSize SearchResultsDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &) const
{
    const int line = std::max(LineHeight, option.fontMetrics.height() + 2);
    return {metrics::SidebarLeast, 2 * line + metrics::Space8};
}

} // namespace fermata

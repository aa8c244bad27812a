// SPDX-License-Identifier: GPL-3.0-or-later
#include "blockdump.h"

#include <QStringList>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString flagNames(const MarkdownRun &run, const MarkdownText &text)
{
    QStringList names;
    const std::pair<MarkdownRun::Flag, QString> known[] = {
        {MarkdownRun::Bold, u"bold"_s},     {MarkdownRun::Italic, u"italic"_s},
        {MarkdownRun::Strike, u"strike"_s}, {MarkdownRun::Code, u"code"_s},
        {MarkdownRun::Chip, u"chip"_s},
    };
    for (const auto &[flag, name] : known) {
        if (run.flags & flag)
            names += name;
    }
    if (run.flags & MarkdownRun::Link)
        names += u"link "_s + text.links.value(run.link);
    return names.join(u'+');
}

QString levels(const MarkdownBlock &block)
{
    QString names;
    for (int i = 0; i < block.depth; ++i) {
        switch (block.levels[size_t(i)]) {
        case MarkdownBlock::Level::Bullets:
            names += u'*';
            break;
        case MarkdownBlock::Level::Numbers:
            names += u'1';
            break;
        case MarkdownBlock::Level::Quote:
            names += u'>';
            break;
        }
    }
    return names;
}

} // namespace

QString dump(const MarkdownText &text)
{
    QString shown;
    int at = 0;
    for (const MarkdownRun &run : text.runs) {
        shown += text.text.mid(at, run.start - at);
        at = run.start + run.length;
        if (!(run.flags & MarkdownRun::Pad))
            shown += u"<%1|%2>"_s.arg(flagNames(run, text), text.text.mid(run.start, run.length));
    }
    shown += text.text.mid(at);
    shown.replace(QChar::LineSeparator, u"\\n"_s);
    return shown;
}

QString dump(const MarkdownBlocks &blocks)
{
    QStringList lines;
    for (const MarkdownBlock &block : blocks) {
        QString line = levels(block);
        if (!block.marker.isEmpty())
            line += u"[%1]"_s.arg(block.marker);
        if (block.continued)
            line += u'+';
        if (!line.isEmpty())
            line += u' ';
        switch (block.kind) {
        case MarkdownBlock::Kind::Text:
            line += dump(block.text);
            break;
        case MarkdownBlock::Kind::Heading:
            line += u"h%1 "_s.arg(block.heading) + dump(block.text);
            break;
        case MarkdownBlock::Kind::Code:
            line += u"code(%1) "_s.arg(block.language)
                + QString(block.text.text).replace(u'\n', u"\\n"_s);
            break;
        case MarkdownBlock::Kind::Rule:
            line += u"rule"_s;
            break;
        case MarkdownBlock::Kind::Table:
            line += u"table"_s;
            for (const auto &row : block.table.rows) {
                QStringList cells;
                for (const MarkdownText &cell : row)
                    cells += dump(cell);
                line += u" ("_s + cells.join(u',') + u')';
            }
            break;
        }
        lines += line;
    }
    return lines.join(u'\n');
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/markdownparser.h"

#include "ui/transcript/displaytext.h"
#include "ui/transcript/htmlentity.h"
#include "ui/transcript/markdownsplit.h"

#include <md4c.h>

#include <algorithm>
#include <utility>

namespace fermata {

namespace {

using namespace Qt::StringLiterals;

constexpr unsigned ParserFlags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS
    | MD_FLAG_PERMISSIVEURLAUTOLINKS | MD_FLAG_NOHTML;

// Air around inline code: narrow enough to be squeezed to the padding by the layout.
constexpr QChar PadCharacter(0x00a0);

// Receives what md4c finds and keeps it as blocks. A block that is open takes text; everything that is no text
// closes it.
class BlockBuilder final
{
public:
    BlockBuilder(QByteArrayView source, qsizetype base) : m_source(source), m_base(base) { }

    bool enterBlock(MD_BLOCKTYPE type, void *detail);
    void leaveBlock(MD_BLOCKTYPE type);
    void enterSpan(MD_SPANTYPE type, void *detail);
    void leaveSpan(MD_SPANTYPE type);
    void text(MD_TEXTTYPE type, QByteArrayView piece);
    MarkdownBlocks take();

private:
    struct List
    {
        bool ordered = false;
        bool tight = false;
        unsigned next = 1;
    };

    MarkdownBlock &open(MarkdownBlock::Kind kind);
    void close();
    void closeLostMarker();
    void placeSource(const char *at);
    MarkdownText &target();
    void append(const QString &piece, const char *from);
    void appendCode(QByteArrayView piece);
    void pad();
    void push(MarkdownBlock::Level level);
    QString attribute(const MD_ATTRIBUTE &attribute) const;
    void setSourceEnds();

    QByteArrayView m_source;
    qsizetype m_base;
    MarkdownBlocks m_blocks;
    bool m_open = false;
    bool m_inCode = false;
    bool m_fenced = false;
    qsizetype m_indentation = 0; // of a line of code, not yet taken
    std::vector<List> m_lists;
    std::vector<MarkdownBlock::Level> m_levels;
    QString m_marker;
    quint8 m_flags = 0;
    std::array<int, 8> m_spanDepth{}; // by bit of the flag
    qint16 m_link = -1;
    QStringList m_images; // targets of the images that are open
    int m_marks = 0;
    int m_cells = 0;
    bool m_inCell = false;
};

bool BlockBuilder::enterBlock(MD_BLOCKTYPE type, void *detail)
{
    using Kind = MarkdownBlock::Kind;
    switch (type) {
    case MD_BLOCK_DOC:
    case MD_BLOCK_HTML:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
        break;
    case MD_BLOCK_QUOTE:
        close();
        push(MarkdownBlock::Level::Quote);
        break;
    case MD_BLOCK_UL:
        close();
        closeLostMarker();
        push(MarkdownBlock::Level::Bullets);
        m_lists.push_back({false, static_cast<MD_BLOCK_UL_DETAIL *>(detail)->is_tight != 0, 1});
        break;
    case MD_BLOCK_OL: {
        close();
        closeLostMarker();
        push(MarkdownBlock::Level::Numbers);
        const auto *list = static_cast<MD_BLOCK_OL_DETAIL *>(detail);
        m_lists.push_back({true, list->is_tight != 0, list->start});
        break;
    }
    case MD_BLOCK_LI: {
        close();
        const auto *item = static_cast<MD_BLOCK_LI_DETAIL *>(detail);
        List &list = m_lists.back();
        if (item->is_task)
            m_marker = item->task_mark == ' ' ? u"☐"_s : u"☑"_s;
        else
            m_marker = list.ordered ? QString::number(list.next) + u'.' : u"•"_s;
        ++list.next;
        break;
    }
    case MD_BLOCK_HR:
        close();
        open(Kind::Rule);
        close();
        break;
    case MD_BLOCK_H:
        close();
        open(Kind::Heading).heading = quint8(static_cast<MD_BLOCK_H_DETAIL *>(detail)->level);
        break;
    case MD_BLOCK_CODE: {
        close();
        const auto *code = static_cast<MD_BLOCK_CODE_DETAIL *>(detail);
        MarkdownBlock &block = open(Kind::Code);
        block.language = withControlsNamed(attribute(code->lang)).left(40);
        m_inCode = true;
        m_fenced = code->fence_char != 0;
        if (m_fenced && code->info.size > 0)
            placeSource(code->info.text);
        break;
    }
    case MD_BLOCK_P:
        close();
        open(Kind::Text);
        break;
    case MD_BLOCK_TABLE: {
        close();
        MarkdownBlock &block = open(Kind::Table);
        block.table.columns.resize(static_cast<MD_BLOCK_TABLE_DETAIL *>(detail)->col_count);
        break;
    }
    case MD_BLOCK_TR:
        m_blocks.back().table.rows.emplace_back();
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: {
        if (++m_cells > MostTableCells)
            return false;
        MarkdownTable &table = m_blocks.back().table;
        auto &row = table.rows.back();
        row.emplace_back();
        m_inCell = true;
        m_marks = 0;
        const MD_ALIGN align = static_cast<MD_BLOCK_TD_DETAIL *>(detail)->align;
        if (row.size() <= table.columns.size()) {
            table.columns[row.size() - 1] = align == MD_ALIGN_CENTER ? MarkdownTable::Align::Center
                : align == MD_ALIGN_RIGHT                            ? MarkdownTable::Align::End
                                                                     : MarkdownTable::Align::Start;
        }
        break;
    }
    }
    return true;
}

void BlockBuilder::leaveBlock(MD_BLOCKTYPE type)
{
    switch (type) {
    case MD_BLOCK_QUOTE:
        close();
        m_levels.pop_back();
        break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL:
        close();
        m_levels.pop_back();
        m_lists.pop_back();
        break;
    case MD_BLOCK_LI:
        close();
        closeLostMarker();
        break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        m_inCell = false;
        break;
    case MD_BLOCK_H:
    case MD_BLOCK_CODE:
    case MD_BLOCK_P:
    case MD_BLOCK_TABLE:
        close();
        break;
    default:
        break;
    }
}

void BlockBuilder::push(MarkdownBlock::Level level)
{
    m_levels.push_back(level);
}

MarkdownBlock &BlockBuilder::open(MarkdownBlock::Kind kind)
{
    MarkdownBlock &block = m_blocks.emplace_back();
    block.kind = kind;
    block.depth = quint8(std::min<size_t>(m_levels.size(), MarkdownBlock::MostLevels));
    std::copy_n(m_levels.begin(), block.depth, block.levels.begin());
    block.tight = !m_lists.empty() && m_lists.back().tight;
    block.marker = std::exchange(m_marker, {});
    block.sourceBegin = -1;
    m_open = true;
    m_marks = 0;
    return block;
}

void BlockBuilder::close()
{
    if (m_inCode) // a last line of nothing else
        target().text += QString(std::exchange(m_indentation, 0), u' ');
    m_open = false;
    m_inCode = false;
}

// An item that begins with another list, or that is empty, still shows its own marker.
void BlockBuilder::closeLostMarker()
{
    if (m_marker.isEmpty())
        return;
    open(MarkdownBlock::Kind::Text);
    close();
}

void BlockBuilder::placeSource(const char *at)
{
    MarkdownBlock &block = m_blocks.back();
    if (block.sourceBegin >= 0 || at < m_source.data() || at > m_source.data() + m_source.size())
        return;
    const auto lineStart = [this](qsizetype offset) {
        while (offset > 0 && m_source[offset - 1] != '\n')
            --offset;
        return offset;
    };
    qsizetype begin = lineStart(at - m_source.data());
    // The first text of fenced code stands on the line below the fence.
    if (m_inCode && m_fenced && begin > 0 && block.language.isEmpty())
        begin = lineStart(begin - 1);
    block.sourceBegin = m_base + begin;
}

MarkdownText &BlockBuilder::target()
{
    if (!m_open) // text directly in the item of a tight list
        open(MarkdownBlock::Kind::Text);
    MarkdownBlock &block = m_blocks.back();
    return m_inCell ? block.table.rows.back().back() : block.text;
}

void BlockBuilder::append(const QString &piece, const char *from)
{
    MarkdownText &text = target();
    if (from)
        placeSource(from);
    const bool inSource =
        from && from >= m_source.data() && from < m_source.data() + m_source.size();
    const bool exact = m_flags & (MarkdownRun::Code | MarkdownRun::Link | MarkdownRun::Chip);
    const TextUse use = exact ? TextUse::Exact : TextUse::Prose;
    const int begin = int(text.text.size());
    qsizetype utf8 = inSource ? m_base + (from - m_source.data()) : 0;
    bool broken = true; // a new stretch of source begins

    for (qsizetype i = 0; i < piece.size();) {
        const char32_t c = nextCharacter(piece, i);
        m_marks = QChar::isMark(c) ? m_marks + 1 : 0;
        const bool hidden = isInvisible(c, use) || m_marks > MostMarks;
        const int at = int(text.text.size());
        if (!hidden)
            text.text += QChar::fromUcs4(c);
        else if (use == TextUse::Exact)
            text.text += visibleName(c);
        if (inSource && !hidden) {
            if (broken)
                text.sources.push_back({at, 0, int(utf8)});
            text.sources.back().length += int(text.text.size()) - at;
        }
        broken = hidden;
        utf8 += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    }

    const int length = int(text.text.size()) - begin;
    if (length == 0 || m_flags == 0)
        return;
    if (!text.runs.empty() && text.runs.back().flags == m_flags && text.runs.back().link == m_link
        && text.runs.back().start + text.runs.back().length == begin)
        text.runs.back().length += length;
    else
        text.runs.push_back({begin, length, m_flags, m_link});
}

void BlockBuilder::appendCode(QByteArrayView piece)
{
    MarkdownText &text = target();
    const bool isFromSource =
        piece.data() >= m_source.data() && piece.data() <= m_source.data() + m_source.size();
    // The indentation of a line comes as spaces of the parser's own, whatever it was. What is copied has to be what was
    // written, tabs and all; only a block in a list has an indentation that is not its own.
    if (!isFromSource && piece.trimmed().isEmpty() && !piece.contains('\n')) {
        m_indentation += piece.size();
        return;
    }
    const qsizetype indentation = std::exchange(m_indentation, 0);
    if (indentation > 0) {
        const char *begin = piece.data();
        while (isFromSource && begin > m_source.data() && (begin[-1] == ' ' || begin[-1] == '\t'))
            --begin;
        const QByteArrayView written(begin, piece.data() - begin);
        text.text += isFromSource && m_fenced && m_levels.empty() && written.contains('\t')
            ? QString::fromUtf8(written)
            : QString(indentation, u' ');
    }
    placeSource(piece.data());
    text.text += QString::fromUtf8(piece);
}

void BlockBuilder::pad()
{
    MarkdownText &text = target();
    text.runs.push_back(
        {int(text.text.size()), 1, quint8(MarkdownRun::Code | MarkdownRun::Pad), m_link});
    text.text += PadCharacter;
}

void BlockBuilder::enterSpan(MD_SPANTYPE type, void *detail)
{
    const auto set = [this](MarkdownRun::Flag flag, int bit) {
        ++m_spanDepth[size_t(bit)];
        m_flags |= flag;
    };
    switch (type) {
    case MD_SPAN_STRONG:
        set(MarkdownRun::Bold, 0);
        break;
    case MD_SPAN_EM:
        set(MarkdownRun::Italic, 1);
        break;
    case MD_SPAN_DEL:
        set(MarkdownRun::Strike, 2);
        break;
    case MD_SPAN_CODE:
        pad();
        set(MarkdownRun::Code, 3);
        break;
    case MD_SPAN_A: {
        MarkdownText &text = target();
        if (text.links.size() < 0x7fff) {
            text.links += attribute(static_cast<MD_SPAN_A_DETAIL *>(detail)->href);
            m_link = qint16(text.links.size() - 1);
            set(MarkdownRun::Link, 4);
        }
        break;
    }
    case MD_SPAN_IMG:
        set(MarkdownRun::Chip, 5);
        m_images += attribute(static_cast<MD_SPAN_IMG_DETAIL *>(detail)->src);
        append(u"[image: "_s, nullptr);
        break;
    default:
        break;
    }
}

void BlockBuilder::leaveSpan(MD_SPANTYPE type)
{
    const auto unset = [this](MarkdownRun::Flag flag, int bit) {
        if (m_spanDepth[size_t(bit)] > 0 && --m_spanDepth[size_t(bit)] == 0)
            m_flags &= quint8(~flag);
    };
    switch (type) {
    case MD_SPAN_STRONG:
        unset(MarkdownRun::Bold, 0);
        break;
    case MD_SPAN_EM:
        unset(MarkdownRun::Italic, 1);
        break;
    case MD_SPAN_DEL:
        unset(MarkdownRun::Strike, 2);
        break;
    case MD_SPAN_CODE:
        unset(MarkdownRun::Code, 3);
        pad();
        break;
    case MD_SPAN_A:
        unset(MarkdownRun::Link, 4);
        m_link = -1;
        break;
    case MD_SPAN_IMG:
        append(u"](%1)"_s.arg(m_images.isEmpty() ? QString() : m_images.takeLast()), nullptr);
        unset(MarkdownRun::Chip, 5);
        break;
    default:
        break;
    }
}

void BlockBuilder::text(MD_TEXTTYPE type, QByteArrayView piece)
{
    if (m_inCode) {
        if (type == MD_TEXT_NULLCHAR)
            target().text += QChar::ReplacementCharacter;
        else
            appendCode(piece);
        return;
    }
    switch (type) {
    case MD_TEXT_NULLCHAR:
        append(QString(QChar::ReplacementCharacter), nullptr);
        break;
    case MD_TEXT_BR:
        target().text += QChar::LineSeparator;
        break;
    case MD_TEXT_SOFTBR:
        append(u" "_s, nullptr);
        break;
    case MD_TEXT_ENTITY:
        append(htmlEntity(piece), nullptr);
        break;
    default:
        append(QString::fromUtf8(piece), piece.data());
        break;
    }
}

QString BlockBuilder::attribute(const MD_ATTRIBUTE &attribute) const
{
    QString value;
    for (int i = 0; attribute.substr_offsets && attribute.substr_offsets[i] < attribute.size; ++i) {
        const MD_OFFSET begin = attribute.substr_offsets[i];
        const QByteArrayView piece(attribute.text + begin,
                                   qsizetype(attribute.substr_offsets[i + 1] - begin));
        switch (attribute.substr_types[i]) {
        case MD_TEXT_NULLCHAR:
            value += QChar::ReplacementCharacter;
            break;
        case MD_TEXT_ENTITY:
            value += htmlEntity(piece);
            break;
        default:
            value += QString::fromUtf8(piece);
        }
    }
    return value;
}

// A block ends where the next one begins, without the empty lines between.
void BlockBuilder::setSourceEnds()
{
    qsizetype end = m_source.size();
    for (auto block = m_blocks.rbegin(); block != m_blocks.rend(); ++block) {
        while (end > 0 && (m_source[end - 1] == '\n' || m_source[end - 1] == '\r'))
            --end;
        block->sourceEnd = m_base + end;
        if (block->sourceBegin >= 0)
            end = std::min(end, block->sourceBegin - m_base);
    }
    qsizetype begin = m_base;
    for (MarkdownBlock &block : m_blocks) {
        if (block.sourceBegin < 0)
            block.sourceBegin = std::min(begin, block.sourceEnd);
        begin = block.sourceEnd;
    }
}

MarkdownBlocks BlockBuilder::take()
{
    setSourceEnds();
    for (MarkdownBlock &block : m_blocks) {
        if (block.kind == MarkdownBlock::Kind::Code && block.text.text.endsWith(u'\n'))
            block.text.text.chop(1);
    }
    return std::move(m_blocks);
}

} // namespace

MarkdownBlocks parseMarkdown(QByteArrayView utf8, qsizetype base)
{
    BlockBuilder builder(utf8, base);
    MD_PARSER parser{};
    parser.flags = ParserFlags;
    parser.enter_block = [](MD_BLOCKTYPE type, void *detail, void *self) {
        return static_cast<BlockBuilder *>(self)->enterBlock(type, detail) ? 0 : 1;
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void *, void *self) {
        static_cast<BlockBuilder *>(self)->leaveBlock(type);
        return 0;
    };
    parser.enter_span = [](MD_SPANTYPE type, void *detail, void *self) {
        static_cast<BlockBuilder *>(self)->enterSpan(type, detail);
        return 0;
    };
    parser.leave_span = [](MD_SPANTYPE type, void *, void *self) {
        static_cast<BlockBuilder *>(self)->leaveSpan(type);
        return 0;
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *self) {
        static_cast<BlockBuilder *>(self)->text(type, QByteArrayView(text, qsizetype(size)));
        return 0;
    };
    if (md_parse(utf8.data(), MD_SIZE(utf8.size()), &parser, &builder) == 0)
        return splitLong(builder.take());

    MarkdownBlock source;
    source.kind = MarkdownBlock::Kind::Code;
    source.text.text = QString::fromUtf8(utf8);
    source.sourceBegin = base;
    source.sourceEnd = base + utf8.size();
    MarkdownBlocks blocks;
    blocks.push_back(std::move(source));
    return blocks;
}

} // namespace fermata

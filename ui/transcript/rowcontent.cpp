// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/rowcontent.h"

#include "ui/text/durations.h"
#include "ui/transcript/blockpart.h"
#include "ui/transcript/lineparts.h"
#include "ui/transcript/markdownseam.h"
#include "ui/transcript/plainpart.h"
#include "ui/transcript/toolcardpart.h"

#include <QCoreApplication>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::RowContent", text);
}

QString thoughtLabel(const ThinkingBlock &thought, bool growing)
{
    if (growing)
        return tr("Thinking");
    if (thought.duration.count() > 0)
        return tr("Thought for %1")
            .arg(thought.duration < std::chrono::seconds(1) ? spentText(thought.duration)
                                                            : roundedText(thought.duration));
    return tr("Thought");
}

} // namespace

RowContent::RowContent() = default;
RowContent::~RowContent() = default;

// The section that comes next. Those that were there stay as long as they are of the same kind: a turn only grows.
RowContent::Section &RowContent::section(Kind kind, size_t message, size_t block)
{
    if (m_cursor < m_sections.size()) {
        const Section &there = *m_sections[m_cursor];
        if (there.kind != kind || there.message != message || there.block != block)
            m_sections.resize(m_cursor);
    }
    if (m_cursor == m_sections.size()) {
        auto made = std::make_unique<Section>();
        made->kind = kind;
        made->message = message;
        made->block = block;
        m_sections.push_back(std::move(made));
    }
    return *m_sections[m_cursor++];
}

void RowContent::touch(Part &part)
{
    if (!part.isExact())
        part.invalidate(*m_style, m_width);
}

void RowContent::updateUser(const TurnRecord &turn, const RowSituation &situation,
                            const TranscriptStyle &style, int width)
{
    m_style = &style;
    m_width = width;
    m_cursor = 0;
    m_writingPart = -1;
    if (situation.placeHeight > 0) {
        updatePlace(situation.placeHeight);
    } else {
        updatePlain(section(Kind::User, 0, 0), 0, int(PlainPart::Look::Bubble), turn.userText);
    }
    finishUpdate();
}

void RowContent::updatePlace(int height)
{
    Section &place = section(Kind::Place, 0, 0);
    if (place.parts.empty())
        place.parts.push_back(std::make_unique<PlacePart>());
    static_cast<PlacePart &>(*place.parts.front()).setPlaceHeight(height);
    touch(*place.parts.front());
}

void RowContent::updatePlain(Section &section, size_t firstPart, int look, const QString &text)
{
    if (section.taken == text.size() && section.parts.size() > firstPart)
        return;
    section.taken = text.size();
    std::vector<PlainPart::Piece> pieces = PlainPart::pieces(text);
    section.parts.resize(std::min(section.parts.size(), firstPart + pieces.size()));
    for (size_t i = 0; i < pieces.size(); ++i) {
        if (firstPart + i < section.parts.size()) {
            static_cast<PlainPart &>(*section.parts[firstPart + i]).setPiece(std::move(pieces[i]));
        } else {
            section.parts.push_back(
                std::make_unique<PlainPart>(PlainPart::Look(look), std::move(pieces[i])));
        }
        touch(*section.parts[firstPart + i]);
    }
}

void RowContent::updateAnswer(const TurnRecord &turn, const RowSituation &situation,
                              const TranscriptStyle &style, int width)
{
    m_style = &style;
    m_width = width;
    m_cursor = 0;
    if (turn.kind == TurnKind::Continuation) {
        Section &seam = section(Kind::Seam, 0, 0);
        if (seam.parts.empty())
            seam.parts.push_back(std::make_unique<SeamPart>(seamText(turn)));
        touch(*seam.parts.front());
    }

    std::vector<const ToolCallBlock *> calls; // that share a card, so far
    size_t callMessage = 0;
    size_t callBlock = 0;
    bool isFirstText = turn.kind == TurnKind::Continuation;
    auto notice = situation.notices.begin();
    const auto flushCalls = [&] {
        if (!calls.empty())
            updateTools(situation, callMessage, callBlock, calls);
        calls.clear();
    };
    const auto flushNotices = [&](size_t message, size_t block) {
        for (; notice != situation.notices.end()
             && std::pair(notice->message, notice->block) <= std::pair(message, block);
             ++notice) {
            flushCalls();
            updatePlain(section(Kind::Notice, 0, size_t(notice - situation.notices.begin())), 0,
                        int(PlainPart::Look::Notice), notice->text);
        }
    };
    for (size_t m = 0; m < turn.answer.size(); ++m) {
        const auto &blocks = turn.answer[m].blocks;
        for (size_t b = 0; b < blocks.size(); ++b) {
            flushNotices(m + 1, b);
            const bool isLast = m + 1 == turn.answer.size() && b + 1 == blocks.size();
            const bool growing = isLast && turn.isRunning();
            if (const auto *call = std::get_if<ToolCallBlock>(&blocks[b])) {
                if (calls.empty()) {
                    callMessage = m;
                    callBlock = b;
                }
                calls.push_back(call);
            } else if (const auto *text = std::get_if<TextBlock>(&blocks[b])) {
                if (text->text.isEmpty())
                    continue;
                flushCalls();
                const QString before =
                    isFirstText ? openAtCut(situation.cut, text->text) : QString();
                isFirstText = false;
                updateText(section(Kind::Text, m, b), text->text, before, growing);
            } else if (const auto *thought = std::get_if<ThinkingBlock>(&blocks[b])) {
                if (thought->text.isEmpty())
                    continue;
                flushCalls();
                updateThought(section(Kind::Thought, m, b), *thought,
                              growing && !thought->complete);
            }
        }
    }
    flushNotices(turn.answer.size() + 1, size_t(-1));
    flushCalls();

    if (situation.placeHeight > 0)
        updatePlace(situation.placeHeight);
    if (!turn.isRunning()) {
        Section &foot = section(Kind::Foot, 0, 0);
        if (foot.parts.empty())
            foot.parts.push_back(std::make_unique<FootPart>());
        static_cast<FootPart &>(*foot.parts.front())
            .set(footText(turn), situation.version, situation.actions);
        touch(*foot.parts.front());
    }
    finishUpdate();

    const bool writesText = situation.isWriting && turn.isRunning() && !m_sections.empty()
        && m_sections.back()->kind == Kind::Text;
    m_writingPart = writesText ? int(m_parts.size()) - 1 : -1;
}

void RowContent::updateText(Section &section, const QString &text, const QString &before,
                            bool growing)
{
    if (section.before != before) {
        section.before = before;
        section.stream = MarkdownStream(before);
        section.taken = 0;
        section.finished = false;
    }
    if (section.finished)
        return;
    // What is whole from the start is parsed once, without a stream.
    if ((growing || section.taken > 0) && text.size() > section.taken) {
        takeBlocks(section, section.stream.append(QStringView(text).mid(section.taken)));
        section.taken = text.size();
    }
    if (!growing) {
        takeBlocks(section, section.stream.finish(text));
        section.taken = text.size();
        section.finished = true;
        section.stream = MarkdownStream();
    }
}

// The first `keep` parts stay; the fresh blocks of the stream take the places behind them.
void RowContent::takeBlocks(Section &section, size_t keep)
{
    const MarkdownBlocks &fresh = section.stream.fresh();
    section.parts.resize(std::min(section.parts.size(), keep + fresh.size()));
    for (size_t i = 0; i < fresh.size(); ++i) {
        const size_t at = keep + i;
        const bool reusable = at < section.parts.size()
            && static_cast<BlockPart &>(*section.parts[at]).block().kind == fresh[i].kind;
        if (reusable)
            static_cast<BlockPart &>(*section.parts[at]).setBlock(fresh[i]);
        else if (at < section.parts.size())
            section.parts[at] = makeBlockPart(fresh[i]);
        else
            section.parts.push_back(makeBlockPart(fresh[i]));
        touch(*section.parts[at]);
    }
}

void RowContent::updateThought(Section &section, const ThinkingBlock &thought, bool growing)
{
    const bool isOpen = section.wish.value_or(growing);
    if (section.parts.empty())
        section.parts.push_back(std::make_unique<ThoughtPart>());
    auto &head = static_cast<ThoughtPart &>(*section.parts.front());
    head.set(thoughtLabel(thought, growing), isOpen);
    touch(head);
    if (isOpen) {
        updatePlain(section, 1, int(PlainPart::Look::Thought), thought.text);
    } else {
        section.parts.resize(1);
        section.taken = 0;
    }
}

void RowContent::updateTools(const RowSituation &situation, size_t message, size_t block,
                             const std::vector<const ToolCallBlock *> &calls)
{
    if (calls.size() == 1 && !situation.askingAlone.isNull()
        && calls.front()->id == situation.askingAlone)
        return;
    Section &tools = section(Kind::Tools, message, block);
    if (tools.parts.empty())
        tools.parts.push_back(std::make_unique<ToolCardPart>());
    static_cast<ToolCardPart &>(*tools.parts.front()).setCalls(calls);
    touch(*tools.parts.front());
}

void RowContent::finishUpdate()
{
    m_sections.resize(m_cursor);
    size_t same = 0;
    size_t count = 0;
    bool differs = false;
    for (const auto &section : m_sections) {
        for (const auto &part : section->parts) {
            if (count == m_parts.size())
                m_parts.emplace_back();
            if (m_parts[count].part != part.get() || !part->isExact())
                differs = true;
            if (!differs)
                same = count + 1;
            if (m_parts[count].part != part.get() || differs) {
                m_parts[count].part = part.get();
                m_parts[count].gap = part->gapAbove(count > 0 ? m_parts[count - 1].part : nullptr);
            }
            ++count;
        }
    }
    m_parts.resize(count);
    arrange(same > 0 ? same - 1 : 0);
    m_style = nullptr;
}

void RowContent::arrange(size_t from)
{
    int y = from > 0 ? m_parts[from - 1].top + m_parts[from - 1].part->height() : 0;
    for (size_t i = from; i < m_parts.size(); ++i) {
        y += m_parts[i].gap;
        m_parts[i].top = y;
        y += m_parts[i].part->height();
    }
    if (!m_parts.empty())
        m_height = m_parts.back().top + m_parts.back().part->height();
    else
        m_height = 0;
}

int RowContent::partAt(int y) const
{
    if (m_parts.empty())
        return -1;
    const auto after =
        std::upper_bound(m_parts.begin(), m_parts.end(), y,
                         [](int wanted, const Placed &placed) { return wanted < placed.top; });
    return after == m_parts.begin() ? 0 : int(after - m_parts.begin()) - 1;
}

bool RowContent::layOut(int top, int bottom, const TranscriptStyle &style, int width)
{
    const int first = partAt(top);
    if (first < 0)
        return false;
    size_t changedFrom = m_parts.size();
    int shift = 0; // of the parts below those that have been laid out
    for (size_t i = size_t(first); i < m_parts.size() && m_parts[i].top + shift < bottom; ++i) {
        Part &part = *m_parts[i].part;
        const int before = part.height();
        part.layOut(style, width);
        if (part.height() != before) {
            changedFrom = std::min(changedFrom, i);
            shift += part.height() - before;
        }
    }
    if (changedFrom == m_parts.size())
        return false;
    arrange(changedFrom);
    return true;
}

void RowContent::invalidate(const TranscriptStyle &style, int width)
{
    for (const Placed &placed : m_parts)
        placed.part->invalidate(style, width);
    arrange(0);
}

std::vector<int> RowContent::knownHeights() const
{
    std::vector<int> heights;
    heights.reserve(m_parts.size());
    for (const Placed &placed : m_parts) {
        if (!placed.part->isExact())
            return {};
        heights.push_back(placed.part->height());
    }
    return heights;
}

void RowContent::takeKnownHeights(const std::vector<int> &heights)
{
    for (size_t i = 0; i < m_parts.size(); ++i)
        m_parts[i].part->setKnownHeight(heights[i]);
    arrange(0);
}

void RowContent::releaseOutside(int top, int bottom)
{
    for (const Placed &placed : m_parts) {
        if (placed.top + placed.part->height() < top || placed.top > bottom)
            placed.part->release();
    }
}

int RowContent::placePart() const
{
    for (int i = int(m_parts.size()) - 1; i >= 0; --i) {
        if (m_parts[size_t(i)].part->role() == Part::Role::Place)
            return i;
    }
    return -1;
}

FootPart *RowContent::foot() const
{
    if (m_sections.empty() || m_sections.back()->kind != Kind::Foot)
        return nullptr;
    return static_cast<FootPart *>(m_sections.back()->parts.front().get());
}

const RowContent::Section *RowContent::sectionOf(int part, int *firstPart) const
{
    int at = 0;
    for (const auto &section : m_sections) {
        const int next = at + int(section->parts.size());
        if (part < next) {
            *firstPart = at;
            return section.get();
        }
        at = next;
    }
    return nullptr;
}

void RowContent::toggle(int part, int target)
{
    int first = 0;
    auto *section = const_cast<Section *>(sectionOf(part, &first));
    if (!section)
        return;
    m_touched = true;
    if (section->kind == Kind::Thought) {
        section->wish = !static_cast<ThoughtPart &>(*section->parts.front()).isOpen();
    } else if (section->kind == Kind::Tools) {
        auto &card = static_cast<ToolCardPart &>(*section->parts.front());
        if (target % 2 == 0)
            card.toggle(target / 2);
        else
            card.showAll(target / 2);
    }
}

bool RowContent::hasRunningTool() const
{
    return std::any_of(m_sections.begin(), m_sections.end(), [](const auto &section) {
        return section->kind == Kind::Tools
            && static_cast<const ToolCardPart &>(*section->parts.front()).hasRunningRow();
    });
}

const QString *RowContent::textOf(const TurnRecord &turn, const Section &section)
{
    if (section.kind == Kind::User)
        return &turn.userText;
    if (section.kind != Kind::Text || section.message >= turn.answer.size()
        || section.block >= turn.answer[section.message].blocks.size())
        return nullptr;
    const auto *text = std::get_if<TextBlock>(&turn.answer[section.message].blocks[section.block]);
    return text ? &text->text : nullptr;
}

QString RowContent::sourceText(const TurnRecord &turn, int first, int from, int last, int to) const
{
    QStringList pieces;
    for (int part = first; part <= last;) {
        int begin = 0;
        const Section *section = sectionOf(part, &begin);
        if (!section)
            break;
        const int end = std::min(last, begin + int(section->parts.size()) - 1);
        const Part &firstPart = *m_parts[size_t(part)].part;
        const Part &lastPart = *m_parts[size_t(end)].part;
        const int start = part == first ? from : 0;
        const int stop = end == last ? to : lastPart.length();
        const QString *text = textOf(turn, *section);
        if (text && end > part) {
            const QByteArray utf8 = text->toUtf8();
            const qsizetype a = firstPart.sourceRange(start, firstPart.length()).first;
            const qsizetype b = lastPart.sourceRange(0, stop).second;
            pieces += QString::fromUtf8(utf8.mid(a, b - a));
        } else {
            for (int i = part; i <= end; ++i) {
                const Part &p = *m_parts[size_t(i)].part;
                const QString shown =
                    p.plainText(i == part ? start : 0, i == end ? stop : p.length());
                if (!shown.isEmpty())
                    pieces += shown;
            }
        }
        part = end + 1;
    }
    return pieces.join(u"\n\n"_s);
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/conversation.h"
#include "ui/transcript/footpart.h"
#include "ui/transcript/markdownstream.h"
#include "ui/transcript/part.h"
#include "ui/transcript/transcriptmodel.h"

#include <memory>
#include <optional>
#include <vector>

namespace fermata {

class PlacePart;
class ThoughtPart;

// What a row needs to know beside its turn.
struct RowSituation
{
    std::vector<TranscriptNotice> notices;
    FootPart::Version version;
    FootPart::Actions actions = FootPart::Actions::Hidden;
    int placeHeight =
        0; // of the approval card, or the editor of the user's message; 0: there is none
    QString cut; // of a continuation: the text that it goes on with
    CallId
        askingAlone; // the card shows this call already: its row is left out where it stands alone
    bool isWriting = false; // the turn runs and was not stopped
};

// The parts of one message and where they stand. update() may be called as often as the turn has grown: what has not
// changed keeps its parts and their layouts.
class RowContent final
{
public:
    struct Placed
    {
        Part *part = nullptr;
        int gap = 0;
        int top = 0; // from the top of the row
    };

    RowContent();
    ~RowContent();

    void updateUser(const TurnRecord &turn, const RowSituation &situation,
                    const TranscriptStyle &style, int width);
    void updateAnswer(const TurnRecord &turn, const RowSituation &situation,
                      const TranscriptStyle &style, int width);

    const std::vector<Placed> &parts() const { return m_parts; }
    int height() const { return m_height; }
    // Lays out what [top, bottom) shows. Returns whether a height has changed.
    bool layOut(int top, int bottom, const TranscriptStyle &style, int width);
    void invalidate(const TranscriptStyle &style, int width);
    // The heights of all parts, empty if not all are exact; and back into parts that were made anew.
    std::vector<int> knownHeights() const;
    void takeKnownHeights(const std::vector<int> &heights);
    // Forgets the layouts outside [top, bottom).
    void releaseOutside(int top, int bottom);
    int partAt(int y) const; // the part that holds y, or is nearest; -1 if there is none

    int placePart() const; // -1 if there is none
    FootPart *foot() const;
    // The part behind which text is being written, or -1.
    int writingPart() const { return m_writingPart; }
    // Folds or unfolds what a click on a Fold target means. The caller updates the row after it.
    void toggle(int part, int target);
    // The user has folded something: the content is worth keeping.
    bool wasTouched() const { return m_touched; }
    bool hasRunningTool() const;

    // The source text of [from, to), where `from` is a position in part `first` and `to` one in part `last`.
    QString sourceText(const TurnRecord &turn, int first, int from, int last, int to) const;

private:
    enum class Kind { User, Seam, Text, Thought, Tools, Notice, Place, Foot };

    struct Section
    {
        Kind kind = Kind::Text;
        size_t message = 0; // the block that it shows
        size_t block = 0;
        qsizetype taken = 0; // of the text
        QString before; // what it is read after
        bool finished = false;
        std::optional<bool> wish; // of a fold
        MarkdownStream stream;
        std::vector<std::unique_ptr<Part>> parts;
    };

    Section &section(Kind kind, size_t message, size_t block);
    void updateText(Section &section, const QString &text, const QString &before, bool growing);
    void updateThought(Section &section, const ThinkingBlock &thought, bool growing);
    void updatePlain(Section &section, size_t firstPart, int look, const QString &text);
    void takeBlocks(Section &section, size_t keep);
    void updateTools(const RowSituation &situation, size_t message, size_t block,
                     const std::vector<const ToolCallBlock *> &calls);
    void updatePlace(int height);
    void touch(Part &part);
    void finishUpdate();
    void arrange(size_t from);
    const Section *sectionOf(int part, int *firstPart) const;
    static const QString *textOf(const TurnRecord &turn, const Section &section);

    std::vector<std::unique_ptr<Section>> m_sections;
    size_t m_cursor = 0; // the section that the running update is at
    std::vector<Placed> m_parts;
    int m_height = 0;
    int m_writingPart = -1;
    bool m_touched = false;
    const TranscriptStyle *m_style = nullptr; // only during an update
    int m_width = 0;
};

} // namespace fermata

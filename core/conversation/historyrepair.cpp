// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/history.h"

#include "conversation/validtext.h"

#include <QHash>
#include <QSet>

#include <algorithm>
#include <optional>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

using Kind = HistoryProblem::Kind;

bool isBlank(const QString &text)
{
    return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isSpace(); });
}

bool belongsInto(HistoryRole role, const HistoryBlock &block)
{
    switch (role) {
    case HistoryRole::User:
        return std::holds_alternative<TextBlock>(block)
            || std::holds_alternative<UnknownBlock>(block);
    case HistoryRole::Assistant:
        return !std::holds_alternative<HistoryResult>(block);
    case HistoryRole::Tool:
        return std::holds_alternative<HistoryResult>(block);
    }
    Q_UNREACHABLE();
}

bool isNothing(const HistoryMessage &message)
{
    return std::all_of(message.blocks.begin(), message.blocks.end(), [](const HistoryBlock &block) {
        return std::holds_alternative<ThinkingBlock>(block);
    });
}

bool hasCalls(const HistoryMessage &message)
{
    return message.role == HistoryRole::Assistant
        && std::any_of(message.blocks.begin(), message.blocks.end(), [](const HistoryBlock &block) {
               return std::holds_alternative<HistoryCall>(block);
           });
}

bool isValidText(const HistoryBlock &block)
{
    if (const auto *text = std::get_if<TextBlock>(&block))
        return text->text.isValidUtf16();
    if (const auto *thinking = std::get_if<ThinkingBlock>(&block))
        return thinking->text.isValidUtf16() && thinking->signature.isValidUtf16();
    if (const auto *call = std::get_if<HistoryCall>(&block)) {
        return call->id.isValidUtf16() && call->name.isValidUtf16()
            && call->arguments.isValidUtf16();
    }
    if (const auto *result = std::get_if<HistoryResult>(&block))
        return result->callId.isValidUtf16() && result->text.isValidUtf16();
    return true;
}

void makeValidText(HistoryBlock &block)
{
    if (auto *text = std::get_if<TextBlock>(&block)) {
        text->text = validText(text->text);
    } else if (auto *thinking = std::get_if<ThinkingBlock>(&block)) {
        thinking->text = validText(thinking->text);
        thinking->signature = validText(thinking->signature);
    } else if (auto *call = std::get_if<HistoryCall>(&block)) {
        call->id = validText(call->id);
        call->name = validText(call->name);
        call->arguments = validText(call->arguments);
    } else if (auto *result = std::get_if<HistoryResult>(&block)) {
        result->callId = validText(result->callId);
        result->text = validText(result->text);
    }
}

// What is wrong with a block by itself.
std::optional<Kind> problemOf(HistoryRole role, const HistoryBlock &block)
{
    if (!isValidText(block))
        return Kind::InvalidText;
    if (!belongsInto(role, block))
        return Kind::WrongRole;
    if (const auto *text = std::get_if<TextBlock>(&block)) {
        if (isBlank(text->text))
            return Kind::EmptyMessage;
    } else if (const auto *thinking = std::get_if<ThinkingBlock>(&block)) {
        if (!thinking->complete)
            return Kind::UnfinishedThinking;
    } else if (const auto *call = std::get_if<HistoryCall>(&block)) {
        if (call->id.isEmpty() || call->name.isEmpty())
            return Kind::EmptyId;
    } else if (const auto *result = std::get_if<HistoryResult>(&block)) {
        if (result->callId.isEmpty())
            return Kind::EmptyId;
    }
    return std::nullopt;
}

QHash<QString, int> callCounts(const HistoryMessage &message)
{
    QHash<QString, int> counts;
    for (const HistoryBlock &block : message.blocks) {
        if (const auto *call = std::get_if<HistoryCall>(&block))
            ++counts[call->id];
    }
    return counts;
}

class Validator
{
public:
    explicit Validator(const History &history) : m_history(history) { }

    std::vector<HistoryProblem> run()
    {
        for (const HistoryMessage &message : m_history) {
            for (const HistoryBlock &block : message.blocks) {
                if (const auto problem = problemOf(message.role, block))
                    report(*problem);
            }
            if (isNothing(message))
                report(Kind::EmptyMessage);
            if (message.role == HistoryRole::Tool)
                takeResults(message);
            else
                close();
            if (hasCalls(message))
                takeCalls(message);
            ++m_index;
        }
        close();
        return m_problems;
    }

private:
    void report(Kind kind) { m_problems.push_back({kind, m_index}); }

    void takeCalls(const HistoryMessage &message)
    {
        const QHash<QString, int> counts = callCounts(message);
        m_calling = m_index;
        for (auto count = counts.begin(); count != counts.end(); ++count) {
            m_known.insert(count.key());
            m_open.insert(count.key());
            for (int i = 1; i < count.value(); ++i)
                report(Kind::DuplicateCallId);
        }
    }

    void takeResults(const HistoryMessage &message)
    {
        const bool inPlace = m_calling >= 0 && m_calling + 1 == m_index;
        QSet<QString> seen;
        for (const HistoryBlock &block : message.blocks) {
            const auto *result = std::get_if<HistoryResult>(&block);
            if (!result)
                continue;
            const QString &id = result->callId;
            if (seen.contains(id))
                report(Kind::DuplicateResult);
            else if (inPlace && m_open.remove(id))
                seen.insert(id);
            else
                report(m_known.contains(id) ? Kind::MisplacedResult : Kind::OrphanResult);
        }
        if (inPlace)
            close();
    }

    void close()
    {
        for (qsizetype i = 0; i < m_open.size(); ++i)
            m_problems.push_back({Kind::MissingResult, m_calling});
        m_open.clear();
        m_calling = -1;
    }

    const History &m_history;
    std::vector<HistoryProblem> m_problems;
    QSet<QString> m_known; // ids of all calls so far
    QSet<QString> m_open; // of the message directly before
    int m_calling = -1; // its index
    int m_index = 0;
};

// Takes a history apart into messages and results, and puts each result behind its call.
class Repair
{
public:
    History run(const History &history)
    {
        for (const HistoryMessage &message : history)
            take(message);
        for (const Loose &loose : m_loose)
            place(loose);
        History repaired;
        for (Entry &entry : m_entries)
            emitTo(repaired, entry);
        return repaired;
    }

private:
    struct Call
    {
        QString oldId;
        QString id;
        std::optional<HistoryResult> result;
    };
    struct Entry
    {
        HistoryMessage message;
        HistoryMessage results; // its envelope; the blocks come from `calls`
        bool hasEnvelope = false;
        std::vector<Call> calls;
    };
    struct Loose
    {
        size_t after = 0; // how many entries stood before it
        HistoryResult result;
    };

    void take(HistoryMessage message)
    {
        std::vector<HistoryResult> results;
        std::vector<HistoryBlock> blocks;
        for (HistoryBlock &block : message.blocks) {
            makeValidText(block);
            if (const auto *result = std::get_if<HistoryResult>(&block)) {
                if (!result->callId.isEmpty())
                    results.push_back(*result);
            } else if (!problemOf(message.role, block)) {
                blocks.push_back(std::move(block));
            }
        }
        message.blocks = std::move(blocks);

        const bool directly = m_answerable && message.role == HistoryRole::Tool;
        if (directly && !m_entries.back().hasEnvelope) {
            m_entries.back().results = message;
            m_entries.back().hasEnvelope = true;
        }
        for (HistoryResult &result : results) {
            if (!directly || !answer(m_entries.back(), result))
                m_loose.push_back({m_entries.size(), std::move(result)});
        }
        if (message.role == HistoryRole::Tool || isNothing(message))
            return;
        Entry entry;
        entry.message = std::move(message);
        nameCalls(entry);
        m_answerable = !entry.calls.empty();
        m_entries.push_back(std::move(entry));
    }

    static void nameCalls(Entry &entry)
    {
        const QHash<QString, int> counts = callCounts(entry.message);
        QSet<QString> taken;
        for (HistoryBlock &block : entry.message.blocks) {
            auto *call = std::get_if<HistoryCall>(&block);
            if (!call)
                continue;
            const QString oldId = call->id;
            for (int i = 2;
                 taken.contains(call->id) || (call->id != oldId && counts.contains(call->id)); ++i)
                call->id = u"%1_%2"_s.arg(oldId).arg(i);
            taken.insert(call->id);
            entry.calls.push_back({oldId, call->id, std::nullopt});
        }
    }

    static bool answer(Entry &entry, const HistoryResult &result)
    {
        for (Call &call : entry.calls) {
            if (call.oldId == result.callId && !call.result) {
                call.result = result;
                call.result->callId = call.id;
                return true;
            }
        }
        return false;
    }

    // Behind the newest call before it that still waits for it. A result never goes to a later call: an id that is
    // used again would hand it the result of another one.
    void place(const Loose &loose)
    {
        for (size_t i = loose.after; i-- > 0;) {
            if (answer(m_entries[i], loose.result))
                return;
        }
    }

    static void emitTo(History &history, Entry &entry)
    {
        history.push_back(std::move(entry.message));
        if (entry.calls.empty())
            return;
        HistoryMessage results = std::move(entry.results);
        results.role = HistoryRole::Tool;
        results.blocks.clear();
        for (Call &call : entry.calls) {
            results.blocks.push_back(call.result
                                         ? std::move(*call.result)
                                         : HistoryResult{call.id, missingResultText(), true});
        }
        history.push_back(std::move(results));
    }

    static QString missingResultText()
    {
        return u"Interrupted: no result of this call was recorded. It may or may not have taken "
               "effect; check before repeating."_s;
    }

    std::vector<Entry> m_entries;
    std::vector<Loose> m_loose;
    bool m_answerable = false; // the last entry has calls, and only Tool messages came since
};

} // namespace

std::vector<HistoryProblem> validateHistory(const History &history)
{
    return Validator(history).run();
}

History repairHistory(History history)
{
    if (validateHistory(history).empty())
        return history;
    return Repair().run(history);
}

} // namespace fermata

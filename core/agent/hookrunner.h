// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "agent/turnhooks.h"
#include "base/clock.h"

#include <QSet>

#include <functional>
#include <optional>
#include <vector>

namespace fermata {

struct TurnContext;

// Calls the observers and policies of one turn, each call on a thread of its own and within its limit, one after the
// other. Used on the turn's thread, which meanwhile keeps its time limits.
class HookRunner final
{
public:
    // The policies whose before-hook has returned, and which are owed the after-hook.
    using Begun = std::vector<size_t>;

    // Outlived by the context.
    explicit HookRunner(TurnContext &context);

    // --- Policies. A veto comes with its text. After each of them the token has to be looked at. ---
    HookVeto beforeTurn(const TurnRecord &turn);
    HookVeto beforeModelCall(const ModelRequest &request);
    bool afterModelCall(const ModelCallResult &result); // true: once more
    HookVeto beforeTools(const std::vector<ToolCallBlock> &calls);
    void afterTools(const std::vector<ToolCallBlock> &calls);
    BeforeToolDecision beforeTool(ToolCallInfo call, Begun &begun);
    AfterToolDecision afterTool(const ToolCallInfo &call, const ToolSlot &slot, Begun &begun);
    QString endOfTurn(const QString &answer);

    // Set once a policy wants the turn to go no further: the text of after-tools, or of a fault in an after-hook.
    const std::optional<QString> &endText() const { return m_endText; }

    // --- Observers. ---
    void notice(const TurnEvent &event); // calls those that the event is for
    void modelCallStarted();
    void modelCallFinished(const ModelCallResult &result);
    void cancelled(const CancellationReason &reason);

private:
    template <typename Answer>
    using Question = std::function<Answer(TurnPolicy &, const HookContext &)>;

    // What the turn goes on with while a hook runs. Its time limits fire in any case.
    enum class Meanwhile { Saving, Nothing };

    template <typename Answer>
    std::optional<Result<Answer>>
    call(TurnHooks::HookId id, const QString &name,
         std::function<Result<Answer>(const CancellationToken &)> function, Meanwhile meanwhile);
    template <typename Answer>
    std::optional<Answer> ask(size_t policy, const char *point, Question<Answer> question);
    template <typename Answer>
    HookVeto askBefore(const char *point, const std::function<Question<Answer>()> &question,
                       const std::function<HookVeto(const Answer &)> &take, Begun &begun);
    template <typename Answer>
    void askAfter(const char *point, const Question<Answer> &question,
                  const std::function<void(const Answer &)> &take, Begun &begun);
    void tellObservers(const std::function<void(TurnObserver &)> &tell);
    // How long the next call may take: once the turn is cancelled all of them share one limit.
    Duration allowance() const;
    void noteTime(Instant since);
    QString nameOf(size_t policy) const;

    TurnContext &m_context;
    Begun m_inModelCall;
    Begun m_inTools;
    QSet<CallId> m_runningTools;
    QSet<quint64> m_hanging; // left behind, and not called again
    Duration m_spentAfterStop{0};
    std::optional<QString> m_endText;
};

} // namespace fermata

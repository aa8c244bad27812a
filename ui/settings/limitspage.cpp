// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/limitspage.h"

#include "settings/settingsfile.h"
#include "ui/settings/limitrow.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/text/durations.h"
#include "ui/text/limittext.h"
#include "ui/widgets/card.h"
#include "ui/widgets/textlabel.h"

#include <QHBoxLayout>
#include <QScopedValueRollback>
#include <QVBoxLayout>

namespace fermata {

using namespace std::chrono_literals;

namespace {

// What stands in a field that says "never", until the user wants a limit there.
constexpr std::chrono::milliseconds ShownTurn = 30min;
constexpr int HeadHeight = 35; // and a hairline

LimitValue *valueOf(TurnLimits &limits, Limit limit)
{
    switch (limit) {
    case Limit::Connect:
        return &limits.connect;
    case Limit::FirstToken:
        return &limits.firstToken;
    case Limit::Silence:
        return &limits.silence;
    case Limit::Turn:
        return &limits.turn;
    case Limit::Tool:
        return &limits.tool;
    }
    return &limits.turn;
}

std::chrono::milliseconds shownFor(Limit limit)
{
    TurnLimits standard;
    return valueOf(standard, limit)->value_or(ShownTurn);
}

// Why a value is not taken, in the words of this table.
QString sentenceFor(Limit limit, LimitValue value, LimitValue turn, const QString &problem)
{
    const bool isTooLong = limit != Limit::Turn && limit != Limit::Tool && value && turn
        && *turn <= LongestLimit && *value <= LongestLimit && *value >= *turn;
    if (problem.isEmpty() || !isTooLong)
        return problem;
    return LimitsPage::tr("Must be below the whole-turn limit, %1.").arg(limitValueText(*turn));
}

QWidget *headRow()
{
    auto *head = new QWidget;
    head->setFixedHeight(HeadHeight);
    auto *layout = new QHBoxLayout(head);
    layout->setContentsMargins(metrics::Space16, 0, metrics::Space16, 0);
    layout->setSpacing(metrics::Space12);
    const auto word = [](const QString &text) {
        return new TextLabel(text, metrics::FontStep::Small, TextLabel::Tone::Text2);
    };
    layout->addWidget(word(LimitsPage::tr("Limit")), 1);
    const std::pair<QString, int> columns[] = {{LimitsPage::tr("Value"), LimitRow::ValueWidth},
                                               {LimitsPage::tr("Unit"), LimitRow::UnitWidth},
                                               {QString(), LimitRow::NeverWidth}};
    for (const auto &[text, width] : columns) {
        TextLabel *label = word(text);
        label->setFixedWidth(width);
        layout->addWidget(label);
    }
    return head;
}

} // namespace

LimitsPage::LimitsPage(SettingsFile *file, QWidget *parent)
    : SettingsPage(file, tr("Limits"),
                   tr("A limit that ends a turn works like Stop: everything is kept and you can "
                      "continue. No limit runs while Fermata waits for your answer."),
                   parent)
{
    auto *card = new Card;
    card->setHeadRow(headRow());
    const auto add = [&](Limit limit, const QString &sentence, const QString &link = {}) {
        auto *row = new LimitRow(limitName(limit), sentence, link, LimitRow::Unit::Time);
        m_rows.insert(limit, row);
        card->addRow(row);
        connect(row, &LimitRow::edited, this, &LimitsPage::takeEdits);
        return row;
    };
    add(Limit::Connect, tr("Ends the turn if the server does not accept the connection."));
    LimitRow *first =
        add(Limit::FirstToken,
            tr("Ends the turn if nothing of the answer has come. A local server gets %1, because "
               "it may load the model first.")
                .arg(limitValueText(TurnLimits().localFirstToken.value_or(30min))
                         .replace(u' ', QChar::Nbsp)),
            tr("Change…"));
    m_localFirstToken =
        new LimitRow(tr("First token, local server"),
                     tr("Ends the turn if nothing of the answer has come from a server on this "
                        "computer."),
                     {}, LimitRow::Unit::Time);
    card->addRow(m_localFirstToken);
    m_localFirstToken->hide();
    connect(m_localFirstToken, &LimitRow::edited, this, &LimitsPage::takeEdits);
    connect(first, &LimitRow::linkActivated, m_localFirstToken,
            [this] { m_localFirstToken->setVisible(m_localFirstToken->isHidden()); });
    add(Limit::Silence, tr("Ends the turn if an answer has begun and nothing more comes."));
    add(Limit::Turn, tr("Ends the turn after this time, whatever it is doing."));
    LimitRow *tool =
        add(Limit::Tool, tr("Stops the tool, not the turn: the model is told and goes on."),
            tr("Per tool…"));
    connect(tool, &LimitRow::linkActivated, this, &LimitsPage::perToolRequested);
    m_modelCalls = new LimitRow(tr("Model calls per turn"),
                                tr("After so many calls Fermata asks whether to go on or to stop."),
                                {}, LimitRow::Unit::Calls);
    card->addRow(m_modelCalls);
    connect(m_modelCalls, &LimitRow::edited, this, &LimitsPage::takeEdits);

    auto *note = new QHBoxLayout;
    auto *mark = new QLabel;
    mark->setPixmap(icon(Icon::Info).pixmap(metrics::IconSize, metrics::IconSize));
    auto *words = new TextLabel(tr("Changes count from the next turn. To give the running turn "
                                   "more time, use Extend above the message field."),
                                metrics::FontStep::Control, TextLabel::Tone::Text2);
    words->setWordWrap(true);
    note->setSpacing(metrics::Space8);
    note->addWidget(mark, 0, Qt::AlignTop);
    note->addWidget(words, 1);
    body()->addSpacing(metrics::Space24);
    body()->addWidget(card);
    body()->addSpacing(metrics::Space16);
    body()->addLayout(note);
    body()->addStretch(1);

    connect(file, &SettingsFile::changed, this, [this] {
        if (!m_isSaving)
            load();
    });
    load();
}

void LimitsPage::focusLimit(Limit limit)
{
    LimitRow *row = m_rows.value(limit);
    if (row && row->focusWidget())
        row->focusWidget()->setFocus(Qt::OtherFocusReason);
    else if (row)
        row->setFocus(Qt::OtherFocusReason);
}

void LimitsPage::restoreDefaults()
{
    change([](Settings &s) { s.limits = TurnLimits(); });
    load();
}

void LimitsPage::load()
{
    TurnLimits limits = settings().limits;
    for (auto row = m_rows.begin(); row != m_rows.end(); ++row) {
        row.value()->setTime(*valueOf(limits, row.key()), shownFor(row.key()));
        row.value()->setProblem({});
    }
    m_localFirstToken->setTime(limits.localFirstToken, 30min);
    m_localFirstToken->setProblem({});
    m_modelCalls->setCalls(limits.modelCalls, TurnLimits().modelCalls.value_or(MostModelCalls));
    m_modelCalls->setProblem({});
}

TurnLimits LimitsPage::limitsShown() const
{
    TurnLimits limits = settings().limits;
    for (auto row = m_rows.begin(); row != m_rows.end(); ++row)
        *valueOf(limits, row.key()) = row.value()->time();
    limits.localFirstToken = m_localFirstToken->time();
    limits.modelCalls = m_modelCalls->calls();
    return limits;
}

void LimitsPage::takeEdits()
{
    TurnLimits taken = limitsShown();
    const QHash<Limit, QString> problems = problemsOf(taken);
    const LimitValue turn = taken.turn;
    TurnLimits stored = settings().limits;
    for (auto row = m_rows.begin(); row != m_rows.end(); ++row) {
        const QString problem =
            sentenceFor(row.key(), row.value()->time(), turn, problems.value(row.key()));
        row.value()->setProblem(problem);
        if (!problem.isEmpty())
            *valueOf(taken, row.key()) = *valueOf(stored, row.key());
    }
    // One sentence serves both first-token limits; it stands where the value is.
    TurnLimits local = stored;
    local.localFirstToken = m_localFirstToken->time();
    local.turn.reset();
    const QString localProblem = problemsOf(local).value(Limit::FirstToken);
    m_localFirstToken->setProblem(localProblem);
    if (!localProblem.isEmpty()) {
        taken.localFirstToken = stored.localFirstToken;
        TurnLimits alone = taken;
        alone.firstToken = m_rows.value(Limit::FirstToken)->time();
        m_rows.value(Limit::FirstToken)->setProblem(problemsOf(alone).value(Limit::FirstToken));
    }
    const bool callsAreWrong =
        taken.modelCalls && (*taken.modelCalls < 1 || *taken.modelCalls > MostModelCalls);
    m_modelCalls->setProblem(callsAreWrong ? tr("Must be between 1 and %1.").arg(MostModelCalls)
                                           : QString());
    if (callsAreWrong)
        taken.modelCalls = stored.modelCalls;
    if (!problemsOf(taken).isEmpty())
        return;
    const QScopedValueRollback saving(m_isSaving, true);
    change([&taken](Settings &s) { s.limits = taken; });
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "conversation/markdownexport.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

Conversation conversation(const std::vector<ContentBlock> &blocks)
{
    TurnRecord turn;
    turn.id = TurnId(u"t"_s);
    turn.userText = u"What is it?"_s;
    turn.model = u"qwen3:8b"_s;
    turn.answer = {{blocks, {}, false}};
    Conversation conversation;
    conversation.title = u"A *title*"_s;
    conversation.turns = {turn};
    conversation.activeTurn = turn.id;
    return conversation;
}

QString exportedText(const QString &text)
{
    const QString page = toMarkdown(conversation({TextBlock{text}}));
    const QString heading = u"## Answer (qwen3\\:8b)\n\n"_s;
    return page.mid(page.indexOf(heading) + heading.size()).chopped(1);
}

} // namespace

class TestMarkdownExport final : public QObject
{
    Q_OBJECT

private slots:
    void aConversationReadsAsAPage()
    {
        Conversation exported = conversation({TextBlock{u"It is **4**."_s}});
        TurnOutcome outcome;
        outcome.status = TurnStatus::Stopped;
        outcome.reason = CancellationReason();
        outcome.endedAt = QDateTime(QDate(2024, 5, 6), QTime(14, 2, 11));
        outcome.duration = std::chrono::milliseconds(12'400);
        outcome.usage.output = 348;
        exported.turns[0].outcome = outcome;
        QCOMPARE(
            toMarkdown(exported),
            u"# A \\*title\\*\n\n## You\n\nWhat is it?\n\n## Answer (qwen3\\:8b)\n\n"
            "It is **4**.\n\n"
            "*Stopped by you · 2024\\-05\\-06 14\\:02\\:11 · after 12\\.4 s · 348 tokens*\n\n"_s);
    }
    void onlyTheBranchThatIsShownIsExported()
    {
        Conversation exported = conversation({TextBlock{u"first version"_s}});
        TurnRecord other = exported.turns[0];
        other.id = TurnId(u"u"_s);
        other.answer = {{{TextBlock{u"second version"_s}}, {}, true}};
        exported.turns.push_back(other);
        exported.activeTurn = other.id;
        const QString page = toMarkdown(exported);
        QVERIFY(page.contains(u"second version"_s));
        QVERIFY(!page.contains(u"first version"_s));
    }
    void theFootNamesWhatEndedTheTurn_data()
    {
        QTest::addColumn<TurnStatus>("status");
        QTest::addColumn<CancellationCause>("cause");
        QTest::addColumn<QString>("foot");
        QTest::newRow("finished") << TurnStatus::Completed << CancellationCause::User
                                  << u"*Finished*"_s;
        QTest::newRow("stopped") << TurnStatus::Stopped << CancellationCause::User
                                 << u"*Stopped by you*"_s;
        QTest::newRow("limit") << TurnStatus::TimedOut << CancellationCause::SilenceLimit
                               << u"*Silence limit of 2 min 0 s reached*"_s;
        QTest::newRow("budget") << TurnStatus::LimitReached << CancellationCause::TokenBudget
                                << u"*Token budget used up*"_s;
        QTest::newRow("failed") << TurnStatus::Failed << CancellationCause::User
                                << u"*Failed\\: the server closed the connection*"_s;
    }
    void theFootNamesWhatEndedTheTurn()
    {
        QFETCH(TurnStatus, status);
        QFETCH(CancellationCause, cause);
        QFETCH(QString, foot);
        Conversation exported = conversation({});
        TurnOutcome outcome;
        outcome.status = status;
        outcome.reason = CancellationReason{cause, {}, {}, {}};
        outcome.limit = LimitInfo{Limit::Silence, std::chrono::minutes(2)};
        outcome.error = Error(ErrorCode::ConnectionLost, u"the server closed the connection"_s);
        exported.turns[0].outcome = outcome;
        QVERIFY2(toMarkdown(exported).endsWith(foot + u"\n\n"_s), qPrintable(toMarkdown(exported)));
    }
    void aTurnThatACrashHasCutSaysSo()
    {
        Conversation exported = conversation({TextBlock{u"half"_s}});
        exported.turns[0].cutByCrash = true;
        QVERIFY(toMarkdown(exported).endsWith(u"*Cut when the application ended*\n\n"_s));
    }
    void toolOutputCannotLeaveItsBlock()
    {
        ToolCallBlock call;
        call.name = u"run_command"_s;
        call.arguments = u"{\"command\":\"ls\"}"_s;
        call.slot.state = ToolState::Finished;
        call.slot.output = u"````\n![x](http://evil/)\n`````"_s;
        const QString page = toMarkdown(conversation({call}));
        QVERIFY(page.contains(u"**Tool run\\_command** (finished)\n\n"
                              "```json\n{\"command\":\"ls\"}\n```\n\n"
                              "``````\n````\n![x](http://evil/)\n`````\n``````\n"_s));
    }

    void nothingInATextIsActive_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("exported");
        QTest::newRow("image") << u"![x](http://e/)"_s << u"!\\[x](http://e/)\n"_s;
        QTest::newRow("escaped image") << u"\\![x](u)"_s << u"\\!\\[x](u)\n"_s;
        QTest::newRow("html") << u"<img src=x>\n</p> a < b"_s
                              << u"&lt;img src=x>\n&lt;/p> a < b\n"_s;
        QTest::newRow("comment") << u"<!-- x --><?p?>"_s << u"&lt;!-- x -->&lt;?p?>\n"_s;
        QTest::newRow("code stays code")
            << u"```rust\nvec![<T>]\n```\n![x](u)"_s << u"```rust\nvec![<T>]\n```\n!\\[x](u)\n"_s;
        QTest::newRow("a fence that is closed by an indented one")
            << u"```\na\n   ````  \n![x](u)"_s << u"```\na\n   ````  \n!\\[x](u)\n"_s;
        QTest::newRow("a tilde does not close backticks")
            << u"```\n~~~\n![x](u)\n```"_s << u"```\n~~~\n![x](u)\n```\n"_s;
        QTest::newRow("a code span is no fence")
            << u"``` a ```\n![x](u)"_s << u"``` a ```\n!\\[x](u)\n"_s;
        QTest::newRow("an indented fence is not believed")
            << u"- ```\n  ```\n![x](u)"_s << u"- ```\n  ```\n!\\[x](u)\n"_s;
        QTest::newRow("an open fence is closed") << u"````\n![x]"_s << u"````\n![x]\n````\n"_s;
        QTest::newRow("other line ends")
            << u"```\r![x]\r```\r\n![x]"_s << u"```\n![x]\n```\n!\\[x]\n"_s;
    }
    void nothingInATextIsActive()
    {
        QFETCH(QString, text);
        QTEST(exportedText(text), "exported");
    }
    void thoughtsAreNotExported()
    {
        const QString page =
            toMarkdown(conversation({ThinkingBlock{u"secret thought"_s, {}, true, {}}}));
        QVERIFY(!page.contains(u"secret thought"_s));
    }
};

QTEST_APPLESS_MAIN(TestMarkdownExport)
#include "tst_markdownexport.moc"

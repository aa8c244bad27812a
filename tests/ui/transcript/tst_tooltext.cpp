// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/tooltext.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestToolText : public QObject
{
    Q_OBJECT

private slots:
    void namesBecomeTitles_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("title");
        QTest::newRow("built in") << u"run_command"_s << u"Run command"_s;
        QTest::newRow("as in the settings") << u"list_directory"_s << u"List files"_s;
        QTest::newRow("an abbreviation") << u"http_request"_s << u"HTTP request"_s;
        QTest::newRow("of a server") << u"github__list_issues"_s << u"List issues (github)"_s;
        QTest::newRow("hostile") << u"a\u202Eb\n"_s << u"A‹U+202E›b"_s;
        QTest::newRow("empty") << QString() << QString();
    }
    void namesBecomeTitles()
    {
        QFETCH(QString, name);
        QTEST(toolTitle(name), "title");
    }

    void argumentsAreShownExactly_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("summary");
        QTest::newRow("command") << uR"({"command":"ls -l"})"_s << u"ls -l"_s << u"ls -l"_s;
        QTest::newRow("more") << uR"({"path":"a.txt","content":"x\ny","mode":3})"_s
                              << u"a.txt\ncontent:\nx\ny\nmode: 3"_s << u"a.txt"_s;
        QTest::newRow("nested") << uR"({"a":{"b":[1]}})"_s << u"a: {\"b\":[1]}"_s
                                << u"a: {\"b\":[1]}"_s;
        QTest::newRow("invalid") << u"{\"command\": \"l"_s << u"{\"command\": \"l"_s
                                 << u"{\"command\": \"l"_s;
        QTest::newRow("none") << u"{}"_s << QString() << QString();
        QTest::newRow("lines") << uR"({"command":"a\nb"})"_s << u"a\nb"_s << u"a b"_s;
        QTest::newRow("change")
            << uR"({"path":"a.txt","new_text":"b\nc\n","old_text":"-a","replace_all":true})"_s
            << u"a.txt\nreplace_all: true\n- -a\n+ b\n+ c"_s << u"a.txt"_s;
        QTest::newRow("override") << u"{\"command\":\"a\u202Eb\"}"_s << u"a\u202Eb"_s
                                  << u"a‹U+202E›b"_s;
    }
    void argumentsAreShownExactly()
    {
        QFETCH(QString, arguments);
        QTEST(toolArguments(arguments), "shown");
        QTEST(toolSummary(arguments), "summary");
    }

    // behaviours: 288
    void aSummaryIsBoundedWhateverIsInIt()
    {
        const QString longText = u"x"_s.repeated(200'000);
        const QString hostile = u"\u202E"_s.repeated(200'000);
        for (const QString &text : {longText, hostile}) {
            for (const QString &arguments : {text, u"{\"command\":\"%1\"}"_s.arg(text),
                                             u"{\"deep\":[[\"%1\"]]}"_s.arg(text)}) {
                QVERIFY(!toolSummary(arguments).isEmpty());
                QVERIFY(toolSummary(arguments).size() <= 300);
                QVERIFY(!toolSummary(arguments).contains(u'\n'));
                QVERIFY(!toolSummary(arguments).contains(u'\u202E'));
            }
            QVERIFY(toolTitle(text).size() <= 60);
        }
    }
    // behaviours: 288
    void aFailureIsNamedAndNotDumped()
    {
        ToolSlot slot;
        slot.state = ToolState::Failed;
        slot.note = u"Traceback (most recent call last): secret"_s.repeated(1000);
        slot.output = slot.note;
        QCOMPARE(toolStateText(slot, {}), u"failed"_s);
        QVERIFY(toolWarning(slot.state).isEmpty());
    }
    void everyStateHasItsWords_data()
    {
        QTest::addColumn<ToolState>("state");
        QTest::addColumn<QString>("words");
        QTest::newRow("waiting") << ToolState::Waiting << u"waiting"_s;
        QTest::newRow("asking") << ToolState::Asking << u"asks you"_s;
        QTest::newRow("running") << ToolState::Running << u"12.0 s"_s;
        QTest::newRow("finished") << ToolState::Finished << u"4.1 s"_s;
        QTest::newRow("failed") << ToolState::Failed << u"failed, exit status 2"_s;
        QTest::newRow("stopped") << ToolState::Interrupted << u"stopped after 4.1 s"_s;
        QTest::newRow("limit") << ToolState::TimedOut << u"limit of 4 s"_s;
        QTest::newRow("not run") << ToolState::NotRun << u"not started"_s;
        QTest::newRow("still running") << ToolState::StillRunning << u"still running"_s;
    }
    void everyStateHasItsWords()
    {
        QFETCH(ToolState, state);
        ToolSlot slot;
        slot.state = state;
        slot.exitStatus = 2;
        slot.duration = std::chrono::milliseconds(4100);
        slot.startedAt = QDateTime(QDate(2026, 1, 1), QTime(12, 0), Qt::UTC);
        QTEST(toolStateText(slot, slot.startedAt.addSecs(12)), "words");
    }
    void whatWasUndoneSaysSo()
    {
        ToolSlot slot;
        slot.state = ToolState::Finished;
        slot.undoneAt = QDateTime(QDate(2026, 1, 1), QTime(12, 0), Qt::UTC);
        QCOMPARE(toolStateText(slot, slot.undoneAt), u"undone by you"_s);
        QVERIFY(toolMark(slot) != Mark::Finished);
    }
};

QTEST_APPLESS_MAIN(TestToolText)
#include "tst_tooltext.moc"

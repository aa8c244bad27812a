// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeleventlog.h"
#include "provider/guideintent.h"
#include "provider/guideprovider.h"
#include "support/manualclock.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

HistoryMessage user(const QString &text)
{
    return {HistoryRole::User, {TextBlock{text}}, {}, {}};
}

HistoryMessage guide(std::vector<HistoryBlock> blocks)
{
    return {HistoryRole::Assistant, std::move(blocks), {}, u"guide"_s};
}

std::vector<ToolDefinition> allTools()
{
    std::vector<ToolDefinition> tools;
    for (const QString &name : {u"run_command"_s, u"read_file"_s, u"list_directory"_s,
                                u"search_files"_s, u"http_request"_s})
        tools.push_back({name, {}, {}});
    return tools;
}

ModelRequest requestWith(const History &history)
{
    ModelRequest request;
    request.history = history;
    request.tools = allTools();
    return request;
}

const GuideBook &book()
{
    static const GuideBook book = GuideBook::fromFolder(u":/guide"_s);
    return book;
}

// All of an answer, in the time of a clock that does not wait.
ModelEventLog answerTo(const ModelRequest &request)
{
    const ManualClock clock(ManualClock::Mode::Automatic);
    GuideProvider provider(book(), clock);
    const auto stream = provider.start(request, {});
    ModelEventLog log;
    for (;;) {
        const auto next = stream->next({}, {});
        if (!next || !std::holds_alternative<ModelEvent>(*next))
            return log;
        const ModelEvent &event = std::get<ModelEvent>(*next);
        log.add(event);
        if (std::holds_alternative<AnswerEnded>(event))
            return log;
    }
}

ModelEventLog answerTo(const QString &question)
{
    return answerTo(requestWith({user(question)}));
}

} // namespace

class tst_GuideProvider : public QObject
{
    Q_OBJECT

private slots:
    void thePagesAreThere()
    {
        QVERIFY(book().pages().contains(u"Stop"_s));
        QVERIFY(book().pages().size() >= 9);
        QVERIFY(!book().wholeText().contains(u"<!--"));
        QVERIFY(!book().wholeText().contains(QRegularExpression(u"\\b(oops|abort)"_s)));
    }

    void questionsFindTheirSection_data()
    {
        QTest::addColumn<QString>("question");
        QTest::addColumn<QString>("heading");
        const auto row = [](const QString &question, const QString &heading) {
            QTest::newRow(qPrintable(question)) << question << heading;
        };
        row(u"What happens when I press Stop?"_s, u"What happens when you press Stop"_s);
        row(u"How do I set a time limit for a turn?"_s, u"Set a time limit for a turn"_s);
        row(u"How can I change the limits"_s, u"Set a time limit for a turn"_s);
        row(u"can I continue an answer tomorrow?"_s, u"Continue an answer"_s);
        row(u"How do I connect Ollama?"_s, u"A model on this computer"_s);
        row(u"Where is my API key stored?"_s, u"Keys"_s);
        row(u"Which keyboard shortcuts are there?"_s, u"Shortcuts"_s);
        row(u"What does “Always allow” do"_s, u"Allow or deny a call"_s);
        row(u"how do i delete a conversation"_s, u"Search, rename, delete"_s);
        row(u"what is a turn"_s, u"What a turn is"_s);
        row(u"export to markdown"_s, u"Export and import"_s);
        row(u"is my data private?"_s, u"History, data and privacy"_s);
        row(u"second stop"_s, u"Stopping at once"_s);
        row(u"the answer breaks off"_s, u"The answer breaks off"_s);
    }

    void questionsFindTheirSection()
    {
        QFETCH(QString, question);
        QFETCH(QString, heading);
        const QString text = answerTo(question).text();
        QVERIFY2(text.startsWith(u"**"_s + heading + u"**"_s), qPrintable(text.left(200)));
    }

    void theGuideSaysWhatItIs()
    {
        for (const QString &question :
             {u"Hello!"_s, u"Are you an AI?"_s, u"What is the capital of France?"_s, u"qwertz"_s,
              QString()})
            QVERIFY2(answerTo(question).text().contains(u"not an AI"), qPrintable(question));
        QVERIFY(answerTo(u"What is the capital of France?"_s)
                    .text()
                    .contains(u"says nothing about that"));
        QCOMPARE(GuideProvider(book()).kind(), u"guide"_s);
    }

    void toolsAreRunOnRequest_data()
    {
        QTest::addColumn<QString>("message");
        QTest::addColumn<QStringList>("calls");
        const auto row = [](const QString &message, const QStringList &calls) {
            QTest::newRow(qPrintable(message)) << message << calls;
        };
        const QString sleep = u"run_command {\"command\":\"sleep 30\"}"_s;
        row(u"Run “sleep 30” so that I can stop it"_s, {sleep});
        row(u"run sleep 30"_s, {sleep});
        row(u"Please run sleep 30."_s, {sleep});
        row(u"can you execute the command `sleep 30`?"_s, {sleep});
        row(u"run sleep 30 so that I can stop it"_s, {sleep});
        row(u"RUN \"sleep 30\""_s, {sleep});
        row(u"Run “sleep 30” and “echo done”"_s,
            {sleep, u"run_command {\"command\":\"echo done\"}"_s});
        row(u"read file notes.txt"_s, {u"read_file {\"path\":\"notes.txt\"}"_s});
        row(u"Show me the file “my notes.txt”"_s, {u"read_file {\"path\":\"my notes.txt\"}"_s});
        row(u"list files"_s, {u"list_directory {\"path\":\".\"}"_s});
        row(u"List the files in src"_s, {u"list_directory {\"path\":\"src\"}"_s});
        row(u"search for tax in files"_s, {u"search_files {\"text\":\"tax\"}"_s});
        row(u"fetch https://example.org/a?b=1"_s,
            {u"http_request {\"url\":\"https://example.org/a?b=1\"}"_s});
        row(u"How do I run a command?"_s, {});
        row(u"What happens to a running command?"_s, {});
        row(u"run away with me?"_s, {});
    }

    void toolsAreRunOnRequest()
    {
        QFETCH(QString, message);
        QFETCH(QStringList, calls);
        const ModelEventLog log = answerTo(message);
        QStringList called;
        for (const QString &line : log.lines().filter(QRegularExpression(u"^Call "_s)))
            called.append(line.section(u' ', 2));
        QCOMPARE(called, calls);
        QVERIFY(log.lines().last().startsWith(u"End endTurn"_s));
    }

    void aToolThatIsNotThereIsNamed()
    {
        ModelRequest request = requestWith({user(u"run sleep 30"_s)});
        request.tools.clear();
        const ModelEventLog log = answerTo(request);
        QVERIFY(log.text().contains(u"Settings > Tools"));
        QVERIFY(log.lines().filter(u"Call "_s).isEmpty());
    }

    void resultsAreSummed_data()
    {
        QTest::addColumn<QString>("output");
        QTest::addColumn<bool>("isError");
        QTest::addColumn<QString>("says");
        QTest::newRow("silent") << QString() << false << u"gave no output"_s;
        QTest::newRow("output") << u"one\ntwo"_s << false << u"```\none\ntwo\n```"_s;
        QTest::newRow("fence in the output") << u"```\nx"_s << false << u"````\n```\nx\n````"_s;
        QTest::newRow("long") << QString(u"line\n"_s).repeated(500) << false << u"…"_s;
        QTest::newRow("stopped") << u"Interrupted: by you; may or may not have taken effect"_s
                                 << true << u"may or may not have taken effect"_s;
        QTest::newRow("denied") << u"Not run: denied"_s << true << u"was not run"_s;
        QTest::newRow("failed") << u"exit status 2"_s << true << u"exit status 2"_s;
    }

    void resultsAreSummed()
    {
        QFETCH(QString, output);
        QFETCH(bool, isError);
        QFETCH(QString, says);
        const History history{
            user(u"run sleep 30"_s),
            guide({TextBlock{u"I ask"_s},
                   HistoryCall{u"a"_s, u"run_command"_s, u"{\"command\":\"sleep 30\"}"_s, {}}}),
            {HistoryRole::Tool, {HistoryResult{u"a"_s, output, isError}}, {}, {}}};
        const ModelEventLog log = answerTo(requestWith(history));
        QVERIFY2(log.text().contains(says) && log.text().contains(u"`sleep 30`"),
                 qPrintable(log.text()));
        QVERIFY(log.text().size() < 3000);
        QVERIFY(log.lines().filter(u"Call "_s).isEmpty());
    }

    void aCutAnswerGoesOnExactlyThere()
    {
        // behaviours: 188
        for (const QString &question :
             {u"What happens when I press Stop?"_s, u"run sleep 30"_s, u"hello"_s}) {
            const ModelEventLog whole = answerTo(question);
            for (qsizetype at = 1; at < whole.text().size(); at += 7) {
                ModelRequest request =
                    requestWith({user(question), guide({TextBlock{whole.text().first(at)}})});
                request.continueAnswer = true;
                const ModelEventLog rest = answerTo(request);
                QCOMPARE(whole.text().first(at) + rest.text(), whole.text());
                QCOMPARE(rest.lines().filter(u"Call "_s), whole.lines().filter(u"Call "_s));
            }
        }
        QVERIFY(GuideProvider(book()).canContinueAnswer({}));
    }

    void aLongAnswerIsLong()
    {
        const QString text = answerTo(u"Tell me a long story"_s).text();
        QVERIFY(text.size() > 8000);
        QCOMPARE(answerTo(u"write a very long answer, please"_s).text(), text);
    }

    void wordsComeAtThePaceOfReading()
    {
        ManualClock clock;
        GuideProvider provider(book(), clock);
        const auto stream = provider.start(requestWith({user(u"hello"_s)}), {});
        QVERIFY(stream->next({}, {}).ok()); // the connection
        const auto nothingYet = [&] {
            const auto next = stream->next({}, clock.now());
            return next.ok() && std::holds_alternative<NoEventInTime>(*next);
        };
        QVERIFY(nothingYet());
        clock.advance(FirstWordAfter);
        for (int word = 0; word < 10; ++word) {
            const auto next = stream->next({}, clock.now());
            QVERIFY(next.ok() && std::holds_alternative<TextDelta>(std::get<ModelEvent>(*next)));
            QVERIFY(nothingYet());
            clock.advance(25ms);
        }
    }

    void stopActsInTheMiddleOfAnAnswer()
    {
        // behaviours: 49
        ManualClock clock; // stands still: the stream would wait for ever
        GuideProvider provider(book(), clock);
        const CancellationSource source;
        const auto stream = provider.start(requestWith({user(u"hello"_s)}), source.token());
        clock.advance(FirstWordAfter);
        QVERIFY(stream->next(source.token(), {}).ok());
        QVERIFY(stream->next(source.token(), {}).ok());
        std::thread stopper([&] { source.cancel(CancellationCause::User, u"enough"_s); });
        const auto next = stream->next(source.token(), {});
        stopper.join();
        QVERIFY(next.isCancelled());
        QCOMPARE(next.error().cancellation->reasonText(), u"enough"_s);
        QVERIFY(stream->state() == StreamState::Cancelled);
        stream->resume();
        QVERIFY(stream->state() == StreamState::Cancelled);
    }

    void pauseHoldsTheWords()
    {
        // behaviours: 289, 290
        const ManualClock clock(ManualClock::Mode::Automatic);
        GuideProvider provider(book(), clock);
        const auto stream = provider.start(requestWith({user(u"hello"_s)}), {});
        QVERIFY(stream->next({}, {}).ok());
        QVERIFY(std::holds_alternative<ModelEvent>(*stream->next({}, {})));
        stream->pause();
        QVERIFY(stream->state() == StreamState::Paused);
        QVERIFY(std::holds_alternative<NoEventInTime>(*stream->next({}, clock.now() + 10min)));
        stream->resume();
        QVERIFY(stream->state() == StreamState::Active);
        QVERIFY(std::holds_alternative<ModelEvent>(*stream->next({}, {})));
    }

    void thePromptsOfTheFirstStartGetGoodAnswers()
    {
        QVERIFY(answerTo(u"What happens when I press Stop?"_s).text().contains(u"closed at once"));
        QVERIFY(answerTo(u"How do I set a time limit for a turn?"_s)
                    .text()
                    .contains(u"Settings > Limits"));
        QVERIFY(answerTo(u"Run “sleep 30” so that I can stop it"_s)
                    .lines()
                    .filter(u"Call "_s)
                    .first()
                    .contains(u"run_command {\"command\":\"sleep 30\"}"));
    }

private:
    static constexpr auto FirstWordAfter = 200ms;
};

QTEST_GUILESS_MAIN(tst_GuideProvider)
#include "tst_guideprovider.moc"

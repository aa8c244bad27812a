// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"
#include "ui/style/fermatastyle.h"
#include "ui/transcript/approvalcard.h"
#include "ui/transcript/blockpart.h"
#include "ui/transcript/transcriptview.h"

#include <QClipboard>
#include <QElapsedTimer>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>

#include <random>

#ifdef Q_OS_LINUX
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// A view with a conversation that grows as a session makes it grow.
struct Stage
{
    explicit Stage(Conversation shown, QSize size = {900, 600}) : conversation(std::move(shown))
    {
        view.resize(size);
        view.setConversation(&conversation);
        view.show();
        view.refreshNow();
    }
    void apply(std::vector<TurnEvent> events)
    {
        TurnRecord *turn = conversation.find(conversation.activeTurn);
        for (const TurnEvent &event : events)
            fermata::apply(*turn, event);
        view.apply({turn->id, std::move(events)});
    }
    void appendText(const QString &text) { apply({TextAppended{text}}); }
    TurnOutcome outcome(TurnStatus status) const
    {
        TurnOutcome outcome;
        outcome.turn = conversation.activeTurn;
        outcome.status = status;
        outcome.endedAt = QDateTime::currentDateTimeUtc();
        outcome.reason = CancellationReason();
        return outcome;
    }
    QPushButton *button(const QString &name) const
    {
        for (QPushButton *candidate : view.findChildren<QPushButton *>()) {
            if (candidate->accessibleName() == name && candidate->isVisible())
                return candidate;
        }
        return nullptr;
    }
    int position() const { return view.verticalScrollBar()->value(); }
    bool isAtBottom() const
    {
        return view.verticalScrollBar()->value() == view.verticalScrollBar()->maximum();
    }
    // Where the first line of a row is seen.
    int rowTop(int row) const { return view.rowRect(row).top(); }

    Conversation conversation;
    TranscriptView view;
};

QString longText()
{
    QString text;
    for (int i = 0; i < 30; ++i)
        text += samples::markdown(i);
    return text;
}

} // namespace

class TestTranscriptView : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QApplication::setStyle(new FermataStyle(lightTheme()));
        QApplication::setFont(QFont(u"Noto Sans"_s, 10));
    }

    void itOpensAtTheEnd()
    {
        QElapsedTimer time;
        const Conversation conversation = samples::longConversation(5'000);
        TranscriptView view;
        view.resize(900, 700);
        view.show();
        time.start();
        view.setConversation(&conversation);
        view.grab();
        qInfo("10,000 messages to the first picture: %lld ms", time.elapsed());
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        QVERIFY(view.rowRect(view.model().rowCount() - 1).bottom() < 700);
    }

    void itFollowsTheEndOnlyIfTheReaderIsThere()
    {
        Stage stage(samples::running(longText()));
        QVERIFY(stage.isAtBottom());
        stage.appendText(u"\n\nMore text.\n\n"_s.repeated(20));
        stage.view.refreshNow();
        QVERIFY(stage.isAtBottom());
        QVERIFY(!stage.button(u"New text"_s));

        QTest::keyClick(&stage.view, Qt::Key_PageUp);
        QVERIFY(!stage.isAtBottom());
        const int top = stage.rowTop(1);
        stage.appendText(u"\n\nEven more text.\n\n"_s.repeated(20));
        stage.view.refreshNow();
        QCOMPARE(stage.rowTop(1), top); // what is read has not moved
        QVERIFY(!stage.isAtBottom());
        QPushButton *newText = stage.button(u"New text"_s);
        QVERIFY(newText);
        QTest::mouseClick(newText, Qt::LeftButton);
        QVERIFY(stage.isAtBottom());
        QVERIFY(!stage.button(u"New text"_s));
    }

    void scrollingUpOverWhatWasNeverSeenDoesNotJump()
    {
        Stage stage(samples::longConversation(300));
        for (int i = 0; i < 200; ++i) {
            // A row that is seen moves exactly by what was scrolled, however wrong the estimates above it were.
            const int row = stage.view.rowAt(QPoint(300, 300));
            const int before = row < 0 ? 0 : stage.rowTop(row);
            QTest::keyClick(&stage.view, Qt::Key_Up);
            if (row >= 0)
                QVERIFY2(std::abs(stage.rowTop(row) - (before + 44)) <= 4,
                         qPrintable(QString::number(stage.rowTop(row) - before)));
        }
        QTest::keyClick(&stage.view, Qt::Key_Home);
        QCOMPARE(stage.position(), 0);
        QCOMPARE(stage.rowTop(0), 16);
        QTest::keyClick(&stage.view, Qt::Key_End);
        QVERIFY(stage.isAtBottom());
    }

    void aResizeKeepsWhatIsRead()
    {
        Stage stage(samples::longConversation(200), {1000, 600});
        stage.view.showTurn(stage.conversation.turns[100].id);
        QCOMPARE(stage.rowTop(200), 16);
        for (const int width : {500, 700, 380, 1000}) {
            stage.view.resize(width, 600);
            QVERIFY2(std::abs(stage.rowTop(200) - 16) <= 2,
                     qPrintable(QString::number(stage.rowTop(200))));
        }
    }

    void streamedTextLooksLikeTheWhole()
    {
        const unsigned seed = qEnvironmentVariableIsSet("FERMATA_SEED")
            ? unsigned(qEnvironmentVariableIntValue("FERMATA_SEED"))
            : std::random_device{}();
        qInfo("FERMATA_SEED=%u", seed);
        std::mt19937 random(seed);
        const QString text = longText().left(12'000);
        Stage streamed(samples::running({}), {800, 900});
        for (qsizetype at = 0; at < text.size();) {
            const qsizetype size =
                std::min<qsizetype>(1 + qsizetype(random() % 40), text.size() - at);
            streamed.appendText(text.mid(at, size));
            if (random() % 4 == 0)
                streamed.view.refreshNow();
            at += size;
        }
        streamed.apply({TurnFinished{streamed.outcome(TurnStatus::Completed)}});
        const TurnId turn = streamed.conversation.activeTurn;
        streamed.view.showTurn(turn);

        Stage whole(streamed.conversation, {800, 900});
        whole.view.showTurn(turn);
        // The scroll bar of what has grown comes with the next layout.
        QTRY_COMPARE(streamed.view.viewport()->size(), whole.view.viewport()->size());
        streamed.view.showTurn(turn);
        for (int page = 0; page < 8; ++page) {
            QCOMPARE(streamed.position(), whole.position());
            QCOMPARE(streamed.view.viewport()->grab().toImage(),
                     whole.view.viewport()->grab().toImage());
            QTest::keyClick(&streamed.view, Qt::Key_PageDown);
            QTest::keyClick(&whole.view, Qt::Key_PageDown);
        }
    }

    void twentyThousandTokensAreTimed()
    {
        Stage stage(samples::running({}), {900, 700});
        QString text;
        for (int i = 0; text.size() < 80'000; ++i)
            text += samples::markdown(i);
        QElapsedTimer whole;
        whole.start();
        qint64 longest = 0;
        for (qsizetype at = 0; at < text.size(); at += 64) { // a batch of 16 tokens
            QElapsedTimer time;
            time.start();
            stage.appendText(text.mid(at, 64));
            stage.view.refreshNow();
            longest = std::max(longest, time.nsecsElapsed());
        }
        qInfo("20,000 tokens laid out: %lld ms, longest batch %.2f ms", whole.elapsed(),
              double(longest) / 1e6);
        QVERIFY(stage.isAtBottom());
    }

    void textOfAModelOpensNothing()
    {
#ifdef Q_OS_LINUX
        QTemporaryDir folder;
        const QString picture = folder.filePath(u"secret.png"_s);
        QImage image(4, 4, QImage::Format_RGB32);
        image.fill(Qt::red);
        QVERIFY(image.save(picture));
        const QString pipe = folder.filePath(u"pipe.png"_s);
        QCOMPARE(mkfifo(pipe.toLocal8Bit().constData(), 0600), 0);

        const int watch = inotify_init1(IN_NONBLOCK);
        QVERIFY(watch >= 0);
        for (const QString &path : {folder.path(), picture, pipe})
            QVERIFY(inotify_add_watch(watch, path.toLocal8Bit().constData(), IN_OPEN | IN_ACCESS)
                    >= 0);

        const QStringList forms{u"![a](%1)"_s,
                                u"![a](<%1>)"_s,
                                u"![a](%1 \"title\")"_s,
                                u"![a][r]\n\n[r]: %1"_s,
                                u"![r]\n\n[r]: %1"_s,
                                u"![r][]\n\n[r]: <%1>"_s,
                                u"- ![a](%1)"_s,
                                u"> ![a](%1)"_s,
                                u"# ![a](%1)"_s,
                                u"**![a](%1)**"_s,
                                u"[![a](%1)](%1)"_s,
                                u"![![a](%1)](%1)"_s,
                                u"|![a](%1)|\n|---|\n|![b](%1)|"_s,
                                u"<img src=\"%1\">"_s,
                                u"<img src='%1'/>"_s,
                                u"<IMG SRC=%1>"_s,
                                u"<svg><image href=\"%1\"/></svg>"_s,
                                u"<object data=\"%1\"></object>"_s,
                                u"<style>body{background:url(%1)}</style>"_s,
                                u"<link rel=stylesheet href=\"%1\">"_s,
                                u"<table background=\"%1\"><tr><td>x</td></tr></table>"_s,
                                u"[a](%1)"_s,
                                u"<%1>"_s,
                                u"`![a](%1)`"_s,
                                u"```html\n<img src=\"%1\">\n```"_s,
                                u"~~![a](%1)~~"_s,
                                u"1. ![a](%1)\n2. ![b](%1)"_s,
                                u"<video src=\"%1\" autoplay>"_s};
        const QStringList targets{picture,       u"file://"_s + picture, u"secret.png"_s,
                                  u"pipe.png"_s, u"file://"_s + pipe,    u"file:///dev/zero"_s};
        // Relative addresses would lead into the folder.
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(folder.path()));
        int documents = 0;
        for (const QString &form : forms) {
            for (const QString &target : targets) {
                Stage stage(samples::running(QString(form).replace(u"%1"_s, target)), {600, 300});
                stage.view.grab();
                stage.view.selectAll();
                stage.view.grab();
                // There is no document that could load anything.
                QVERIFY(stage.view.findChildren<QTextDocument *>().isEmpty());
                ++documents;
            }
        }
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(documents > 150);
        char events[4096];
        const ssize_t size = read(watch, events, sizeof events);
        close(watch);
        QVERIFY2(size <= 0, "something was opened while text was shown");
#else
        QSKIP("needs inotify");
#endif
    }

    void theWholeConversationIsCopiedAsItsSource()
    {
        Stage stage(samples::longConversation(2));
        QTest::keySequence(&stage.view, QKeySequence::SelectAll);
        QTest::keySequence(&stage.view, QKeySequence::Copy);
        const QString copied = QGuiApplication::clipboard()->text();
        QVERIFY(copied.startsWith(stage.conversation.turns[0].userText));
        QVERIFY(copied.contains(stage.conversation.turns[0].answerText()));
        QVERIFY(copied.endsWith(stage.conversation.turns[1].answerText()));
    }

    void aDragSelectsWhatIsSeen()
    {
        Stage stage(samples::running(u"Some words that are long enough."_s), {900, 300});
        const QRect row = stage.view.rowRect(1);
        const QPoint from(row.left(), row.center().y());
        QTest::mousePress(stage.view.viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(stage.view.viewport(), from + QPoint(400, 0));
        QMouseEvent move(QEvent::MouseMove, from + QPoint(400, 0),
                         stage.view.viewport()->mapToGlobal(from + QPoint(400, 0)), Qt::NoButton,
                         Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(stage.view.viewport(), &move);
        QTest::mouseRelease(stage.view.viewport(), Qt::LeftButton, {}, from + QPoint(400, 0));
        QCOMPARE(stage.view.selectedText(), u"Some words that are long enough."_s);
        QTest::mouseDClick(stage.view.viewport(), Qt::LeftButton, {}, from + QPoint(60, 0));
        QCOMPARE(stage.view.selectedText(), u"words"_s);
    }

    void everyEndStateHasTheSameActions_data()
    {
        QTest::addColumn<TurnStatus>("status");
        QTest::newRow("completed") << TurnStatus::Completed;
        QTest::newRow("stopped") << TurnStatus::Stopped;
        QTest::newRow("timed out") << TurnStatus::TimedOut;
        QTest::newRow("limit") << TurnStatus::LimitReached;
        QTest::newRow("failed") << TurnStatus::Failed;
    }
    void everyEndStateHasTheSameActions()
    {
        // behaviours: 54
        QFETCH(TurnStatus, status);
        Stage stage(samples::running(u"Half an answer"_s));
        QVERIFY(!stage.button(u"Continue"_s));
        stage.apply({TurnFinished{stage.outcome(status)}});
        for (const QString &name : {u"Continue"_s, u"Retry"_s, u"Edit"_s, u"Copy"_s, u"Delete"_s})
            QVERIFY2(stage.button(name), qPrintable(name));
        QCOMPARE(buttonKindOf(stage.button(u"Continue"_s)),
                 status == TurnStatus::Completed ? ButtonKind::Flat : ButtonKind::Main);
        // What had come stays.
        QCOMPARE(stage.view.model().messageText(1), u"Half an answer"_s);

        QSignalSpy continued(&stage.view, &TranscriptView::continueRequested);
        QSignalSpy edited(&stage.view, &TranscriptView::editRequested);
        stage.button(u"Continue"_s)->click();
        stage.button(u"Edit"_s)->click();
        stage.button(u"Copy"_s)->click();
        QCOMPARE(continued.size(), 1);
        QCOMPARE(edited[0][1].toString(), u"Go on."_s);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"Half an answer"_s);
    }

    void aQuestionGoesWithItsTurn()
    {
        // behaviours: 75, 78
        Stage stage(samples::askingForApproval());
        stage.apply({ApprovalAsked{samples::approvalRequest()}});
        stage.view.refreshNow();
        QVERIFY(stage.button(u"Deny"_s));
        QVERIFY(stage.view.isApprovalVisible());
        QSignalSpy answered(&stage.view, &TranscriptView::approvalAnswered);
        stage.view.setStopping(); // the flag is set; nothing of the turn has ended yet
        QVERIFY(!stage.button(u"Deny"_s));
        QVERIFY(!stage.button(u"Allow once"_s));
        QCOMPARE(answered.size(), 0);
    }

    void anAnswerNamesItsCall()
    {
        Stage stage(samples::askingForApproval());
        stage.apply({ApprovalAsked{samples::approvalRequest()}});
        stage.view.refreshNow();
        QSignalSpy answered(&stage.view, &TranscriptView::approvalAnswered);
        auto *card = stage.view.findChild<ApprovalCard *>();
        QTRY_VERIFY(card->isArmed());
        stage.button(u"Deny"_s)->click();
        QCOMPARE(answered.size(), 1);
        QCOMPARE(answered[0][0].value<CallId>(), samples::approvalRequest().call);
    }

    void aHiddenQuestionIsToldAndFound()
    {
        Conversation conversation = samples::askingForApproval();
        std::get<TextBlock>(conversation.turns[0].answer[0].blocks[0]).text = longText();
        Stage stage(conversation);
        stage.apply({ApprovalAsked{samples::approvalRequest()}});
        stage.view.refreshNow();
        QVERIFY(stage.view.isApprovalVisible());
        QSignalSpy visible(&stage.view, &TranscriptView::approvalVisibleChanged);
        QTest::keyClick(&stage.view, Qt::Key_Home);
        QCOMPARE(visible.size(), 1);
        QCOMPARE(visible[0][0].toBool(), false);
        stage.view.showApproval();
        QCOMPARE(visible.last()[0].toBool(), true);
        const auto *card = stage.view.findChild<ApprovalCard *>();
        QVERIFY(card->geometry().bottom() <= stage.view.viewport()->height());
    }

    void aRunningToolCanBeStoppedAlone()
    {
        Stage stage(samples::backupRunning(), {900, 800});
        QPushButton *stop = stage.button(u"Stop tool"_s);
        QVERIFY(stop);
        QSignalSpy stopped(&stage.view, &TranscriptView::stopToolRequested);
        stop->click();
        QCOMPARE(stopped.size(), 1);
        const auto &blocks = stage.conversation.turns[0].answer[0].blocks;
        const ToolCallBlock call = std::get<ToolCallBlock>(blocks[4]);
        QCOMPARE(stopped[0][0].value<CallId>(), call.id);
        ToolSlot slot = call.slot;
        slot.state = ToolState::Interrupted;
        stage.apply({ToolStateChanged{call.id, slot}});
        stage.view.refreshNow();
        QVERIFY(!stage.button(u"Stop tool"_s));
    }

    void aChangeOfAFileCanBeUndoneWhenTheTurnHasEnded()
    {
        Stage stage(samples::backupRunning(), {900, 800});
        const auto &blocks = stage.conversation.turns[0].answer[0].blocks;
        const CallId call = std::get<ToolCallBlock>(blocks[4]).id;
        ToolSlot slot;
        slot.state = ToolState::Finished;
        slot.undo = {{u"path"_s, u"a.txt"_s}};
        stage.apply({ToolStateChanged{call, slot}});
        stage.view.refreshNow();
        QPushButton *undo = stage.button(u"Undo"_s);
        QVERIFY(undo);
        QVERIFY(!undo->isEnabled()); // the model still counts on it
        stage.apply({TurnFinished{stage.outcome(TurnStatus::Completed)}});
        stage.view.refreshNow();
        undo = stage.button(u"Undo"_s);
        QVERIFY(undo->isEnabled());
        QVERIFY(!undo->accessibleDescription().isEmpty());
        QSignalSpy wanted(&stage.view, &TranscriptView::undoRequested);
        undo->click();
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<CallId>(), call);
        stage.apply({ToolUndone{call, QDateTime::currentDateTimeUtc()}});
        stage.view.refreshNow();
        QVERIFY(!stage.button(u"Undo"_s));
    }

    void aRunningCardDoesNotGrowWithItsFirstLine()
    {
        Stage stage(samples::running(u"I look."_s));
        ToolCallBlock call;
        call.id = CallId::create();
        call.name = u"run_command"_s;
        call.arguments = uR"({"command":"sleep 30"})"_s;
        ToolSlot slot;
        slot.state = ToolState::Running;
        stage.apply({ToolCallAdded{call}, ToolStateChanged{call.id, slot}});
        stage.view.refreshNow();
        const int row = stage.view.model().rowCount() - 1;
        const int before = stage.view.rowRect(row).height();
        stage.apply({ToolOutputAppended{call.id, u"one line"_s}});
        stage.view.refreshNow();
        QCOMPARE(stage.view.rowRect(row).height(), before);
    }

    void aTextFromRightToLeftBeginsAtTheRight_data()
    {
        QTest::addColumn<QString>("before");
        QTest::newRow("paragraph") << QString();
        QTest::newRow("heading") << u"## "_s;
        QTest::newRow("item") << u"- "_s;
        QTest::newRow("number") << u"1. "_s;
        QTest::newRow("quote") << u"> "_s;
    }
    void aTextFromRightToLeftBeginsAtTheRight()
    {
        QFETCH(QString, before);
        const auto beginsAt = [&](const QString &words) {
            Stage stage(samples::running(before + words));
            const int row = stage.view.model().rowCount() - 1;
            const auto &content = stage.view.layoutOfRows().content(row);
            const Part &part = *content.parts().front().part;
            const QRectF caret = part.endCaret();
            for (int x : {0, 2'000}) {
                if (part.positionAt(QPointF(x, caret.center().y())) == 0)
                    return x;
            }
            return -1;
        };
        QCOMPARE(beginsAt(u"\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"_s), 2'000);
        QCOMPARE(beginsAt(u"shalom olam"_s), 0);
    }

    void aTableGivesCodeTheRoomItTakes()
    {
        const auto heightOf = [](const QString &cell) {
            Stage stage(samples::running(u"|a|b|\n|---|---|\n|lock|%1|\n"_s.arg(cell)));
            const int row = stage.view.model().rowCount() - 1;
            return stage.view.layoutOfRows().content(row).parts().front().part->height();
        };
        // There is room enough: nothing needs a second line.
        QCOMPARE(heightOf(u"`list locks` names `Thursday` only"_s), heightOf(u"x"_s));
    }

    void codeThatWasCutGoesOnAsCode()
    {
        Conversation conversation = samples::running(u"Look:\n\n```py\nretu"_s);
        TurnRecord more;
        more.id = TurnId::create();
        more.kind = TurnKind::Continuation;
        more.parent = conversation.activeTurn;
        more.answer.push_back({{TextBlock{u"rn 42\n```\nDone."_s}}, {}});
        conversation.activeTurn = more.id;
        conversation.turns[0].outcome.emplace();
        conversation.turns.push_back(more);
        Stage stage(conversation);
        const auto kinds = [&] {
            std::vector<MarkdownBlock::Kind> found;
            const int row = stage.view.model().rowCount() - 1;
            for (const auto &placed : stage.view.layoutOfRows().content(row).parts()) {
                if (const auto *part = dynamic_cast<const BlockPart *>(placed.part))
                    found.push_back(part->block().kind);
            }
            return found;
        };
        const std::vector expected{MarkdownBlock::Kind::Code, MarkdownBlock::Kind::Text};
        QVERIFY(kinds() == expected); // while it grows
        stage.apply({TurnFinished{stage.outcome(TurnStatus::Completed)}});
        stage.view.refreshNow();
        QVERIFY(kinds() == expected);
    }

    void versionsCanBeTurned()
    {
        Stage stage(samples::allStates(), {900, 900});
        QSignalSpy wanted(&stage.view, &TranscriptView::versionRequested);
        const int row = stage.view.model().rowCount() - 1;
        const RowContent &content = stage.view.layoutOfRows().content(row);
        const int foot = int(content.parts().size()) - 1;
        for (const PartTarget &target : content.parts()[size_t(foot)].part->targets())
            stage.view.activateTarget(row, foot, target);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted[0][0].value<TurnId>(), stage.conversation.turns[1].id);
    }

    void hugeContentStaysQuick_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("a line of 100,000") << QString(100'000, u'x');
        QTest::newRow("words") << QString(u"word "_s).repeated(20'000);
        QTest::newRow("1 MB of code")
            << u"```\n"_s + QString(u"a line of code;\n"_s).repeated(65'000);
        QTest::newRow("10,000 rows") << u"|a|b|c|\n|---|---|---|\n"_s
                + QString(u"|cell|another|third|\n"_s).repeated(10'000);
        QTest::newRow("500 columns") << QString(u"|a"_s).repeated(500) + u"|\n"_s
                + QString(u"|---"_s).repeated(500) + u"|\n"_s + QString(u"|b"_s).repeated(500)
                + u"|\n"_s;
        QTest::newRow("2,000 quotes") << QString(2'000, u'>') + u" x"_s;
        QTest::newRow("20,000 brackets") << QString(20'000, u'[');
        QTest::newRow("100,000 marks") << u'a' + QString(100'000, QChar(0x0301));
        QTest::newRow("right to left")
            << QString(u"\u05e9\u05dc\u05d5\u05dd abc "_s).repeated(2'000);
        QTest::newRow("odd characters")
            << QString(QChar(0xfffe)) + QChar(0xd800) + u"a"_s + QChar(0xdc00) + QChar(0xffff);
        QTest::newRow("emoji chains")
            << QString::fromUcs4(U"\U0001F468\u200D\U0001F469\u200D\U0001F467").repeated(3'000);
    }
    void hugeContentStaysQuick()
    {
        QFETCH(QString, text);
        QElapsedTimer time;
        time.start();
        Stage stage(samples::running(text));
        stage.view.grab();
        const qint64 opened = time.restart();
        stage.appendText(u" and more"_s);
        stage.view.refreshNow();
        stage.view.grab();
        const qint64 appended = time.restart();
        QTest::keyClick(&stage.view, Qt::Key_Home);
        stage.view.grab();
        qInfo("open %lld ms, append %lld ms, to the start %lld ms", opened, appended,
              time.elapsed());
        QVERIFY(stage.view.verticalScrollBar()->value() == 0);
    }

    void farAwayMessagesAreForgotten()
    {
        Stage stage(samples::longConversation(1'000));
        for (int i = 0; i < 1'000; ++i)
            QTest::keyClick(&stage.view, Qt::Key_PageUp);
        QCOMPARE(stage.position(), 0);
        int kept = 0;
        for (int row = 0; row < stage.view.model().rowCount(); ++row)
            kept += stage.view.layoutOfRows().existingContent(row) ? 1 : 0;
        QVERIFY2(kept < 400, qPrintable(QString::number(kept)));
    }

    void everySizeAndZoomIsPainted()
    {
        Stage stage(samples::allStates());
        for (const QSize size : {QSize(200, 200), QSize(60, 60), QSize(1600, 1200)}) {
            stage.view.resize(size);
            for (const int zoom : {80, 100, 200}) {
                stage.view.setZoom(zoom);
                QVERIFY(!stage.view.grab().isNull());
                QTest::keyClick(&stage.view, Qt::Key_Home);
                QVERIFY(!stage.view.grab().isNull());
            }
        }
    }
};

QTEST_MAIN(TestTranscriptView)
#include "tst_transcriptview.moc"

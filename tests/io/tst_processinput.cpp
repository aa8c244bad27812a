// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/iothread.h"
#include "io/processstream.h"
#include "support/enumcomparison.h"
#include "support/processes.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto LongTime = 20s; // far more than anything here takes
constexpr auto Never = 600s; // a grace that no test waits for

// A shell script that takes input, and what it has said so far.
class Server final
{
public:
    explicit Server(const QString &script)
    {
        ProcessRequest request;
        request.program = u"/bin/sh"_s;
        request.arguments = {u"-c"_s, script};
        request.environment = {{u"PATH"_s, u"/usr/bin:/bin"_s}};
        request.input = ProcessRequest::Input::Pipe;
        request.mergeErrorOutput = false; // a shell tells there what became of its children
        stream = m_io.startProcess(request);
    }

    // Reads until the output ends with `text`.
    bool says(const QByteArray &text)
    {
        while (!output.endsWith(text)) {
            if (!readOne())
                return false;
        }
        return true;
    }

    bool ends()
    {
        while (readOne()) { }
        return exit.has_value();
    }

    std::unique_ptr<ProcessStream> stream;
    QByteArray output;
    std::optional<ProcessExit> exit;

private:
    bool readOne()
    {
        auto event = stream->next({}, steadyClock().now() + LongTime);
        auto *some = event ? std::get_if<ProcessEvent>(&*event) : nullptr;
        if (!some)
            return false;
        if (const auto *bytes = std::get_if<QByteArray>(some)) {
            output += *bytes;
            return true;
        }
        exit = std::get<ProcessExit>(*some);
        return false;
    }

    IoThread m_io;
};

} // namespace

class tst_ProcessInput : public QObject
{
    Q_OBJECT

private slots:
    void whatIsWrittenIsReadInOrder();
    void aProgramWithoutAnInputTakesNoBytes();
    void anInputThatNobodyReadsIsBounded();
    void aProgramThatClosesItsInputIsFoundOut();
    void aProgramThatEndsWithItsInputGetsNoSignal_data();
    void aProgramThatEndsWithItsInputGetsNoSignal();
    void whatAProgramLeavesAtTheEndOfItsInputIsKilled();
    void aProgramThatReadsOnGetsTermAfterTheGrace();
    void whatIgnoresTheEndAndTermIsKilledWithItsGroup();
    void noGraceKillsAtOnce();
    void aSecondStopShortensBothWaits();
    void aStopMayComeBetweenWrites();
};

void tst_ProcessInput::whatIsWrittenIsReadInOrder()
{
    Server server(u"exec cat"_s);
    QByteArray written;
    for (int i = 0; i < 2000; ++i) {
        const QByteArray line = QByteArray::number(i) + '\n';
        written += line;
        QVERIFY(server.stream->write(line));
    }
    QVERIFY(server.says("\n1999\n"));
    QCOMPARE(server.output, written);
}

void tst_ProcessInput::aProgramWithoutAnInputTakesNoBytes()
{
    IoThread io;
    ProcessRequest request;
    request.program = u"/bin/cat"_s;
    const auto stream = io.startProcess(request);
    const auto result = stream->write("x");
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, ErrorCode::Io);
    auto event = stream->next({}, steadyClock().now() + LongTime);
    QVERIFY(event && std::holds_alternative<ProcessEvent>(*event));
    QVERIFY(std::holds_alternative<ProcessExit>(std::get<ProcessEvent>(*event))); // no output
}

void tst_ProcessInput::anInputThatNobodyReadsIsBounded()
{
    const QTemporaryDir folder;
    QFile sign(folder.filePath(u"go"_s));
    Server server(
        u"echo ready; until [ -e '%1' ]; do sleep 0.01; done; exec wc -c"_s.arg(sign.fileName()));
    QVERIFY(server.says("ready\n"));
    const QByteArray piece(64 * 1024, 'x');
    qint64 taken = 0;
    auto result = server.stream->write(piece);
    for (; result; result = server.stream->write(piece))
        taken += piece.size();
    QCOMPARE(result.error().code, ErrorCode::TooLarge);
    QVERIFY2(taken >= 1024 * 1024 && taken <= 2 * 1024 * 1024,
             QByteArray::number(taken).constData());

    // There is room again when it reads, and what was refused takes none of it.
    for (int i = 0; i < 64; ++i)
        taken +=
            server.stream->write(piece) ? piece.size() : 0; // the pipe itself may still take some
    QVERIFY(taken <= 2 * 1024 * 1024);
    QVERIFY(sign.open(QIODevice::WriteOnly));
    bool accepted = false;
    QTRY_VERIFY_WITH_TIMEOUT(accepted || (accepted = server.stream->write(piece).ok()), 20000);
    server.stream->stop(Never);
    QVERIFY(server.ends());
    QCOMPARE(server.output, "ready\n" + QByteArray::number(taken + piece.size()) + '\n');
}

void tst_ProcessInput::aProgramThatClosesItsInputIsFoundOut()
{
    Server server(u"exec 0<&-; echo closed; exec sleep 600"_s);
    QVERIFY(server.says("closed\n"));
    QTRY_VERIFY_WITH_TIMEOUT(!server.stream->write("x").ok(), 20000);
    QCOMPARE(server.stream->write("x").error().code, ErrorCode::Io);
    server.stream->stop(0ms); // and it still runs until it is stopped
    QVERIFY(server.ends());
    QCOMPARE(server.exit->code, int(SIGKILL));
}

void tst_ProcessInput::aProgramThatEndsWithItsInputGetsNoSignal_data()
{
    QTest::addColumn<QString>("script");
    QTest::newRow("cat") << u"echo ready; exec cat"_s;
    QTest::newRow("takes its time")
        << u"trap 'echo TERM' TERM; echo ready; cat; sleep 0.2; echo end"_s;
}

// behaviours: 232
void tst_ProcessInput::aProgramThatEndsWithItsInputGetsNoSignal()
{
    QFETCH(QString, script);
    Server server(script);
    QVERIFY(server.says("ready\n"));
    server.stream->stop(Never);
    QVERIFY(server.ends()); // long before the grace is over
    QCOMPARE(server.exit->crashed, false);
    QCOMPARE(server.exit->code, 0);
    QVERIFY(!server.output.contains("TERM"));
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000);
}

// behaviours: 232
void tst_ProcessInput::whatAProgramLeavesAtTheEndOfItsInputIsKilled()
{
    const QString number = uniqueNumber();
    Server server(u"(trap '' TERM; sleep %1) & echo ready; cat; exit 3"_s.arg(number));
    QVERIFY(server.says("ready\n"));
    server.stream->stop(Never);
    QVERIFY(server.ends());
    QCOMPARE(server.exit->code, 3);
    QCOMPARE(aliveWith(number), 0);
}

// behaviours: 232
void tst_ProcessInput::aProgramThatReadsOnGetsTermAfterTheGrace()
{
    Server server(u"trap 'echo TERM; exit 5' TERM; echo ready; cat; echo end; "
                  "while :; do sleep 0.01; done"_s);
    QVERIFY(server.says("ready\n"));
    QElapsedTimer timer;
    timer.start();
    server.stream->stop(300ms);
    QVERIFY(server.says("end\n")); // the input is closed first
    QVERIFY(server.ends());
    QVERIFY(timer.elapsed() >= 300);
    QCOMPARE(server.output, "ready\nend\nTERM\n");
    QCOMPARE(server.exit->crashed, false);
    QCOMPARE(server.exit->code, 5);
}

// behaviours: 232
void tst_ProcessInput::whatIgnoresTheEndAndTermIsKilledWithItsGroup()
{
    const QString number = uniqueNumber();
    Server server(u"trap 'echo TERM' TERM; (trap '' TERM; sleep %1) & echo ready; cat; "
                  "while :; do sleep 0.01; done"_s.arg(number));
    QVERIFY(server.says("ready\n"));
    QVERIFY(aliveWith(number) > 0);
    QElapsedTimer timer;
    timer.start();
    server.stream->stop(300ms);
    QVERIFY(server.ends());
    QVERIFY(timer.elapsed() >= 600); // the grace for the end of the input, and again for TERM
    QCOMPARE(server.output, "ready\nTERM\n");
    QCOMPARE(server.exit->crashed, true);
    QCOMPARE(server.exit->code, int(SIGKILL));
    QCOMPARE(aliveWith(number), 0);
    QTRY_COMPARE_WITH_TIMEOUT(ownChildren(), 0, 20000);
}

void tst_ProcessInput::noGraceKillsAtOnce()
{
    Server server(u"trap 'echo TERM' TERM; echo ready; while :; do sleep 0.01; done"_s);
    QVERIFY(server.says("ready\n"));
    server.stream->stop(0ms);
    QVERIFY(server.ends());
    QCOMPARE(server.exit->code, int(SIGKILL));
    QCOMPARE(server.output, "ready\n");
}

// behaviours: 232
void tst_ProcessInput::aSecondStopShortensBothWaits()
{
    Server server(u"trap 'echo TERM' TERM; echo ready; while :; do sleep 0.01; done"_s);
    QVERIFY(server.says("ready\n"));
    server.stream->stop(Never);
    server.stream->stop(100ms);
    server.stream->stop(Never);
    QVERIFY(server.ends());
    QCOMPARE(server.output, "ready\nTERM\n");
    QCOMPARE(server.exit->code, int(SIGKILL));
}

// behaviours: 232
void tst_ProcessInput::aStopMayComeBetweenWrites()
{
    Server server(u"echo ready; exec cat"_s);
    QVERIFY(server.says("ready\n"));
    QByteArray written;
    for (int i = 0; i < 100; ++i) {
        const QByteArray line = QByteArray::number(i) + '\n';
        written += line;
        QVERIFY(server.stream->write(line));
    }
    server.stream->stop(Never);
    const auto late = server.stream->write("late\n");
    QVERIFY(!late.ok());
    QCOMPARE(late.error().code, ErrorCode::Io);
    QVERIFY(server.ends());
    QCOMPARE(server.exit->code, 0);
    QCOMPARE(server.output, "ready\n" + written); // what was written before, and nothing after
}

QTEST_GUILESS_MAIN(tst_ProcessInput)
#include "tst_processinput.moc"

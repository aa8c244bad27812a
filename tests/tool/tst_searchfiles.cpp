// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/searchfiles.h"

#include "recordingcontext.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_SearchFiles : public QObject
{
    Q_OBJECT

private slots:
    void init();

    void namesAndContentsAreFound_data();
    void namesAndContentsAreFound();
    void badQueriesAreErrors_data();
    void badQueriesAreErrors();
    void linksOutOfTheWorkspaceAreNotFollowed();
    void aPatternThatBacktracksDoesNotHang();
    void aNameThatBacktracksDoesNotHangEither();
    void aNameWithMarksOfItsOwnIsShownAsItIs();
    void thereIsAMostOfHits();
    void aStopEndsTheSearch();

private:
    void put(const QString &name, const QByteArray &content) const
    {
        const QString path = m_home->filePath(name);
        QVERIFY(QDir().mkpath(QFileInfo(path).path()));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    Result<ToolResult> run(const QJsonObject &arguments) const
    {
        RecordingContext context(m_home->path());
        return m_search->run(arguments, context);
    }

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<SearchFiles> m_search;
};

void tst_SearchFiles::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    FileServices services;
    services.protectedPaths = ProtectedPaths({}, u"/nobody"_s);
    m_search = std::make_unique<SearchFiles>(services);
}

void tst_SearchFiles::namesAndContentsAreFound_data()
{
    QTest::addColumn<QJsonObject>("query");
    QTest::addColumn<QString>("found");
    QTest::newRow("name") << QJsonObject{{u"name"_s, u"*.cpp"_s}}
                          << u"main.cpp\nsrc/a.cpp\nsrc/deep/b.cpp\n"_s;
    QTest::newRow("name in a folder") << QJsonObject{{u"name"_s, u"?.cpp"_s}, {u"path"_s, u"src"_s}}
                                      << u"src/a.cpp\nsrc/deep/b.cpp\n"_s;
    QTest::newRow("text") << QJsonObject{{u"text"_s, u"needle"_s}}
                          << u"main.cpp:2: has a Needle here\nsrc/a.cpp:1: needle\n"_s;
    QTest::newRow("case") << QJsonObject{{u"text"_s, u"Needle"_s}, {u"case_sensitive"_s, true}}
                          << u"main.cpp:2: has a Needle here\n"_s;
    QTest::newRow("literal") << QJsonObject{{u"text"_s, u"a.c*"_s}}
                             << u"src/deep/b.cpp:1: a.c*\n"_s;
    QTest::newRow("expression") << QJsonObject{{u"text"_s, u"^a\\.c.$"_s}, {u"regex"_s, true}}
                                << u"src/deep/b.cpp:1: a.c*\n"_s;
    QTest::newRow("both") << QJsonObject{{u"text"_s, u"needle"_s}, {u"name"_s, u"a*"_s}}
                          << u"src/a.cpp:1: needle\n"_s;
    QTest::newRow("a kept one of the ignored")
        << QJsonObject{{u"name"_s, u"*.log"_s}} << u"src/keep.log\n"_s;
    QTest::newRow("rules from above in a folder")
        << QJsonObject{{u"name"_s, u"*.log"_s}, {u"path"_s, u"src"_s}} << u"src/keep.log\n"_s;
    QTest::newRow("git's own") << QJsonObject{{u"name"_s, u"config"_s}}
                               << u"[Nothing was found in 5 files]"_s;
    QTest::newRow("nothing") << QJsonObject{{u"text"_s, u"no such words"_s}}
                             << u"[Nothing was found in 5 files]"_s;
}

void tst_SearchFiles::namesAndContentsAreFound()
{
    QFETCH(QJsonObject, query);
    QFETCH(QString, found);
    put(u".gitignore"_s, "*.log\n/build/\nbinary\n");
    put(u"main.cpp"_s, "first\nhas a Needle here\n");
    put(u"src/a.cpp"_s, "needle\n");
    put(u"src/deep/b.cpp"_s, "a.c*\n");
    put(u"src/.gitignore"_s, "!keep.log\n.gitignore\n");
    put(u"src/keep.log"_s, "kept\n");
    put(u"src/other.log"_s, "needle\n");
    put(u"build/x.cpp"_s, "needle\n");
    put(u"binary"_s, QByteArray("needle\0", 7));
    put(u".git/config"_s, "needle\n");
    const auto result = run(query);
    QVERIFY(result);
    QCOMPARE(result->output, found);
}

void tst_SearchFiles::badQueriesAreErrors_data()
{
    QTest::addColumn<QJsonObject>("query");
    QTest::newRow("nothing asked") << QJsonObject{};
    QTest::newRow("broken expression") << QJsonObject{{u"text"_s, u"("_s}, {u"regex"_s, true}};
    QTest::newRow("outside") << QJsonObject{{u"name"_s, u"*"_s}, {u"path"_s, u"/etc"_s}};
    QTest::newRow("missing folder") << QJsonObject{{u"name"_s, u"*"_s}, {u"path"_s, u"missing"_s}};
}

void tst_SearchFiles::badQueriesAreErrors()
{
    QFETCH(QJsonObject, query);
    QVERIFY(run(query).isFault());
}

void tst_SearchFiles::linksOutOfTheWorkspaceAreNotFollowed()
{
    const QTemporaryDir outside;
    QFile secret(outside.filePath(u"secret.txt"_s));
    QVERIFY(secret.open(QIODevice::WriteOnly));
    secret.write("needle\n");
    secret.close();
    QFile::link(outside.path(), m_home->filePath(u"folder"_s));
    QFile::link(secret.fileName(), m_home->filePath(u"secret.txt"_s));
    QFile::link(m_home->path(), m_home->filePath(u"loop"_s));
    QCOMPARE(run({{u"text"_s, u"needle"_s}})->output, u"[Nothing was found in 0 files]"_s);
    QVERIFY(!run({{u"text"_s, u"needle"_s}, {u"path"_s, u"folder"_s}}));
}

void tst_SearchFiles::aPatternThatBacktracksDoesNotHang()
{
    put(u"file"_s, QByteArray(50000, 'a') + "!\n");
    QElapsedTimer timer;
    timer.start();
    QVERIFY(run({{u"text"_s, u"^(a+)+$"_s}, {u"regex"_s, true}}));
    QVERIFY(timer.elapsed() < 20000);
}

void tst_SearchFiles::aNameThatBacktracksDoesNotHangEither()
{
    for (int i = 0; i < 100; ++i)
        put(u"a%1b"_s.arg(i) + QString(230, u'a'), "x");
    const auto result = run({{u"name"_s, u"*a"_s.repeated(12) + u"b"_s}});
    QVERIFY(result);
    // What took too many steps was not searched, and that is said.
    QVERIFY2(result->output.contains(u"Not everything was searched"_s), qPrintable(result->output));
}

void tst_SearchFiles::aNameWithMarksOfItsOwnIsShownAsItIs()
{
    put(u"%3 %2 %1"_s, "first\nneedle\n");
    QCOMPARE(run({{u"text"_s, u"needle"_s}})->output, u"%3 %2 %1:2: needle\n"_s);
}

void tst_SearchFiles::thereIsAMostOfHits()
{
    put(u"file"_s, QByteArray("needle in a long line ").repeated(1000).append('\n').repeated(400));
    const auto result = run({{u"text"_s, u"needle"_s}});
    QVERIFY(result->output.endsWith(u"[Only the first 200 hits]"_s));
    QVERIFY(result->output.size() < 100 * 1024);
    put(u"file"_s, QByteArray(11 * 1024 * 1024, 'x'));
    QVERIFY(run({{u"text"_s, u"needle"_s}})->output.contains(u"Not everything was searched"_s));
}

void tst_SearchFiles::aStopEndsTheSearch()
{
    for (int i = 0; i < 2000; ++i)
        put(u"folder%1/file"_s.arg(i), "needle\n" + QByteArray("hay\n").repeated(2000));
    RecordingContext context(m_home->path());
    std::jthread stopper([&] {
        if (context.waitForOutput("needle"))
            context.source.cancel(CancellationCause::User);
    });
    // One hit in each file, and more files than hits are given: only the stop can be the reason for an early end.
    const auto result = m_search->run({{u"text"_s, u"needle\\d?$"_s}, {u"regex"_s, true}}, context);
    stopper.join();
    QVERIFY(result.isCancelled() || result->output.contains(u"Only the first"_s));
    RecordingContext cancelled(m_home->path());
    cancelled.source.cancel(CancellationCause::User);
    QVERIFY(m_search->run({{u"text"_s, u"needle"_s}}, cancelled).isCancelled());
    QVERIFY(cancelled.output().isEmpty());
}

QTEST_GUILESS_MAIN(tst_SearchFiles)
#include "tst_searchfiles.moc"

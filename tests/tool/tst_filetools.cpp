// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/editfile.h"
#include "tool/builtin/listdirectory.h"
#include "tool/builtin/readfile.h"
#include "tool/builtin/writefile.h"

#include "recordingcontext.h"
#include "support/enumcomparison.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_FileTools : public QObject
{
    Q_OBJECT

private slots:
    void init();

    void aFileIsReadWholeOrInParts_data();
    void aFileIsReadWholeOrInParts();
    void aLongFileIsReadInPiecesThatFitTogether();
    void whatIsNoTextIsNotRead();
    void everyToolKeepsToTheWorkspaceAndSaysWhereItIs_data();
    void everyToolKeepsToTheWorkspaceAndSaysWhereItIs();
    void aNewFileIsShownAsADiffMadeAndUndone();
    void aChangeIsShownAsADiffMadeAndUndone();
    void theDiffShowsWhatCannotBeSeen();
    void anEditMustFitExactlyOnce_data();
    void anEditMustFitExactlyOnce();
    void anEditKeepsTheLineBreaksOfTheFile();
    void aFileThatChangedSinceItWasReadIsAConflict();
    void aFileThatChangedSinceItWasShownIsAConflict();
    void aCancelledCallWritesNothing();
    void anUndoNeverTakesSomebodyElsesChangeBack();
    void anUndoThatWasDoneIsNoConflict();
    void aDamagedRecordEmptiesNoFile();
    void changesAreUndoneFromTheLastToTheFirst();
    void aFileThatTheUserRemovedCanBeWrittenAgain();
    void whatNoToolMayChangeIsRefusedBeforeAnybodyIsAsked_data();
    void whatNoToolMayChangeIsRefusedBeforeAnybodyIsAsked();
    void aHugeChangeIsMadeButNotKeptForUndo();
    void aFolderIsListed();

private:
    void put(const QString &name, const QByteArray &content) const
    {
        QFile file(m_workspace + u'/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    QByteArray get(const QString &name) const
    {
        QFile file(m_workspace + u'/' + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("<none>");
    }
    Result<ToolResult> run(Tool &tool, const QJsonObject &arguments) const
    {
        RecordingContext context(m_workspace);
        return tool.run(arguments, context);
    }

    std::unique_ptr<QTemporaryDir> m_home;
    QString m_workspace;
    std::unique_ptr<ReadFile> m_read;
    std::unique_ptr<WriteFile> m_write;
    std::unique_ptr<EditFile> m_edit;
    std::unique_ptr<ListDirectory> m_list;
};

void tst_FileTools::init()
{
    m_home = std::make_unique<QTemporaryDir>();
    m_workspace = m_home->filePath(u"workspace"_s);
    QVERIFY(QDir().mkpath(m_workspace));
    FileServices services;
    services.protectedPaths = ProtectedPaths({}, m_home->path());
    m_read = std::make_unique<ReadFile>(services);
    m_write = std::make_unique<WriteFile>(services);
    m_edit = std::make_unique<EditFile>(services);
    m_list = std::make_unique<ListDirectory>(services);
}

void tst_FileTools::aFileIsReadWholeOrInParts_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QJsonObject>("part");
    QTest::addColumn<QString>("text");
    const QByteArray lines("one\ntwo\nthree\n");
    QTest::newRow("whole") << lines << QJsonObject{} << u"one\ntwo\nthree\n"_s;
    QTest::newRow("from two") << lines << QJsonObject{{u"start_line"_s, 2}} << u"two\nthree\n"_s;
    QTest::newRow("one line") << lines << QJsonObject{{u"start_line"_s, 2}, {u"line_count"_s, 1}}
                              << u"two\n"_s;
    QTest::newRow("too many") << lines << QJsonObject{{u"line_count"_s, 99}}
                              << u"one\ntwo\nthree\n"_s;
    QTest::newRow("beyond") << lines << QJsonObject{{u"start_line"_s, 5}}
                            << u"[The file has 3 lines]"_s;
    QTest::newRow("no break at the end")
        << QByteArray("a\nb") << QJsonObject{{u"start_line"_s, 2}} << u"b"_s;
    QTest::newRow("empty") << QByteArray() << QJsonObject{} << u"[The file is empty]"_s;
    QTest::newRow("escapes") << QByteArray("a\x1b[31mb\r\nc") << QJsonObject{} << u"ab\nc"_s;
}

void tst_FileTools::aFileIsReadWholeOrInParts()
{
    QFETCH(QByteArray, content);
    QFETCH(QJsonObject, part);
    QFETCH(QString, text);
    put(u"file"_s, content);
    part.insert(u"path"_s, u"file"_s);
    const auto result = run(*m_read, part);
    QVERIFY(result);
    QCOMPARE(result->output, text);
    QCOMPARE(result->isError, false);
}

void tst_FileTools::aLongFileIsReadInPiecesThatFitTogether()
{
    QString whole;
    for (int i = 0; i < 30000; ++i)
        whole += u"line %1\n"_s.arg(i);
    put(u"long"_s, whole.toUtf8());
    QString together;
    static const QRegularExpression more(u"\\[The file goes on: read from start_line (\\d+)\\]$"_s);
    for (qint64 start = 1, reads = 0; start > 0 && reads < 100; ++reads) {
        const auto result = run(*m_read, {{u"path"_s, u"long"_s}, {u"start_line"_s, start}});
        QVERIFY(result);
        QVERIFY(result->output.size() < 65 * 1024);
        const auto match = more.match(result->output);
        together += match.hasMatch() ? result->output.left(match.capturedStart()) : result->output;
        start = match.hasMatch() ? match.captured(1).toLongLong() : 0;
    }
    QCOMPARE(together, whole);

    put(u"one line"_s, QByteArray(1000000, 'x'));
    const auto cut = run(*m_read, {{u"path"_s, u"one line"_s}});
    QVERIFY(cut->output.contains(u"too long to be shown whole"_s));
    QVERIFY(cut->output.size() < 66 * 1024);
}

void tst_FileTools::whatIsNoTextIsNotRead()
{
    put(u"binary"_s, QByteArray("\0\1\2", 3));
    const auto result = run(*m_read, {{u"path"_s, u"binary"_s}});
    QVERIFY(result);
    QVERIFY(result->isError);
    QVERIFY(result->output.contains(u"not text (3 bytes)"_s));
    QCOMPARE(run(*m_read, {{u"path"_s, u"missing"_s}}).error().code, ErrorCode::NotFound);
}

void tst_FileTools::everyToolKeepsToTheWorkspaceAndSaysWhereItIs_data()
{
    QTest::addColumn<QString>("path");
    for (const char *path : {"/etc/passwd", "../outside", "~/.ssh/id_rsa", "link/outside"})
        QTest::addRow("%s", path) << QString::fromLatin1(path);
}

void tst_FileTools::everyToolKeepsToTheWorkspaceAndSaysWhereItIs()
{
    QFETCH(QString, path);
    QFile::link(m_home->path(), m_workspace + u"/link"_s);
    QFile outside(m_home->filePath(u"outside"_s));
    QVERIFY(outside.open(QIODevice::WriteOnly));
    outside.write("untouched");
    outside.close();
    const QJsonObject arguments{{u"path"_s, path},
                                {u"content"_s, u"x"_s},
                                {u"old_text"_s, u"touched"_s},
                                {u"new_text"_s, u"x"_s}};
    Tool *const all[] = {m_read.get(), m_write.get(), m_edit.get(), m_list.get()};
    for (Tool *tool : all) {
        const auto result = run(*tool, arguments);
        QVERIFY2(result.isFault(), qUtf8Printable(tool->spec().name));
        if (!path.startsWith(u"link"_s))
            QVERIFY(result.error().message.contains(m_workspace));
    }
    QVERIFY(!m_write->describe(arguments, m_workspace));
    QVERIFY(!m_edit->describe(arguments, m_workspace));
    QVERIFY(outside.open(QIODevice::ReadOnly));
    QCOMPARE(outside.readAll(), "untouched");
}

void tst_FileTools::aNewFileIsShownAsADiffMadeAndUndone()
{
    const QJsonObject arguments{{u"path"_s, u"new/file"_s}, {u"content"_s, u"one\ntwo\n"_s}};
    const auto request = m_write->describe(arguments, m_workspace);
    QVERIFY(request);
    QCOMPARE(request->isDiff, true);
    QCOMPARE(request->exactText, u"--- /dev/null\n+++ new/file\n@@ -0,0 +1,2 @@\n+one\n+two\n"_s);
    QVERIFY(!QFile::exists(m_workspace + u"/new"_s)); // asking changes nothing
    RecordingContext context(m_workspace);
    context.fingerprint = request->fingerprint;
    const auto result = m_write->run(arguments, context);
    QVERIFY(result);
    QVERIFY(context.pastPointOfNoReturn);
    QCOMPARE(get(u"new/file"_s), "one\ntwo\n");
    QVERIFY(m_write->undo(result->undo, m_workspace));
    QVERIFY(!QFile::exists(m_workspace + u"/new/file"_s));
    QVERIFY(m_write->undo(result->undo, m_workspace)); // it is as it was before
    QVERIFY(run(*m_write, arguments)); // what the model wrote and the user removed is no conflict
}

void tst_FileTools::aChangeIsShownAsADiffMadeAndUndone()
{
    put(u"file"_s, "one\ntwo\nthree\n");
    const QJsonObject arguments{
        {u"path"_s, u"file"_s}, {u"old_text"_s, u"two\n"_s}, {u"new_text"_s, u"2\n"_s}};
    const auto request = m_edit->describe(arguments, m_workspace);
    QVERIFY(request);
    QCOMPARE(request->exactText,
             u"--- file\n+++ file\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"_s);
    RecordingContext context(m_workspace);
    context.fingerprint = request->fingerprint;
    const auto result = m_edit->run(arguments, context);
    QVERIFY(result);
    QCOMPARE(get(u"file"_s), "one\n2\nthree\n");
    QVERIFY(m_edit->undo(result->undo, m_workspace));
    QCOMPARE(get(u"file"_s), "one\ntwo\nthree\n");
}

void tst_FileTools::theDiffShowsWhatCannotBeSeen()
{
    const auto request = m_write->describe(
        {{u"path"_s, u"file"_s}, {u"content"_s, u"a\u202eb\u200bc\rd"_s}}, m_workspace);
    QVERIFY(request->exactText.contains(u"+a‹U+202E›b‹U+200B›c‹U+000D›d\n"_s));
}

void tst_FileTools::anEditMustFitExactlyOnce_data()
{
    QTest::addColumn<QString>("oldText");
    QTest::addColumn<bool>("all");
    QTest::addColumn<QByteArray>("content"); // afterwards; empty: an error
    QTest::addColumn<QString>("word");
    QTest::newRow("once") << u"c"_s << false << QByteArray("a b a X") << QString();
    QTest::newRow("twice") << u"a"_s << false << QByteArray() << u"2 times"_s;
    QTest::newRow("twice, all") << u"a"_s << true << QByteArray("X b X c") << QString();
    QTest::newRow("never") << u"z"_s << false << QByteArray() << u"not in"_s;
    QTest::newRow("empty") << QString() << false << QByteArray() << u"empty"_s;
    QTest::newRow("same") << u"X"_s << false << QByteArray() << u"same"_s;
}

void tst_FileTools::anEditMustFitExactlyOnce()
{
    QFETCH(QString, oldText);
    QFETCH(bool, all);
    QFETCH(QByteArray, content);
    QFETCH(QString, word);
    put(u"file"_s, "a b a c");
    const auto result = run(*m_edit,
                            {{u"path"_s, u"file"_s},
                             {u"old_text"_s, oldText},
                             {u"new_text"_s, u"X"_s},
                             {u"replace_all"_s, all}});
    QCOMPARE(result.ok(), !content.isEmpty());
    QCOMPARE(get(u"file"_s), result ? content : QByteArray("a b a c"));
    if (!result)
        QVERIFY2(result.error().message.contains(word), qUtf8Printable(result.error().message));
}

void tst_FileTools::anEditKeepsTheLineBreaksOfTheFile()
{
    put(u"file"_s, "one\r\ntwo\r\nthree\r\n");
    const QString seen = run(*m_read, {{u"path"_s, u"file"_s}})->output;
    QCOMPARE(seen, u"one\ntwo\nthree\n"_s);
    QVERIFY(run(*m_edit,
                {{u"path"_s, u"file"_s},
                 {u"old_text"_s, u"one\ntwo\n"_s},
                 {u"new_text"_s, u"1\n2\n2b\n"_s}}));
    QCOMPARE(get(u"file"_s), "1\r\n2\r\n2b\r\nthree\r\n");
}

void tst_FileTools::aFileThatChangedSinceItWasReadIsAConflict()
{
    put(u"file"_s, "as the model read it");
    QVERIFY(run(*m_read, {{u"path"_s, u"file"_s}}));
    put(u"file"_s, "as the user changed it");
    const QJsonObject arguments{{u"path"_s, u"file"_s}, {u"content"_s, u"model"_s}};
    const auto result = run(*m_write, arguments);
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Busy);
    QCOMPARE(get(u"file"_s), "as the user changed it");
    QVERIFY(run(*m_read, {{u"path"_s, u"file"_s}}));
    QVERIFY(run(*m_write, arguments));
    QVERIFY(run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"own change is known"_s}}));
}

void tst_FileTools::aFileThatChangedSinceItWasShownIsAConflict()
{
    put(u"file"_s, "shown");
    const QJsonObject arguments{{u"path"_s, u"file"_s}, {u"content"_s, u"new"_s}};
    RecordingContext context(m_workspace);
    context.fingerprint = m_write->describe(arguments, m_workspace)->fingerprint;
    put(u"file"_s, "other");
    QCOMPARE(m_write->run(arguments, context).error().code, ErrorCode::Busy);
    QCOMPARE(get(u"file"_s), "other");
    // Other arguments than the ones that were allowed.
    context.fingerprint = m_write->describe(arguments, m_workspace)->fingerprint;
    QVERIFY(!m_write->run({{u"path"_s, u"file"_s}, {u"content"_s, u"something else"_s}}, context));
    QVERIFY(m_write->run(arguments, context));
}

void tst_FileTools::aCancelledCallWritesNothing()
{
    RecordingContext context(m_workspace);
    context.source.cancel(CancellationCause::User);
    QVERIFY(m_write->run({{u"path"_s, u"file"_s}, {u"content"_s, u"x"_s}}, context).isCancelled());
    QVERIFY(!context.pastPointOfNoReturn);
    QVERIFY(!QFile::exists(m_workspace + u"/file"_s));
}

void tst_FileTools::anUndoNeverTakesSomebodyElsesChangeBack()
{
    put(u"file"_s, "before");
    const auto result = run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"after"_s}});
    put(u"file"_s, "changed by the user");
    const auto undone = m_write->undo(result->undo, m_workspace);
    QVERIFY(!undone);
    QCOMPARE(undone.error().code, ErrorCode::Busy);
    QCOMPARE(get(u"file"_s), "changed by the user");
    // A record of another place is refused like any other path.
    QVERIFY(!m_write->undo({{u"path"_s, u"../x"_s}, {u"after"_s, u""_s}}, m_workspace));
}

// A crash between the change and its record: what is asked again is done already.
void tst_FileTools::anUndoThatWasDoneIsNoConflict()
{
    put(u"file"_s, "before");
    const auto result = run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"after"_s}});
    QVERIFY(m_write->undo(result->undo, m_workspace));
    QVERIFY(m_write->undo(result->undo, m_workspace));
    QCOMPARE(get(u"file"_s), "before");
}

void tst_FileTools::aDamagedRecordEmptiesNoFile()
{
    put(u"file"_s, "before");
    const auto result = run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"after"_s}});
    QJsonObject damaged = result->undo;
    damaged.insert(u"before"_s, u"AAAA"_s);
    QVERIFY(!m_write->undo(damaged, m_workspace));
    QCOMPARE(get(u"file"_s), "after");
    // But a file may have been empty.
    put(u"empty"_s, "");
    const auto filled = run(*m_write, {{u"path"_s, u"empty"_s}, {u"content"_s, u"x"_s}});
    QVERIFY(m_write->undo(filled->undo, m_workspace));
    QCOMPARE(get(u"empty"_s), "");
}

// Each step back needs the later ones to be taken back first.
void tst_FileTools::changesAreUndoneFromTheLastToTheFirst()
{
    put(u"file"_s, "0");
    const auto first = run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"1"_s}});
    const auto second = run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"2"_s}});
    QCOMPARE(m_write->undo(first->undo, m_workspace).error().code, ErrorCode::Busy);
    QCOMPARE(get(u"file"_s), "2");
    QVERIFY(m_write->undo(second->undo, m_workspace));
    QVERIFY(m_write->undo(first->undo, m_workspace));
    QCOMPARE(get(u"file"_s), "0");
}

void tst_FileTools::aFileThatTheUserRemovedCanBeWrittenAgain()
{
    QVERIFY(run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"1"_s}}));
    QVERIFY(QFile::remove(m_workspace + u"/file"_s));
    const QJsonObject again{{u"path"_s, u"file"_s}, {u"content"_s, u"2"_s}};
    QCOMPARE(run(*m_write, again).error().code, ErrorCode::Busy); // not without having looked
    QCOMPARE(run(*m_read, {{u"path"_s, u"file"_s}}).error().code, ErrorCode::NotFound);
    QVERIFY(run(*m_write, again));
    QCOMPARE(get(u"file"_s), "2");
}

void tst_FileTools::whatNoToolMayChangeIsRefusedBeforeAnybodyIsAsked_data()
{
    QTest::addColumn<QString>("path");
    for (const char *path : {".git/hooks/pre-commit", ".git/config", "sub/.git/hooks/x"})
        QTest::addRow("%s", path) << QString::fromLatin1(path);
}

// Whatever is allowed "always": the call ends with an error before a policy is looked at.
// reliability: E23
void tst_FileTools::whatNoToolMayChangeIsRefusedBeforeAnybodyIsAsked()
{
    QFETCH(QString, path);
    const QJsonObject arguments{{u"path"_s, path}, {u"content"_s, u"x"_s}};
    const auto request = m_write->describe(arguments, m_workspace);
    QVERIFY(!request);
    QCOMPARE(request.error().code, ErrorCode::Denied);
    QVERIFY(!run(*m_write, arguments));
    QVERIFY(!QFile::exists(m_workspace + u'/' + path));
}

void tst_FileTools::aHugeChangeIsMadeButNotKeptForUndo()
{
    put(u"file"_s, QByteArray(2 * 1024 * 1024, 'x'));
    const auto result = run(*m_write, {{u"path"_s, u"file"_s}, {u"content"_s, u"small"_s}});
    QVERIFY(result);
    QVERIFY(result->undo.isEmpty());
}

void tst_FileTools::aFolderIsListed()
{
    put(u"b\u202e.txt"_s, "12345");
    QVERIFY(QDir().mkpath(m_workspace + u"/a"_s));
    QFile::link(u"/etc"_s, m_workspace + u"/c"_s);
    const auto result = run(*m_list, {});
    QVERIFY(result);
    QCOMPARE(result->output, u"a/\nb‹U+202E›.txt  5\nc@\n"_s);
    QCOMPARE(run(*m_list, {{u"path"_s, u"a"_s}})->output, u"[The folder is empty]"_s);
    QVERIFY(!run(*m_list, {{u"path"_s, u"c"_s}}));
}

QTEST_GUILESS_MAIN(tst_FileTools)
#include "tst_filetools.moc"

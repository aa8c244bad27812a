// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/composer/textfilereader.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace fermata;
using namespace Qt::StringLiterals;

class TextFileReaderTest final : public QObject
{
    Q_OBJECT

private slots:
    void textIsRead();
    void whatIsNoTextFileIsRefused_data();
    void whatIsNoTextFileIsRefused();
    void pipeIsNotEvenOpened();
    void textCannotEndItsOwnBlock();
    void readsOnAnotherThread();
    void readerMayGoBeforeTheAnswer();

private:
    QString write(const QString &name, const QByteArray &bytes)
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write");
        return file.fileName();
    }

    QTemporaryDir m_folder;
};

void TextFileReaderTest::textIsRead()
{
    const Result<TextFile> file = readTextFile(write(u"a.txt"_s, "größe\n"));
    QVERIFY(file.ok());
    QCOMPARE(file->text, u"größe\n"_s);
    QCOMPARE(file->name, u"a.txt"_s);
    QCOMPARE(file->bytes, 8);
    QCOMPARE(asMessagePart(*file), u"a.txt\n```\ngröße\n```\n"_s);
}

void TextFileReaderTest::whatIsNoTextFileIsRefused_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<ErrorCode>("code");
    QTest::newRow("folder") << m_folder.path() << ErrorCode::InvalidArgument;
    QTest::newRow("device") << u"/dev/zero"_s << ErrorCode::InvalidArgument;
    QTest::newRow("missing") << m_folder.filePath(u"missing"_s) << ErrorCode::InvalidArgument;
    QTest::newRow("binary") << write(u"b.bin"_s, QByteArray("a\0b", 3)) << ErrorCode::Unsupported;
    QTest::newRow("not UTF-8") << write(u"l.txt"_s, "gr\xF6\xDF") << ErrorCode::Unsupported;
    QTest::newRow("too large") << write(u"large.txt"_s, QByteArray(LargestTextFile + 1, 'x'))
                               << ErrorCode::TooLarge;
}

void TextFileReaderTest::whatIsNoTextFileIsRefused()
{
    QFETCH(QString, path);
    QFETCH(ErrorCode, code);
    const Result<TextFile> file = readTextFile(path);
    QVERIFY(!file.ok());
    QCOMPARE(toString(file.error().code), toString(code));
    QVERIFY(!file.error().message.isEmpty());
}

void TextFileReaderTest::pipeIsNotEvenOpened()
{
    const QString path = m_folder.filePath(u"pipe"_s);
    QCOMPARE(mkfifo(QFile::encodeName(path).constData(), 0600), 0);
    QVERIFY(!readTextFile(path).ok()); // opening it would wait for ever
}

void TextFileReaderTest::textCannotEndItsOwnBlock()
{
    const QString part = asMessagePart({u"x.md"_s, u"```\ncode\n````\n"_s, 0});
    QVERIFY(part.startsWith(u"x.md\n`````\n"));
    QVERIFY(part.endsWith(u"\n`````\n"));
}

void TextFileReaderTest::readsOnAnotherThread()
{
    TextFileReader reader;
    QStringList answers;
    connect(&reader, &TextFileReader::finished, this,
            [&answers](const TextFile &file) { answers << file.text; });
    connect(&reader, &TextFileReader::failed, this,
            [&answers](const QString &message) { answers << message; });
    reader.read(write(u"c.txt"_s, "text"));
    QVERIFY(answers.isEmpty());
    QTRY_COMPARE(answers, QStringList{u"text"_s});
}

void TextFileReaderTest::readerMayGoBeforeTheAnswer()
{
    const QString path = write(u"d.txt"_s, "text");
    for (int i = 0; i < 50; ++i) {
        TextFileReader reader;
        reader.read(path);
    }
    TextFileReader last;
    const QSignalSpy finished(&last, &TextFileReader::finished);
    last.read(path);
    QTRY_COMPARE(finished.size(), 1);
}

QTEST_MAIN(TextFileReaderTest)
#include "tst_textfilereader.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/liveoutput.h"
#include "tool/outputbuffer.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_OutputBuffer : public QObject
{
    Q_OBJECT

private slots:
    void aShortOutputIsKeptWhole();
    void ofALongOneHeadAndTailAreKept();
    void theBorderIsExact_data();
    void theBorderIsExact();
    void aFloodTakesConstantMemoryAndOneLineOrManyMakeNoDifference_data();
    void aFloodTakesConstantMemoryAndOneLineOrManyMakeNoDifference();
    void noCharacterIsCutInTheMiddle();
    void hiddenTextIsTakenOutAndCounted();
    void whatIsNoTextIsToldAsSuch_data();
    void whatIsNoTextIsToldAsSuch();
    void controlSequencesAreTakenOut_data();
    void controlSequencesAreTakenOut();
    void sequencesCutAnywhereAreTakenOutAsWell_data();
    void sequencesCutAnywhereAreTakenOutAsWell();
    void liveOutputIsBoundedAtOnceAndInAll();
    void liveOutputSaysOnceThatItIsNotText();
};

void tst_OutputBuffer::aShortOutputIsKeptWhole()
{
    OutputBuffer buffer(8, 8);
    QCOMPARE(buffer.text(), QString());
    buffer.append("hello ");
    buffer.append("world");
    QCOMPARE(buffer.text(), u"hello world"_s);
    QCOMPARE(buffer.totalBytes(), 11);
}

void tst_OutputBuffer::ofALongOneHeadAndTailAreKept()
{
    OutputBuffer buffer(4, 4);
    buffer.append("abcdefghijklmnopqrstuvwxyz");
    QCOMPARE(buffer.text(), u"abcd\n[18 bytes omitted]\nwxyz"_s);
    buffer.append("!");
    QCOMPARE(buffer.text(), u"abcd\n[19 bytes omitted]\nxyz!"_s);
}

void tst_OutputBuffer::theBorderIsExact_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::newRow("one less") << QByteArray("1234567") << u"1234567"_s;
    QTest::newRow("just full") << QByteArray("12345678") << u"12345678"_s;
    QTest::newRow("one more") << QByteArray("123456789") << u"1234\n[1 bytes omitted]\n6789"_s;
}

void tst_OutputBuffer::theBorderIsExact()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    OutputBuffer whole(4, 4);
    whole.append(bytes);
    QCOMPARE(whole.text(), text);
    OutputBuffer pieces(4, 4);
    for (const char byte : bytes)
        pieces.append(QByteArrayView(&byte, 1));
    QCOMPARE(pieces.text(), text);
}

void tst_OutputBuffer::aFloodTakesConstantMemoryAndOneLineOrManyMakeNoDifference_data()
{
    QTest::addColumn<QByteArray>("piece");
    QTest::addColumn<int>("times");
    QTest::newRow("one line of 50 MB") << QByteArray(64 * 1024, 'x') << 800;
    QTest::newRow("10 million empty lines") << QByteArray(1000, '\n') << 10000;
    QTest::newRow("single bytes") << QByteArray("y") << 1000000;
}

// reliability: E7, E8
void tst_OutputBuffer::aFloodTakesConstantMemoryAndOneLineOrManyMakeNoDifference()
{
    QFETCH(QByteArray, piece);
    QFETCH(int, times);
    OutputBuffer buffer;
    for (int i = 0; i < times; ++i)
        buffer.append(piece);
    const qint64 total = qint64(piece.size()) * times;
    QCOMPARE(buffer.totalBytes(), total);
    const QString note = u"\n[%1 bytes omitted]\n"_s.arg(total - 64 * 1024);
    QVERIFY(buffer.text().contains(note));
    QCOMPARE(buffer.text().size(), 64 * 1024 + note.size());
}

void tst_OutputBuffer::noCharacterIsCutInTheMiddle()
{
    const QString text = u"äöü€𝄐"_s.repeated(20);
    const QByteArray bytes = text.toUtf8();
    for (int head = 8; head < 24; ++head) {
        OutputBuffer buffer(head, head + 3);
        for (const char byte : bytes)
            buffer.append(QByteArrayView(&byte, 1));
        QVERIFY(!buffer.text().contains(QChar::ReplacementCharacter));
        QVERIFY(buffer.text().contains(u"bytes omitted"_s));
    }
}

// reliability: E30
void tst_OutputBuffer::hiddenTextIsTakenOutAndCounted()
{
    const auto textOf = [](const QString &text, qsizetype most) {
        OutputBuffer buffer(most, most);
        buffer.append(text.toUtf8());
        return buffer.text();
    };
    const QString hidden = u"a\u202eb\U000e0041\U000e0042c\n"_s;
    QCOMPARE(textOf(hidden, 1024), u"abc\n[3 invisible characters removed]"_s);
    QCOMPARE(textOf(u"x\u200by"_s, 1024), u"xy\n[1 invisible character removed]"_s);
    // Text can hide in variation selectors, and be no more than fillers; signs keep how they are drawn.
    QCOMPARE(textOf(u"☺\ufe0f\U000e0154\U000e0155\ufe05"_s, 1024),
             u"☺\ufe0f\n[3 invisible characters removed]"_s);
    QCOMPARE(textOf(u"a\u3164\u115f\u034f\u2028b"_s, 1024),
             u"ab\n[4 invisible characters removed]"_s);
    QCOMPARE(textOf(u"\x1b[31mred\x1b[0m 👩\u200d👧"_s, 1024), u"red 👩\u200d👧"_s);
    const QString both = textOf(hidden + QString(200, u'x') + hidden, 40);
    QVERIFY(both.contains(u"bytes omitted"_s));
    QVERIFY(both.endsWith(u"[6 invisible characters removed]"_s));
}

void tst_OutputBuffer::whatIsNoTextIsToldAsSuch_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<bool>("binary");
    QByteArray random;
    for (int i = 0; i < 5000; ++i)
        random += char((i * 7919 + 13) % 251 + 3);
    QTest::newRow("zero bytes") << QByteArray("\x7f"
                                              "ELF\0\0",
                                              6)
                                << true;
    QTest::newRow("no UTF-8") << random << true;
    QTest::newRow("text") << QByteArray("plain text\n").repeated(1000) << false;
    QTest::newRow("a few wrong bytes")
        << "name: \xff\xfe.txt\n" + QByteArray("text\n").repeated(50) << false;
    QTest::newRow("UTF-8") << u"Überraschung 🎵\n"_s.repeated(600).toUtf8() << false;
}

void tst_OutputBuffer::whatIsNoTextIsToldAsSuch()
{
    QFETCH(QByteArray, bytes);
    QFETCH(bool, binary);
    QCOMPARE(looksBinary(bytes), binary);
    OutputBuffer buffer;
    buffer.append(bytes);
    QCOMPARE(buffer.text() == u"[Binary output: %1 bytes, not shown]"_s.arg(bytes.size()), binary);
}

void tst_OutputBuffer::controlSequencesAreTakenOut_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("clean");
    QTest::newRow("colours") << u"\x1b[1;31mred\x1b[0m"_s << u"red"_s;
    QTest::newRow("cursor and clear") << u"a\x1b[2J\x1b[10;20Hb\x1b[?25l"_s << u"ab"_s;
    QTest::newRow("link") << u"\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x07"_s << u"text"_s;
    QTest::newRow("clipboard") << u"x\x1b]52;c;ZXZpbA==\x07y"_s << u"xy"_s;
    QTest::newRow("title") << u"\x1b]0;title\x07z"_s << u"z"_s;
    QTest::newRow("device string") << u"\x1bP+q544e\x1b\\z"_s << u"z"_s;
    QTest::newRow("character set") << u"\x1b(Bz"_s << u"z"_s;
    QTest::newRow("8-bit") << u"\u009b31mred\u009d0;t\u009cx\u0090y\u009c"_s << u"redx"_s;
    QTest::newRow("never ended") << u"\x1b]0;title\nstill here"_s << u"\nstill here"_s;
    QTest::newRow("cut at the end") << u"text\x1b["_s << u"text"_s;
    QTest::newRow("controls") << u"a\a\b\u0000\u007f\vb"_s << u"ab"_s;
    QTest::newRow("kept") << u"a\tb\nc"_s << u"a\tb\nc"_s;
    QTest::newRow("returns") << u"50%\r100%\r\ndone\r"_s << u"50%\n100%\ndone\n"_s;
    QTest::newRow("order of text") << u"a\u202eb\u2066c\u200fd"_s << u"abcd"_s;
    QTest::newRow("hidden text") << u"a\u200b\ufeff\U000e0041\U000e0042b"_s << u"ab"_s;
    QTest::newRow("joined emoji") << u"👩\u200d👧"_s << u"👩\u200d👧"_s;
    QTest::newRow("nested") << u"\x1b[\x1b[31mx"_s << u"x"_s;
}

// reliability: E9
void tst_OutputBuffer::controlSequencesAreTakenOut()
{
    QFETCH(QString, text);
    QFETCH(QString, clean);
    QCOMPARE(withoutControlSequences(text), clean);
}

void tst_OutputBuffer::sequencesCutAnywhereAreTakenOutAsWell_data()
{
    controlSequencesAreTakenOut_data();
}

// reliability: E9
void tst_OutputBuffer::sequencesCutAnywhereAreTakenOutAsWell()
{
    QFETCH(QString, text);
    QFETCH(QString, clean);
    const QByteArray bytes = text.toUtf8();
    if (bytes.contains('\0'))
        return; // not text in the live output
    for (qsizetype cut = 0; cut <= bytes.size(); ++cut) {
        LiveOutput live;
        live.append(bytes.left(cut));
        QString shown = live.take();
        live.append(bytes.mid(cut));
        shown += live.take();
        // A return at the very end waits for what follows.
        QCOMPARE(shown, text.endsWith(u'\r') ? clean.chopped(1) : clean);
    }
}

void tst_OutputBuffer::liveOutputIsBoundedAtOnceAndInAll()
{
    LiveOutput live;
    for (int i = 0; i < 1000; ++i)
        live.append(QByteArray(64 * 1024, 'x'));
    const QString first = live.take();
    QVERIFY(first.size() < 20 * 1024);
    QVERIFY(first.contains(u"bytes omitted"_s));

    qsizetype total = first.size();
    QString last;
    for (int i = 0; i < 1000; ++i) {
        live.append(QByteArray(8 * 1024, 'y'));
        const QString more = live.take();
        total += more.size();
        last = more.isEmpty() ? last : more;
    }
    QVERIFY(total < 300 * 1024);
    QVERIFY(last.endsWith(u"[More output is not shown before the end]\n"_s));
}

void tst_OutputBuffer::liveOutputSaysOnceThatItIsNotText()
{
    LiveOutput live;
    live.append(QByteArray(100, '\0'));
    QCOMPARE(live.take(), u"[Binary output, not shown]\n"_s);
    live.append("text");
    QCOMPARE(live.take(), QString());
}

QTEST_GUILESS_MAIN(tst_OutputBuffer)
#include "tst_outputbuffer.moc"

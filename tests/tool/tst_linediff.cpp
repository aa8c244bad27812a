// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/linediff.h"

#include <QRandomGenerator>
#include <QRegularExpression>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// Applies a unified diff as a reader would, so that what is shown is what is done.
std::optional<QByteArray> patched(const QByteArray &before, const QString &diff)
{
    QList<QByteArray> old = before.split('\n');
    const bool endsWithBreak = before.endsWith('\n');
    if (endsWithBreak || before.isEmpty())
        old.removeLast();
    QByteArray result;
    qsizetype at = 0;
    bool oldBreak = true;
    bool newBreak = true;
    static const QRegularExpression header(u"^@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@$"_s);
    const QStringList lines = diff.split(u'\n').mid(2);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString &line = lines[i];
        if (const auto match = header.match(line); match.hasMatch()) {
            const bool none = match.captured(2) == "0"_L1;
            const qsizetype start = match.captured(1).toInt() - (none ? 0 : 1);
            while (at < start)
                result += old[at++] + '\n';
            continue;
        }
        if (line.isEmpty() && i + 1 == lines.size())
            break;
        const QByteArray text = line.mid(1).toUtf8();
        const bool noBreak = i + 1 < lines.size() && lines[i + 1].startsWith(u'\\');
        if (line.startsWith(u' ') || line.startsWith(u'-')) {
            if (at >= old.size() || old[at++] != text)
                return std::nullopt;
            oldBreak = !noBreak;
        }
        if (line.startsWith(u' ') || line.startsWith(u'+')) {
            result += text + '\n';
            newBreak = !noBreak;
        }
        i += noBreak;
    }
    const bool reachedEnd = at == old.size();
    while (at < old.size())
        result += old[at++] + '\n';
    if ((!reachedEnd && !before.isEmpty() && !endsWithBreak) || (reachedEnd && !newBreak))
        result.chop(1);
    if (reachedEnd && !before.isEmpty() && oldBreak != endsWithBreak && diff.contains(u"@@"_s)
        && diff.contains(u"\\ No"_s))
        return std::nullopt;
    return result;
}

} // namespace

class tst_LineDiff : public QObject
{
    Q_OBJECT

private slots:
    void aChangeIsShownWithItsContext_data();
    void aChangeIsShownWithItsContext();
    void appliedItGivesTheNewContent();
    void aLargeRewriteEndsAndIsStillRight();
};

void tst_LineDiff::aChangeIsShownWithItsContext_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    QTest::addColumn<QString>("body");
    QTest::newRow("nothing") << QByteArray("a\n") << QByteArray("a\n") << QString();
    QTest::newRow("one line") << QByteArray("1\n2\n3\n4\n5\n6\n7\n8\n9\n")
                              << QByteArray("1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
                              << u"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"_s;
    QTest::newRow("new") << QByteArray() << QByteArray("a\nb\n") << u"@@ -0,0 +1,2 @@\n+a\n+b\n"_s;
    QTest::newRow("emptied") << QByteArray("a\n") << QByteArray() << u"@@ -1 +0,0 @@\n-a\n"_s;
    QTest::newRow("at the end") << QByteArray("a\n") << QByteArray("a\nb\n")
                                << u"@@ -1 +1,2 @@\n a\n+b\n"_s;
    QTest::newRow("line break added") << QByteArray("a") << QByteArray("a\n")
                                      << u"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"_s;
    QTest::newRow("two places")
        << QByteArray("x\n1\n2\n3\n4\n5\n6\n7\n8\ny\n")
        << QByteArray("X\n1\n2\n3\n4\n5\n6\n7\n8\nY\n")
        << u"@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n 3\n@@ -7,4 +7,4 @@\n 6\n 7\n 8\n-y\n+Y\n"_s;
    QTest::newRow("close places are one")
        << QByteArray("x\n1\n2\ny\n") << QByteArray("X\n1\n2\nY\n")
        << u"@@ -1,4 +1,4 @@\n-x\n+X\n 1\n 2\n-y\n+Y\n"_s;
}

void tst_LineDiff::aChangeIsShownWithItsContext()
{
    QFETCH(QByteArray, before);
    QFETCH(QByteArray, after);
    QFETCH(QString, body);
    QCOMPARE(unifiedDiff(before, after, u"old"_s, u"new"_s), u"--- old\n+++ new\n"_s + body);
    QVERIFY(unifiedDiff(before, after, {}, u"new"_s).startsWith(u"--- /dev/null\n"_s));
}

void tst_LineDiff::appliedItGivesTheNewContent()
{
    bool given = false;
    quint32 seed = qEnvironmentVariableIntValue("FERMATA_TEST_SEED", &given);
    if (!given)
        seed = QRandomGenerator::global()->generate();
    qInfo("seed %u", seed);
    QRandomGenerator random(seed);
    for (int round = 0; round < 3000; ++round) {
        QByteArray before;
        const int lines = random.bounded(30);
        for (int i = 0; i < lines; ++i)
            before += QByteArray(1, char('a' + random.bounded(4))) + '\n';
        QList<QByteArray> parts = before.split('\n');
        const int edits = random.bounded(8);
        for (int i = 0; i < edits; ++i) {
            const qsizetype at = random.bounded(int(parts.size()));
            if (random.bounded(2) && parts.size() > 1)
                parts.removeAt(at);
            else
                parts.insert(at, QByteArray(1, char('a' + random.bounded(5))));
        }
        const QByteArray after = parts.join('\n');
        const QString diff = unifiedDiff(before, after, u"o"_s, u"n"_s);
        const auto result = patched(before, diff);
        QVERIFY2(result, qPrintable(diff));
        QVERIFY2(*result == after,
                 qPrintable(u"%1\n--\n%2\n--\n%3"_s.arg(QString::fromUtf8(before), diff,
                                                        QString::fromUtf8(after))));
    }
}

void tst_LineDiff::aLargeRewriteEndsAndIsStillRight()
{
    QByteArray before;
    QByteArray after;
    for (int i = 0; i < 30000; ++i) {
        before += "old " + QByteArray::number(i) + '\n';
        after += "new " + QByteArray::number(i) + '\n';
    }
    const QString diff = unifiedDiff(before, after, u"o"_s, u"n"_s);
    QCOMPARE(diff.count(u"\n-old "_s), 30000);
    QCOMPARE(diff.count(u"\n+new "_s), 30000);
    QVERIFY(patched(before, diff) == after);
}

QTEST_GUILESS_MAIN(tst_LineDiff)
#include "tst_linediff.moc"

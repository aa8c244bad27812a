// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/codehighlight.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QString dump(const QString &language, const QString &code)
{
    QStringList parts;
    for (const CodeSpan &span : highlightCode(language, code))
        parts += u"wscnf+-"_s.at(int(span.color)) + u":"_s + code.mid(span.start, span.length);
    return parts.join(u'|');
}

} // namespace

class TestCodeHighlight : public QObject
{
    Q_OBJECT

private slots:
    void tokensAreFound_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("spans");
        QTest::newRow("cpp") << u"cpp"_s << u"int f(char c) { return 42; } // x"_s
                             << u"w:int|f:f|w:char|w:return|n:42|c:// x"_s;
        QTest::newRow("block comment") << u"c"_s << u"a /* b\nc */ d"_s << u"c:/* b\nc */"_s;
        QTest::newRow("shell") << u"bash"_s << u"sudo rm -r x # gone\nls | wc"_s
                               << u"f:sudo|c:# gone|f:ls|f:wc"_s;
        QTest::newRow("python") << u"Python"_s << u"def f(): '''a\nb'''"_s
                                << u"w:def|f:f|s:'''a\nb'''"_s;
        QTest::newRow("diff") << u"diff"_s << u"@@ -1 +1 @@\n-a\n+b\n c"_s
                              << u"c:@@ -1 +1 @@|-:-a|+:+b"_s;
        QTest::newRow("unknown") << u"../../etc/passwd"_s << u"int x"_s << QString();
    }
    void tokensAreFound()
    {
        QFETCH(QString, language);
        QFETCH(QString, code);
        QTEST(dump(language, code), "spans");
    }

    void anyTextGivesSpansInOrderAndInside()
    {
        std::mt19937 random(11);
        const QString characters = u"ab1 \"'`/*#-\\\n\t(){}=$|<!>é"_s;
        for (const QString &language : {u"cpp"_s, u"python"_s, u"bash"_s, u"yaml"_s, u"sql"_s,
                                        u"json"_s, u"html"_s, u"diff"_s}) {
            for (int run = 0; run < 200; ++run) {
                QString code;
                for (int i = int(random() % 200); i > 0; --i)
                    code += characters.at(int(random() % unsigned(characters.size())));
                int end = 0;
                for (const CodeSpan &span : highlightCode(language, code)) {
                    QVERIFY(span.start >= end);
                    QVERIFY(span.length > 0);
                    end = span.start + span.length;
                }
                QVERIFY(end <= code.size());
            }
        }
    }

    void longCodeHasOneColour()
    {
        QVERIFY(highlightCode(u"cpp"_s, u"int a;\n"_s.repeated(20'000)).empty());
        QElapsedTimer time;
        time.start();
        highlightCode(u"cpp"_s, u"int a = f(\"b\"); // c\n"_s.repeated(3'000));
        qInfo("60 KB of code: %lld ms", time.elapsed());
    }
};

QTEST_APPLESS_MAIN(TestCodeHighlight)
#include "tst_codehighlight.moc"

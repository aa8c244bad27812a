// SPDX-License-Identifier: GPL-3.0-or-later
#include "blockdump.h"
#include "ui/transcript/markdownparser.h"
#include "ui/transcript/markdownsplit.h"

#include <QElapsedTimer>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

MarkdownBlocks parse(const QString &text)
{
    return parseMarkdown(text.toUtf8());
}

} // namespace

class TestMarkdownParser : public QObject
{
    Q_OBJECT

private slots:
    void markdownBecomesBlocks_data()
    {
        QTest::addColumn<QString>("markdown");
        QTest::addColumn<QString>("blocks");
        QTest::newRow("paragraphs") << u"one\nline\n\ntwo"_s << u"one line\ntwo"_s;
        QTest::newRow("heading") << u"## A *b*"_s << u"h2 A <italic|b>"_s;
        QTest::newRow("styles") << u"**a** ~~b~~ ***c***"_s
                                << u"<bold|a> <strike|b> <bold+italic|c>"_s;
        QTest::newRow("code span") << u"run `ls -l` now"_s << u"run <code|ls -l> now"_s;
        QTest::newRow("hard break") << u"a  \nb"_s << u"a\\nb"_s;
        QTest::newRow("bullets") << u"- a\n- b"_s << u"*[•] a\n*[•] b"_s;
        QTest::newRow("numbers") << u"3. a\n4. b"_s << u"1[3.] a\n1[4.] b"_s;
        QTest::newRow("tasks") << u"- [x] a\n- [ ] b"_s << u"*[☑] a\n*[☐] b"_s;
        QTest::newRow("nested list") << u"- a\n  - b\n\n    c"_s << u"*[•] a\n**[•] b\n** c"_s;
        QTest::newRow("list in list item") << u"1. - a"_s << u"1[1.] \n1*[•] a"_s;
        QTest::newRow("empty item") << u"- \n- b"_s << u"*[•] \n*[•] b"_s;
        QTest::newRow("quote") << u"> a\n>\n> - b"_s << u"> a\n>*[•] b"_s;
        QTest::newRow("code in item") << u"- a\n  ```sh\n  x\n  ```"_s << u"*[•] a\n* code(sh) x"_s;
        QTest::newRow("fence") << u"```cpp extra\nint a;\n\nint b;\n```"_s
                               << u"code(cpp) int a;\\n\\nint b;"_s;
        QTest::newRow("open fence") << u"```\na"_s << u"code() a"_s;
        QTest::newRow("empty fence") << u"```\n```"_s << u"code() "_s;
        QTest::newRow("indented code") << u"    a\n    b"_s << u"code() a\\nb"_s;
        QTest::newRow("rule") << u"a\n\n---"_s << u"a\nrule"_s;
        QTest::newRow("table") << u"|a|b|\n|---|---|\n|`c`|**d**|"_s
                               << u"table (a,b) (<code|c>,<bold|d>)"_s;
        QTest::newRow("link") << u"[a](http://x.y \"t\")"_s << u"<link http://x.y|a>"_s;
        QTest::newRow("autolink") << u"see https://x.y/z."_s
                                  << u"see <link https://x.y/z|https://x.y/z>."_s;
        QTest::newRow("reference") << u"[a][1]\n\n[1]: http://x.y"_s << u"<link http://x.y|a>"_s;
        QTest::newRow("entity") << u"a &amp; b &#8211; &nosuch; &#0;"_s
                                << u"a & b – &nosuch; \uFFFD"_s;
        QTest::newRow("html block")
            << u"<div onclick=x>\na\n</div>"_s << u"<div onclick=x> a </div>"_s;
        QTest::newRow("html span") << u"a <b>c</b>"_s << u"a <b>c</b>"_s;
        QTest::newRow("image") << u"![cat](file:///x.png)"_s
                               << u"<chip|[image: cat](file:///x.png)>"_s;
        QTest::newRow("image in link")
            << u"[![cat](a.png)](http://x.y)"_s << u"<chip+link http://x.y|[image: cat](a.png)>"_s;
        QTest::newRow("override in prose") << u"a\u202Eb"_s << u"ab"_s;
        QTest::newRow("override in code") << u"`a\u202Eb`"_s << u"<code|a‹U+202E›b>"_s;
        QTest::newRow("override in link")
            << u"[a\u202Eb](http://x.y)"_s << u"<link http://x.y|a‹U+202E›b>"_s;
        QTest::newRow("nul") << QString(u'a') + QChar(0) + u'b' << u"a\uFFFDb"_s;
        QTest::newRow("nothing") << QString() << QString();
    }
    void markdownBecomesBlocks()
    {
        QFETCH(QString, markdown);
        QTEST(dump(parse(markdown)), "blocks");
    }

    void everyImageBecomesWords_data()
    {
        QTest::addColumn<QString>("markdown");
        const QStringList targets{u"file:///dev/zero"_s,
                                  u"/etc/passwd"_s,
                                  u"secret.png"_s,
                                  u"http://evil.example/x.png"_s,
                                  u"qrc:/fermata.svg"_s,
                                  u"data:image/png;base64,AAAA"_s,
                                  u"\\\\host\\share\\x.png"_s,
                                  u"file://host/share/x.png"_s,
                                  u"ftp://x/y.png"_s};
        const QStringList forms{u"![a](%1)"_s,           u"![a](<%1>)"_s,
                                u"![a](%1 \"t\")"_s,     u"![a][r]\n\n[r]: %1"_s,
                                u"![r]\n\n[r]: <%1>"_s,  u"- ![a](<%1>)"_s,
                                u"> ![a](<%1>)"_s,       u"|![a](<%1>)|\n|---|\n|![b](<%1>)|"_s,
                                u"# ![a](<%1>)"_s,       u"**![a](<%1>)**"_s,
                                u"[![a](<%1>)](<%1>)"_s, u"![![a](<%1>)](<%1>)"_s,
                                u"<img src=\"%1\">"_s,   u"<svg><image href='%1'/></svg>"_s,
                                u"<object data='%1'>"_s, u"<style>a{background:url(%1)}</style>"_s};
        for (const QString &form : forms) {
            for (const QString &target : targets)
                QTest::addRow("%s %s", qPrintable(form), qPrintable(target))
                    << QString(form).replace(u"%1"_s, target);
        }
    }
    void everyImageBecomesWords()
    {
        QFETCH(QString, markdown);
        // There is no block and no run that could hold an image: whatever came is text.
        const QString shown = dump(parse(markdown));
        QVERIFY(!shown.isEmpty());
        QVERIFY(!shown.contains(QChar::ObjectReplacementCharacter));
    }

    void nestingIsKeptFlat()
    {
        QElapsedTimer time;
        time.start();
        const MarkdownBlocks quotes = parse(QString(2000, u'>') + u" deep"_s);
        QCOMPARE(quotes.size(), size_t(1));
        QCOMPARE(int(quotes.front().depth), MarkdownBlock::MostLevels);
        QString lists;
        for (int i = 0; i < 300; ++i)
            lists += QString(2 * i, u' ') + u"- x\n"_s;
        const MarkdownBlocks items = parse(lists);
        QVERIFY(!items.empty());
        qInfo("2,000 quotes and 300 lists: %lld ms", time.elapsed());
    }

    void whatIsHostileStaysSmall()
    {
        QElapsedTimer time;
        time.start();
        parse(QString(20'000, u'['));
        parse(QString(u"![a]("_s).repeated(5'000));
        parse(QString(u"**a_"_s).repeated(20'000));
        parse(QString(u"`a``b"_s).repeated(10'000));
        qInfo("hostile spans: %lld ms", time.restart());

        // More columns than any table needs, and a row count that would make millions of empty cells.
        const QString head = u"|"_s + QString(u"a|"_s).repeated(500) + u"\n|"_s
            + QString(u"---|"_s).repeated(500) + u"\n"_s;
        const MarkdownBlocks blocks = parse(head + QString(u"|a|\n"_s).repeated(10'000));
        size_t cells = 0;
        for (const MarkdownBlock &block : blocks) {
            for (const auto &row : block.table.rows)
                cells += row.size();
        }
        QVERIFY(cells < 2'000'000); // and not five millions
        QVERIFY(blocks.size() < 1'000);
        qInfo("wide table: %lld ms", time.elapsed());
    }

    void longTablesAndParagraphsAreSplit()
    {
        const MarkdownBlocks rows =
            parse(u"|a|b|\n|---|---|\n"_s + QString(u"|c|d|\n"_s).repeated(100));
        QCOMPARE(rows.size(), size_t(4));
        QVERIFY(rows[0].table.hasHead && rows[0].goesOn && !rows[0].continued);
        QVERIFY(!rows[1].table.hasHead && rows[1].continued && rows[3].continued);
        QVERIFY(!rows[3].goesOn);
        size_t count = 0;
        for (const MarkdownBlock &part : rows) {
            count += part.table.rows.size();
            QCOMPARE(part.table.widest, rows[0].table.widest);
        }
        QCOMPARE(count, size_t(101));

        const QString words = QString(u"word *and* word "_s).repeated(2'000).trimmed();
        const MarkdownBlocks parts = parse(words);
        QVERIFY(parts.size() > 2);
        QString joined;
        for (const MarkdownBlock &part : parts) {
            QVERIFY(part.text.text.size() <= MostParagraph);
            joined += part.text.text;
        }
        QCOMPARE(joined, QString(words).remove(u'*'));
    }

    void sourceRangesCoverTheirBlocks_data()
    {
        QTest::addColumn<QString>("markdown");
        QTest::newRow("paragraphs") << u"one *a*\n\ntwo"_s;
        QTest::newRow("list") << u"- a\n- **b**\n  - c"_s;
        QTest::newRow("fence") << u"text\n\n```\ncode\n```\n\nend"_s;
        QTest::newRow("fence with language") << u"text\n\n```cpp\ncode\n```\n\nend"_s;
        QTest::newRow("quote") << u"> a\n>\n> b"_s;
        QTest::newRow("table") << u"a\n\n|b|\n|---|\n|c|\n\nd"_s;
        QTest::newRow("umlauts") << u"äöü **ß**\n\n# Ä"_s;
    }
    void sourceRangesCoverTheirBlocks()
    {
        QFETCH(QString, markdown);
        const QByteArray utf8 = markdown.toUtf8();
        // Each block's own source, put together again, is the message.
        QStringList pieces;
        for (const MarkdownBlock &block : parse(markdown)) {
            QVERIFY(block.sourceBegin >= 0 && block.sourceEnd >= block.sourceBegin);
            pieces +=
                QString::fromUtf8(utf8.mid(block.sourceBegin, block.sourceEnd - block.sourceBegin));
        }
        const auto bare = [](QString text) { return text.remove(u'\n').remove(u'>').remove(u' '); };
        QCOMPARE(bare(pieces.join(QString())), bare(markdown));
    }

    void positionsLeadBackToTheSource()
    {
        const QString markdown = u"äb **bold** and `code` end"_s;
        const MarkdownBlocks blocks = parse(markdown);
        const MarkdownText &text = blocks.front().text;
        for (const QString &word : {u"bold"_s, u"code"_s, u"end"_s}) {
            const int position = int(text.text.indexOf(word));
            QCOMPARE(text.sourceOf(position), int(markdown.toUtf8().indexOf(word.toUtf8())));
        }
    }
};

QTEST_APPLESS_MAIN(TestMarkdownParser)
#include "tst_markdownparser.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "blockdump.h"
#include "samples.h"
#include "ui/transcript/markdownparser.h"
#include "ui/transcript/markdownseam.h"
#include "ui/transcript/markdownstream.h"

#include <QElapsedTimer>
#include <QTest>

#include <random>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// What a view does with a stream: it keeps what stays and takes what is fresh.
class Collector
{
public:
    void append(const QString &text)
    {
        take(m_stream.append(text));
        m_text += text;
    }
    void finish() { take(m_stream.finish(m_text)); }
    const MarkdownBlocks &blocks() const { return m_blocks; }
    const QString &text() const { return m_text; }
    size_t lastFresh() const { return m_stream.fresh().size(); }

private:
    void take(size_t keep)
    {
        m_blocks.resize(std::min(m_blocks.size(), keep));
        m_blocks.insert(m_blocks.end(), m_stream.fresh().begin(), m_stream.fresh().end());
    }

    MarkdownStream m_stream;
    MarkdownBlocks m_blocks;
    QString m_text;
};

QString randomMarkdown(std::mt19937 &random)
{
    static const QStringList pieces{u"word "_s,
                                    u"another word"_s,
                                    u"\n"_s,
                                    u"\n\n"_s,
                                    u"- item\n"_s,
                                    u"  - nested\n"_s,
                                    u"1. number\n"_s,
                                    u"> quote\n"_s,
                                    u"```\n"_s,
                                    u"```cpp\ncode;\n"_s,
                                    u"~~~\n"_s,
                                    u"# heading\n"_s,
                                    u"**bold**"_s,
                                    u"*it"_s,
                                    u"`code`"_s,
                                    u"|a|b|\n|---|---|\n"_s,
                                    u"|c|d|\n"_s,
                                    u"---\n"_s,
                                    u"    indented\n"_s,
                                    u"[link](http://x.y)"_s,
                                    u"![image](a.png)"_s,
                                    u"<b>"_s,
                                    u"&amp;"_s,
                                    u"\\"_s,
                                    u"* star\n"_s,
                                    u"+ plus\n"_s,
                                    u"  ```\n"_s,
                                    u"- [ ] task\n"_s,
                                    u"\r\n"_s,
                                    u"===\n"_s,
                                    u"äöü"_s,
                                    QString::fromUcs4(U"\U0001F600"),
                                    u"``"_s,
                                    u">"_s,
                                    u"-"_s,
                                    u"\n\n  indented paragraph\n"_s,
                                    u"\n\ntext at the edge\n"_s};
    std::uniform_int_distribution<qsizetype> piece(0, pieces.size() - 1);
    std::uniform_int_distribution<int> count(1, 60);
    QString text;
    for (int i = count(random); i > 0; --i)
        text += pieces[piece(random)];
    return text;
}

} // namespace

class TestMarkdownStream : public QObject
{
    Q_OBJECT

private slots:
    void aContinuationIsReadAfterWhatIsOpen_data()
    {
        QTest::addColumn<QString>("cut");
        QTest::addColumn<QString>("continuation");
        QTest::addColumn<QString>("before");
        const QString joiner(QChar(0x2060));
        QTest::newRow("code") << u"Look:\n```py\nretu"_s << u"rn 42\n```\nDone."_s << u"```py\n"_s;
        QTest::newRow("code, goes on") << u"```py\nretu"_s << u"rn 42\n"_s << u"```py\n"_s;
        QTest::newRow("code that ends at once")
            << u"```py\nx\n"_s << u"```\nDone."_s << u"```py\n"_s;
        QTest::newRow("name of the language") << u"```p"_s << u"y\nx\n```"_s << u"```p"_s;
        QTest::newRow("in a list") << u"- a\n\n  ```\n  x"_s << u"y\n  ```\n"_s << u"```\n"_s;
        QTest::newRow("tildes") << u"~~~~\n```\nx"_s << u"\n```\n~~~~\n"_s << u"~~~~\n"_s;
        QTest::newRow("closed") << u"```\nx\n```\n"_s << u"Done."_s << QString();
        QTest::newRow("closed in the last line") << u"```\nx\n```"_s << u"\nDone."_s << QString();
        QTest::newRow("begun anew")
            << u"```py\nretu"_s << u"Again:\n```py\nreturn 42\n```"_s << QString();
        QTest::newRow("rest of a line") << u"Look in Settings"_s << u" > Model."_s << joiner;
        QTest::newRow("next word") << u"Look in"_s << u" Settings"_s << QString();
        QTest::newRow("rest of a word") << u"Look in Sett"_s << u"ings"_s << QString();
        QTest::newRow("new block") << u"One.\n"_s << u" - two"_s << QString();
        QTest::newRow("nothing yet") << u"One"_s << QString() << QString();
        QTest::newRow("nothing before") << QString() << u" - two"_s << QString();
    }
    void aContinuationIsReadAfterWhatIsOpen()
    {
        QFETCH(QString, cut);
        QFETCH(QString, continuation);
        QTEST(openAtCut(cut, continuation), "before");
    }

    void whatATextIsReadAfterIsNotPartOfIt()
    {
        const QString text = u"rn 42\n```\nDone."_s;
        MarkdownStream stream(u"```py\n"_s);
        for (const QChar c : text)
            stream.append(QString(c));
        QCOMPARE(stream.fresh().back().text.text, u"Done."_s);
        stream.finish(text);
        const MarkdownBlocks &blocks = stream.fresh();
        QCOMPARE(blocks.size(), size_t(2));
        QCOMPARE(blocks[0].kind, MarkdownBlock::Kind::Code);
        QCOMPARE(blocks[0].text.text, u"rn 42"_s);
        QCOMPARE(blocks[0].sourceBegin, 0);
        QCOMPARE(
            text.mid(blocks[1].sourceBegin, blocks[1].sourceEnd - blocks[1].sourceBegin).trimmed(),
            u"Done."_s);
    }

    void streamedMarkdownEqualsTheWhole()
    {
        const auto seed = qEnvironmentVariableIsSet("FERMATA_SEED")
            ? unsigned(qEnvironmentVariableIntValue("FERMATA_SEED"))
            : std::random_device{}();
        qInfo("FERMATA_SEED=%u", seed);
        std::mt19937 random(seed);
        for (int run = 0; run < 3'000; ++run) {
            const QString text = randomMarkdown(random);
            Collector collector;
            std::uniform_int_distribution<qsizetype> length(1, 12);
            for (qsizetype at = 0; at < text.size();) {
                const qsizetype size = std::min(length(random), text.size() - at);
                collector.append(text.mid(at, size));
                at += size;
            }
            collector.finish();
            QCOMPARE(dump(collector.blocks()), dump(parseMarkdown(text.toUtf8())));
        }
    }

    void definitionsAtTheEndCountAfterIt()
    {
        Collector collector;
        collector.append(u"See [the manual][m].\n\nMore text.\n\nAnd more.\n\n"_s);
        collector.append(u"[m]: https://example.org\n"_s);
        collector.finish();
        QVERIFY(dump(collector.blocks()).contains(u"<link https://example.org|the manual>"_s));
    }

    void aCharacterCutInHalvesComesWhole()
    {
        const QString smile = QString::fromUcs4(U"\U0001F600");
        Collector collector;
        collector.append(u"a"_s + smile.at(0));
        collector.append(QString(smile.at(1)) + u"b"_s);
        QCOMPARE(dump(collector.blocks()), u"a"_s + smile + u"b"_s);
    }

    void closedBlocksAreNotParsedAgain()
    {
        Collector collector;
        for (int i = 0; i < 500; ++i)
            collector.append(samples::markdown(i));
        QVERIFY(collector.blocks().size() > 1'500);
        QVERIFY2(collector.lastFresh() < 60, qPrintable(QString::number(collector.lastFresh())));
    }

    void endlessTailsAreTimed_data()
    {
        QTest::addColumn<QString>("start");
        QTest::addColumn<QString>("piece");
        QTest::newRow("mixed") << QString() << QString();
        QTest::newRow("fence") << u"```cpp\n"_s << u"int x = 1;\n"_s;
        QTest::newRow("paragraph") << QString() << u"word after "_s;
        QTest::newRow("list") << QString() << u"- item one\n"_s;
        QTest::newRow("table") << u"|a|b|\n|---|---|\n"_s << u"|cell|b|\n"_s;
    }
    void endlessTailsAreTimed()
    {
        QFETCH(QString, start);
        QFETCH(QString, piece);
        Collector collector;
        collector.append(start);
        qint64 longest = 0;
        QElapsedTimer whole;
        whole.start();
        for (int i = 0; i < 500; ++i) {
            QElapsedTimer time;
            time.start();
            collector.append(piece.isEmpty() ? samples::markdown(i).left(160) : piece.repeated(16));
            longest = std::max(longest, time.nsecsElapsed());
        }
        qInfo("%lld characters: %lld ms in all, the longest append %.2f ms",
              qint64(collector.text().size()), whole.elapsed(), double(longest) / 1e6);
        QCOMPARE(dump(collector.blocks()), dump(parseMarkdown(collector.text().toUtf8())));
    }
};

QTEST_APPLESS_MAIN(TestMarkdownStream)
#include "tst_markdownstream.moc"

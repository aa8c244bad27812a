// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/conversationstore.h"
#include "store/searchquery.h"

#include "conversationgenerators/conversationgenerators.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <rapidcheck.h>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestSearch final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        arbitrary::useCases(500);
        auto opened = ConversationStore::open(m_folder.filePath(u"fermata.db"_s));
        QVERIFY(opened.ok());
        m_store = std::move(*opened);
        add(u"first"_s, u"What is a Bézier curve?"_s, u"A curve that control points shape."_s);
        add(u"second"_s, u"curve curve curve"_s, u"Nothing else."_s);
        add(u"third"_s, u"Sort a list"_s,
            u"Call std::sort(v.begin(), v.end());\nIt isn't stable."_s);
        add(u"fourth"_s, u"漢字 search"_s, u"漢字は難しい"_s);
    }
    void cleanupTestCase() { m_store.reset(); }

    void wordsAreFoundInQuestionsAndAnswers_data()
    {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QStringList>("titles");
        QTest::newRow("in a question") << u"list"_s << QStringList{u"third"_s};
        QTest::newRow("in an answer") << u"shape"_s << QStringList{u"first"_s};
        QTest::newRow("by rank") << u"curve"_s << QStringList{u"second"_s, u"first"_s};
        QTest::newRow("without accents, in any case") << u"BEZIER"_s << QStringList{u"first"_s};
        QTest::newRow("all words") << u"curve control"_s << QStringList{u"first"_s};
        QTest::newRow("the last one as a prefix") << u"curve cont"_s << QStringList{u"first"_s};
        QTest::newRow("others as a whole") << u"cur control"_s << QStringList{};
        QTest::newRow("two letters, newest first")
            << u"cu"_s << QStringList{u"second"_s, u"first"_s};
        QTest::newRow("signs inside") << u"std::sort(v"_s << QStringList{u"third"_s};
        QTest::newRow("apostrophe") << u"isn't"_s << QStringList{u"third"_s};
        QTest::newRow("other scripts") << u"漢字は"_s << QStringList{u"fourth"_s};
        QTest::newRow("nowhere") << u"zebra"_s << QStringList{};
    }
    void wordsAreFoundInQuestionsAndAnswers()
    {
        QFETCH(QString, query);
        const auto hits = m_store->search(query, 10);
        QVERIFY2(hits.ok(), qPrintable(hits.ok() ? QString() : hits.error().detail));
        QStringList titles;
        for (const SearchHit &hit : *hits)
            titles += hit.title;
        QTEST(titles, "titles");
    }
    void aHitNamesItsTurnAndShowsTheTextAround()
    {
        const auto hits = m_store->search(u"stable"_s, 10);
        QCOMPARE(hits->size(), 1u);
        QCOMPARE(hits->front().turn, m_turns.value(u"third"_s));
        QCOMPARE(hits->front().snippet, u"Call std::sort(v.begin(), v.end()); It isn't stable."_s);
        QVERIFY(hits->front().updatedAt.isValid());
    }
    void noMoreThanWantedAreGiven() { QCOMPARE(m_store->search(u"curve"_s, 1)->size(), 1u); }

    void nothingTypedIsSyntax_data()
    {
        QTest::addColumn<QString>("query");
        for (const char *query : {"",
                                  " ",
                                  "\"",
                                  "\"\"",
                                  "*",
                                  "curve OR list",
                                  "curve NOT control",
                                  "NEAR(curve list)",
                                  "user_text:curve",
                                  "{user_text answer}: x",
                                  "^curve",
                                  "a AND",
                                  "(",
                                  ")",
                                  "-",
                                  "--",
                                  "'; DROP TABLE turns; --",
                                  "curve*",
                                  "\"unbalanced",
                                  "a\"b\"c",
                                  "+ + +",
                                  "%",
                                  "\\",
                                  "!!!",
                                  "curve\"*",
                                  ":",
                                  "NOT",
                                  "AND OR NOT"})
            QTest::newRow(query) << QString::fromUtf8(query);
        QTest::newRow("zero") << u"curve"_s + QChar(u'\0') + u"list"_s;
        QTest::newRow("surrogate") << QString(QChar(0xd83d));
        QTest::newRow("long") << u"word \" "_s.repeated(100'000);
        QTest::newRow("one long word") << u"x"_s.repeated(1'000'000);
    }
    void nothingTypedIsSyntax()
    {
        QFETCH(QString, query);
        const auto hits = m_store->search(query, 10);
        QVERIFY2(hits.ok(), qPrintable(hits.ok() ? QString() : hits.error().detail));
    }
    void anyTextCanBeSearchedFor()
    {
        QVERIFY(rc::check("no query is an error", [this] {
            const QString query = arbitrary::anyText(40);
            RC_ASSERT(m_store->search(query, 5).ok());
        }));
    }
    void operatorsAreWords()
    {
        QVERIFY(m_store->search(u"curve OR list"_s, 10)->empty());
        QCOMPARE(searchQuery(u"a \"b\" cd"_s).match, u"\"a\" \"\"\"b\"\"\" \"cd\"*"_s);
        QCOMPARE(searchQuery(u"a"_s).match, u"\"a\""_s);
        QCOMPARE(searchQuery(u"漢"_s).match, u"\"漢\"*"_s);
        QVERIFY(searchQuery(u"-- !"_s).match.isEmpty());
        QVERIFY(searchQuery(u"ab"_s).newestFirst);
        QVERIFY(!searchQuery(u"abc"_s).newestFirst);
    }
    void aSnippetIsOneLineOfPlainText()
    {
        QCOMPARE(cleanSnippet(u"a\n\tb\u202ec\u001bd"_s), u"a bcd"_s);
    }

private:
    void add(const QString &title, const QString &question, const QString &answer)
    {
        Conversation conversation;
        conversation.id = ConversationId::create();
        conversation.title = title;
        TurnRecord turn;
        turn.id = TurnId::create();
        turn.userText = question;
        turn.answer = {{{ThinkingBlock{u"zebra"_s, {}, true, {}}, TextBlock{answer}}, {}, true}};
        QVERIFY(m_store->beginTurn(conversation, turn).ok());
        turn.outcome = TurnOutcome();
        QVERIFY(m_store->finishTurn(turn).ok());
        m_turns.insert(title, turn.id);
    }

    QTemporaryDir m_folder;
    std::unique_ptr<ConversationStore> m_store;
    QHash<QString, TurnId> m_turns;
};

QTEST_GUILESS_MAIN(TestSearch)
#include "tst_search.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"
#include "ui/transcript/transcriptlayout.h"
#include "ui/transcript/transcriptselection.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

// A layout as the view makes it, without a view.
struct Page
{
    explicit Page(const Conversation &shown) : conversation(shown), layout(model)
    {
        model.setConversation(&conversation);
        layout.setStyle(TranscriptStyle::make(lightTheme(), 1.0, 1.0));
        layout.reset();
        layout.settleAtEnd(100'000);
    }
    QString select(TextPosition from, TextPosition to)
    {
        TranscriptSelection selection;
        selection.set(from, to);
        return selection.text(model, layout);
    }

    Conversation conversation;
    TranscriptModel model;
    TranscriptLayout layout;
};

} // namespace

class TestTranscriptSelection : public QObject
{
    Q_OBJECT

private slots:
    void allOfItIsTheSource()
    {
        Page page(samples::longConversation(3));
        TranscriptSelection selection;
        selection.selectAll(page.model.rowCount());
        QStringList wanted;
        for (const TurnRecord &turn : page.conversation.turns)
            wanted << turn.userText << turn.answerText();
        QCOMPARE(selection.text(page.model, page.layout), wanted.join(u"\n\n"_s));
    }

    void withinABlockItIsWhatIsSeen()
    {
        Page page(samples::running(u"Some **bold** and `code` words"_s));
        const RowContent &content = page.layout.content(1);
        const int length = content.parts()[0].part->length();
        QCOMPARE(page.select({1, 0, 0}, {1, 0, length}), u"Some bold and code words"_s);
        QCOMPARE(page.select({1, 0, 5}, {1, 0, 9}), u"bold"_s);
    }

    void acrossBlocksItIsTheSourceBetween()
    {
        const QString text = u"First *one*.\n\n- item **two**\n- item three\n\nLast *four* words"_s;
        Page page(samples::running(text));
        const auto &parts = page.layout.content(1).parts();
        QCOMPARE(parts.size(), size_t(4));
        const int last =
            int(parts[3].part->plainText(0, parts[3].part->length()).indexOf(u"four"_s));
        QCOMPARE(page.select({1, 0, 6}, {1, 3, last + 4}),
                 u"one*.\n\n- item **two**\n- item three\n\nLast *four*"_s);
        QCOMPARE(page.select({1, 1, 0}, {1, 2, parts[2].part->length()}),
                 u"- item **two**\n- item three"_s);
    }

    void codeIsTakenAsItWasWritten()
    {
        const QString code = u"int a;\n\tint b; // \u202E"_s;
        Page page(samples::running(u"```cpp\n"_s + code + u"\n```\n"_s));
        const Part &part = *page.layout.content(1).parts()[0].part;
        QVERIFY(part.length() > code.size()); // what cannot be seen is shown
        QCOMPARE(part.plainText(0, part.length()), code);
    }

    void acrossMessagesEachGivesItsShare()
    {
        Page page(samples::longConversation(2));
        const QString text = page.select({0, 0, 9}, {2, 0, 8});
        QVERIFY(text.startsWith(page.conversation.turns[0].userText.mid(9)));
        QVERIFY(text.contains(page.conversation.turns[0].answerText()));
        QVERIFY(text.endsWith(u"Question"_s));
    }

    void aToolCallGivesItsCommandAndItsOutput()
    {
        Page page(samples::backupStopped());
        const auto &parts = page.layout.content(1).parts();
        for (size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].part->role() != Part::Role::Card)
                continue;
            const QString text = parts[i].part->plainText(0, parts[i].part->length());
            QVERIFY(text.contains(u"restic -r /srv/backup check --read-data-subset=2%\n"
                                  "create exclusive lock"_s));
            return;
        }
        QFAIL("no card");
    }
};

QTEST_MAIN(TestTranscriptSelection)
#include "tst_transcriptselection.moc"

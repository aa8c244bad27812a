// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"
#include "ui/style/fermatastyle.h"
#include "ui/transcript/transcriptview.h"

#include <QAccessible>
#include <QClipboard>
#include <QPushButton>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

QAccessibleInterface *find(QAccessibleInterface *from, QAccessible::Role role, const QString &name)
{
    for (int i = 0; i < from->childCount(); ++i) {
        QAccessibleInterface *child = from->child(i);
        if (!child || child->state().invisible)
            continue;
        if (child->role() == role && child->text(QAccessible::Name) == name)
            return child;
        if (QAccessibleInterface *deeper = find(child, role, name))
            return deeper;
    }
    return nullptr;
}

} // namespace

class TestTranscriptAccessible : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(new FermataStyle(lightTheme())); }

    void theTranscriptIsAListOfMessages()
    {
        const Conversation conversation = samples::longConversation(3);
        TranscriptView view;
        view.resize(800, 600);
        view.setConversation(&conversation);
        view.show();
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
        QVERIFY(list);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->text(QAccessible::Name), u"Transcript"_s);
        int items = 0;
        for (int i = 0; i < list->childCount(); ++i) {
            QAccessibleInterface *item = list->child(i);
            if (item->role() != QAccessible::ListItem)
                continue;
            ++items;
            QCOMPARE(item->text(QAccessible::Name), view.model().messageText(i));
            QCOMPARE(item->textInterface()->text(0, 10), view.model().messageText(i).left(10));
            QCOMPARE(item->parent(), list);
            QCOMPARE(list->indexOfChild(item), i);
            QVERIFY(item->rect().isValid());
        }
        QCOMPARE(items, 6);
    }

    void buttonsAreFoundByTheirNames_data()
    {
        QTest::addColumn<QString>("name");
        for (const char *name : {"Continue", "Retry", "Edit", "Copy", "Delete"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void buttonsAreFoundByTheirNames()
    {
        QFETCH(QString, name);
        const Conversation conversation = samples::backupStopped();
        TranscriptView view;
        view.resize(800, 900);
        view.setConversation(&conversation);
        view.show();
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
        QVERIFY(find(list, QAccessible::Button, name));
    }

    void whatIsPaintedCanBePressed()
    {
        const Conversation conversation = samples::backupStopped();
        TranscriptView view;
        view.resize(800, 900);
        view.setConversation(&conversation);
        view.show();
        view.refreshNow();
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
        QAccessibleInterface *copy = find(list, QAccessible::Button, u"Copy code"_s);
        QVERIFY(copy);
        QVERIFY(copy->rect().isValid());
        copy->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"restic -r /srv/backup list"_s));
        QVERIFY(find(list, QAccessible::Button, u"Thought for 3 s"_s));
    }

    void theQuestionAndTheRunningToolHaveTheirButtons()
    {
        const Conversation asking = samples::askingForApproval();
        TranscriptView view;
        view.resize(800, 700);
        view.setConversation(&asking);
        view.setApproval(samples::approvalRequest());
        view.show();
        view.refreshNow();
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
        for (const QString &name : {u"Allow once"_s, u"Always allow"_s, u"Deny"_s})
            QVERIFY2(find(list, QAccessible::Button, name), qPrintable(name));

        const Conversation running = samples::backupRunning();
        view.setConversation(&running);
        view.refreshNow();
        QVERIFY(find(list, QAccessible::Button, u"Stop tool"_s));
        QVERIFY(!find(list, QAccessible::Button, u"Deny"_s));
    }

    void tenThousandMessagesAreItems()
    {
        const Conversation conversation = samples::longConversation(5'000);
        TranscriptView view;
        view.resize(800, 600);
        view.setConversation(&conversation);
        view.show();
        QAccessibleInterface *list = QAccessible::queryAccessibleInterface(&view);
        QCOMPARE(list->childCount(), 10'001);
        QCOMPARE(list->child(9'998)->text(QAccessible::Name), conversation.turns.back().userText);
        QVERIFY(list->child(0)->state().offscreen);
    }
};

QTEST_MAIN(TestTranscriptAccessible)
#include "tst_transcriptaccessible.moc"

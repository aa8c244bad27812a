// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/enumcomparison.h"
#include "tool/builtin/editfile.h"
#include "tool/builtin/writefile.h"
#include "tool/toolregistry.h"
#include "turnfixture.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

// Several changes of one file in one message, as models like to send them.
class tst_TurnFileChanges : public QObject
{
    Q_OBJECT

private slots:
    void eachChangeIsShownOnTopOfTheOnesBefore_data();
    void eachChangeIsShownOnTopOfTheOnesBefore();
    void whatFollowsADeniedChangeIsJudgedWithoutIt();
};

namespace {

Script changes()
{
    return sent() + toolCall(u"write_file"_s, uR"({"path": "a", "content": "one\ntwo\n"})"_s)
        + toolCall(u"edit_file"_s, uR"({"path": "a", "old_text": "one", "new_text": "three"})"_s)
        + toolCall(u"edit_file"_s, uR"({"path": "a", "old_text": "three", "new_text": "four"})"_s)
        + done();
}

std::shared_ptr<ToolRegistry> fileTools()
{
    auto tools = std::make_shared<ToolRegistry>();
    const FileServices files;
    tools->add(std::make_shared<WriteFile>(files));
    tools->add(std::make_shared<EditFile>(files));
    return tools;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("<none>");
}

} // namespace

void tst_TurnFileChanges::eachChangeIsShownOnTopOfTheOnesBefore_data()
{
    QTest::addColumn<ToolPermission>("permission");
    QTest::newRow("asked") << ToolPermission::Ask;
    QTest::newRow("allowed") << ToolPermission::Allow;
}

// Before, all were described when the message had come: the second was told that there is no such file, or was refused
// after the user had allowed it.
// behaviours: 81
// reliability: E14
void tst_TurnFileChanges::eachChangeIsShownOnTopOfTheOnesBefore()
{
    QFETCH(ToolPermission, permission);
    const QTemporaryDir folder;
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.workspace = folder.path();
    fixture.request.tools = fileTools();
    fixture.request.policy = std::make_shared<ApprovalPolicy>(
        QHash<QString, ToolPermission>{{u"write_file"_s, permission}, {u"edit_file"_s, permission}},
        std::vector<AllowRule>{});
    fixture.script({changes(), answer(u"Done."_s)});
    QStringList shown;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event)) {
            shown << question->request.exactText;
            fixture.control->answerApproval(question->request.call, ApprovalDecision::AllowOnce,
                                            question->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    for (const ToolCallBlock &call : fixture.calls())
        QVERIFY2(call.slot.state == ToolState::Finished, qUtf8Printable(call.slot.note));
    QCOMPARE(contentOf(folder.filePath(u"a"_s)), "four\ntwo\n");
    QCOMPARE(shown.size(), permission == ToolPermission::Ask ? 3 : 0);
    if (permission == ToolPermission::Ask)
        QVERIFY2(shown[2].contains(u"-three\n+four"_s), qUtf8Printable(shown[2]));
}

// behaviours: 77
void tst_TurnFileChanges::whatFollowsADeniedChangeIsJudgedWithoutIt()
{
    const QTemporaryDir folder;
    TurnFixture fixture(TurnFixture::Time::Still);
    fixture.request.workspace = folder.path();
    fixture.request.tools = fileTools();
    fixture.script({changes(), answer(u"Done."_s)});
    int asked = 0;
    fixture.onEvent = [&](const TurnEvent &event) {
        if (const auto *question = std::get_if<ApprovalAsked>(&event)) {
            ++asked;
            fixture.control->answerApproval(question->request.call, ApprovalDecision::Deny,
                                            question->request.fingerprint);
        }
    };
    QCOMPARE(fixture.run().status, TurnStatus::Completed);
    QCOMPARE(asked, 1); // there is nothing to edit, and nothing to ask
    const auto calls = fixture.calls();
    QCOMPARE(calls.size(), size_t(3));
    QCOMPARE(calls[0].slot.state, ToolState::Denied);
    QCOMPARE(calls[1].slot.state, ToolState::Failed);
    QCOMPARE(calls[2].slot.state, ToolState::Failed);
    QCOMPARE(contentOf(folder.filePath(u"a"_s)), "<none>");
}

QTEST_GUILESS_MAIN(tst_TurnFileChanges)
#include "tst_turnfilechanges.moc"

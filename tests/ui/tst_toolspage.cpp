// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/conversationlibrary.h"
#include "session/sessionservices.h"
#include "settings/settingsfile.h"
#include "tool/approvalpolicy.h"
#include "ui/settings/toolspage.h"
#include "ui/style/fermatastyle.h"

#include <QApplication>
#include <QComboBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class ToolsPageTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(new FermataStyle(lightTheme())); }
    void init();
    void cleanup();

    void toolStartsWithItsStandard();
    void permissionIsSavedForItsTool();
    void toolLimitReplacesTheGeneralOne();
    void everyRuleCanBeRevoked();
    void whatOneConversationAllowsCanBeRevokedToo();

private:
    QComboBox *combo(const QString &name) const
    {
        for (auto *widget : m_page->findChildren<QComboBox *>()) {
            if (widget->accessibleName() == name)
                return widget;
        }
        return nullptr;
    }
    // As the user does it: by its text.
    static void choose(QComboBox *box, const QString &text)
    {
        const int index = box->findText(text);
        QVERIFY2(index >= 0, qPrintable(text));
        box->setCurrentIndex(index);
        emit box->activated(index);
    }

    const std::vector<ToolEntry> m_tools{{u"run_command"_s, u"Run command"_s, ToolPermission::Ask},
                                         {u"read_file"_s, u"Read file"_s, ToolPermission::Allow}};
    std::unique_ptr<QTemporaryDir> m_folder;
    QPushButton *button(const QString &name) const
    {
        for (auto *widget : m_page->findChildren<QPushButton *>()) {
            if (widget->accessibleName() == name && !widget->isHidden())
                return widget;
        }
        return nullptr;
    }

    std::unique_ptr<SettingsFile> m_file;
    std::unique_ptr<ToolsPage> m_page;
};

void ToolsPageTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = std::make_unique<SettingsFile>(m_folder->filePath(u"settings.json"_s));
    m_page = std::make_unique<ToolsPage>(m_file.get(), nullptr, m_tools, QString());
}

void ToolsPageTest::cleanup()
{
    m_page.reset();
    m_file.reset();
    m_folder.reset();
}

void ToolsPageTest::toolStartsWithItsStandard()
{
    QCOMPARE(combo(u"Run command, permission"_s)->currentText(), u"Ask"_s);
    QCOMPARE(combo(u"Read file, permission"_s)->currentText(), u"Allow"_s);
    QVERIFY(m_file->settings().toolPermissions.isEmpty());
}

void ToolsPageTest::permissionIsSavedForItsTool()
{
    choose(combo(u"Run command, permission"_s), u"Deny"_s);
    QCOMPARE(m_file->settings().toolPermissions.value(u"run_command"_s), ToolPermission::Deny);
    QVERIFY(!m_file->settings().toolPermissions.contains(u"read_file"_s));
}

void ToolsPageTest::toolLimitReplacesTheGeneralOne()
{
    // behaviours: 152
    QComboBox *limit = combo(u"Run command, time limit"_s);
    QCOMPARE(limit->currentText(), u"General limit, 2 min"_s);
    choose(limit, u"30 min"_s);
    QCOMPARE(m_file->settings().toolLimits.value(u"run_command"_s), LimitValue(30min));
    choose(limit, u"never"_s);
    QVERIFY(m_file->settings().toolLimits.contains(u"run_command"_s));
    QVERIFY(!m_file->settings().toolLimits.value(u"run_command"_s));
    choose(limit, u"General limit, 2 min"_s);
    QVERIFY(!m_file->settings().toolLimits.contains(u"run_command"_s));
}

void ToolsPageTest::everyRuleCanBeRevoked()
{
    Settings settings = m_file->settings();
    settings.allowRules = {{u"run_command"_s, u"make -j4"_s}, {u"run_command"_s, u"git status"_s}};
    QVERIFY(m_file->save(settings).ok());
    QPushButton *revoke = button(u"Revoke make -j4"_s);
    QVERIFY(revoke);
    revoke->click();
    const std::vector<AllowRule> left{{u"run_command"_s, u"git status"_s}};
    QCOMPARE(m_file->settings().allowRules, left);
}

void ToolsPageTest::whatOneConversationAllowsCanBeRevokedToo()
{
    const auto services = std::make_shared<SessionServices>();
    services->databasePath = m_folder->filePath(u"fermata.db"_s);
    services->settings = m_file.get();
    ConversationLibrary library(services);
    const ConversationId id = ConversationId::create();
    const auto policy = services->approvals->policy(id);
    ApprovalRequest request;
    request.tool = u"run_command"_s;
    request.alwaysPattern = u"make"_s;
    policy->allowInConversation(request);

    m_page = std::make_unique<ToolsPage>(m_file.get(), &library, m_tools, QString());
    QPushButton *revoke = button(u"Revoke make"_s);
    QVERIFY(revoke);
    QVERIFY(revoke->accessibleDescription().contains(u"only in"_s));
    revoke->click();
    QVERIFY(policy->conversationRules().empty());
    QTRY_VERIFY(!m_page->findChild<QPushButton *>() || !button(u"Revoke make"_s));
    // The same policy for the same conversation, whoever opens it.
    QCOMPARE(services->approvals->policy(id), policy);
    m_page.reset();
}

QTEST_MAIN(ToolsPageTest)
#include "tst_toolspage.moc"

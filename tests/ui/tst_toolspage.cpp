// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settingsfile.h"
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

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<SettingsFile> m_file;
    std::unique_ptr<ToolsPage> m_page;
};

void ToolsPageTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = std::make_unique<SettingsFile>(m_folder->filePath(u"settings.json"_s));
    const std::vector<ToolEntry> tools{{u"run_command"_s, u"Run command"_s, ToolPermission::Ask},
                                       {u"read_file"_s, u"Read file"_s, ToolPermission::Allow}};
    m_page = std::make_unique<ToolsPage>(m_file.get(), tools, QString());
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
    QPushButton *revoke = nullptr;
    for (auto *button : m_page->findChildren<QPushButton *>()) {
        if (button->accessibleName() == u"Revoke make -j4")
            revoke = button;
    }
    QVERIFY(revoke);
    revoke->click();
    const std::vector<AllowRule> left{{u"run_command"_s, u"git status"_s}};
    QCOMPARE(m_file->settings().allowRules, left);
}

QTEST_MAIN(ToolsPageTest)
#include "tst_toolspage.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settingsfile.h"
#include "ui/settings/limitrow.h"
#include "ui/settings/limitspage.h"
#include "ui/style/fermatastyle.h"
#include "ui/widgets/comboboxaccessible.h"
#include "ui/widgets/textlabel.h"

#include <QAccessible>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class LimitsPageTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QApplication::setStyle(new FermataStyle(lightTheme()));
        installComboBoxAccessible();
    }
    void init();
    void cleanup();

    void showsTheDefaults();
    void validValueIsSavedAtOnce();
    void unitIsPartOfTheValue();
    void zeroIsNotSavedAndTheFieldSaysWhy();
    void valueAboveTheTurnLimitIsNotSaved();
    void otherFieldsAreSavedBesideAnInvalidOne();
    void neverSwitchesALimitOff();
    void callsHaveARange();
    void restoringDefaultsRemovesProblems();
    void changesFromElsewhereAreShown();
    void whatIsChosenIsToldWithWhatItIsFor();
    void aLinkTakesOneTab();

private:
    template <typename Widget>
    Widget *find(const QString &name) const
    {
        for (auto *widget : m_page->findChildren<Widget *>()) {
            if (widget->accessibleName() == name)
                return widget;
        }
        return nullptr;
    }
    QSpinBox *value(const QString &limit) const { return find<QSpinBox>(limit + u", value"_s); }
    QComboBox *unit(const QString &limit) const { return find<QComboBox>(limit + u", unit"_s); }
    QCheckBox *never(const QString &limit) const { return find<QCheckBox>(limit + u", never"_s); }
    QString problem(const QString &limit) const
    {
        return static_cast<LimitRow *>(value(limit)->parentWidget())->problem();
    }
    const TurnLimits &saved() const { return m_file->settings().limits; }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<SettingsFile> m_file;
    std::unique_ptr<LimitsPage> m_page;
};

void LimitsPageTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = std::make_unique<SettingsFile>(m_folder->filePath(u"settings.json"_s));
    m_page = std::make_unique<LimitsPage>(m_file.get());
}

void LimitsPageTest::cleanup()
{
    m_page.reset();
    m_file.reset();
    m_folder.reset();
}

void LimitsPageTest::showsTheDefaults()
{
    QCOMPARE(value(u"Connect"_s)->value(), 15);
    QCOMPARE(unit(u"Connect"_s)->currentText(), u"seconds"_s);
    QCOMPARE(value(u"First token"_s)->value(), 5);
    QCOMPARE(unit(u"First token"_s)->currentText(), u"minutes"_s);
    QVERIFY(never(u"Whole turn"_s)->isChecked());
    QVERIFY(!value(u"Whole turn"_s)->isEnabled());
    QCOMPARE(value(u"Whole turn"_s)->value(), 30);
    QCOMPARE(value(u"Model calls per turn"_s)->value(), 50);
}

void LimitsPageTest::validValueIsSavedAtOnce()
{
    value(u"Silence"_s)->setValue(3);
    QCOMPARE(saved().silence, LimitValue(3min));
    SettingsFile again(m_folder->filePath(u"settings.json"_s));
    QCOMPARE(again.settings().limits.silence, LimitValue(3min));
}

void LimitsPageTest::unitIsPartOfTheValue()
{
    unit(u"Silence"_s)->setCurrentIndex(0);
    QCOMPARE(saved().silence, LimitValue(2s));
    unit(u"Silence"_s)->setCurrentIndex(2);
    QCOMPARE(saved().silence, LimitValue(2h));
}

void LimitsPageTest::zeroIsNotSavedAndTheFieldSaysWhy()
{
    // behaviours: 153
    value(u"Silence"_s)->setValue(0);
    QCOMPARE(saved().silence, LimitValue(2min));
    QVERIFY(!problem(u"Silence"_s).isEmpty());
    QCOMPARE(fieldStateOf(value(u"Silence"_s)), FieldState::Invalid);
    QCOMPARE(value(u"Silence"_s)->accessibleDescription(), problem(u"Silence"_s));
    value(u"Silence"_s)->setValue(1);
    QCOMPARE(saved().silence, LimitValue(1min));
    QVERIFY(problem(u"Silence"_s).isEmpty());
    QCOMPARE(fieldStateOf(value(u"Silence"_s)), FieldState::Valid);
}

void LimitsPageTest::valueAboveTheTurnLimitIsNotSaved()
{
    // behaviours: 153
    never(u"Whole turn"_s)->setChecked(false);
    QCOMPARE(saved().turn, LimitValue(30min));
    value(u"Silence"_s)->setValue(90);
    QCOMPARE(saved().silence, LimitValue(2min));
    QCOMPARE(problem(u"Silence"_s), u"Must be below the whole-turn limit, 30 min."_s);
}

void LimitsPageTest::otherFieldsAreSavedBesideAnInvalidOne()
{
    value(u"Silence"_s)->setValue(0);
    value(u"Connect"_s)->setValue(20);
    QCOMPARE(saved().connect, LimitValue(20s));
    QCOMPARE(saved().silence, LimitValue(2min));
    QVERIFY(!problem(u"Silence"_s).isEmpty());
    QCOMPARE(value(u"Silence"_s)->value(), 0);
}

void LimitsPageTest::neverSwitchesALimitOff()
{
    // behaviours: 152
    never(u"First token"_s)->setChecked(true);
    QVERIFY(!saved().firstToken);
    QVERIFY(!value(u"First token"_s)->isEnabled());
    QVERIFY(!unit(u"First token"_s)->isEnabled());
    QCOMPARE(value(u"First token"_s)->value(), 5);
    never(u"First token"_s)->setChecked(false);
    QCOMPARE(saved().firstToken, LimitValue(5min));
}

void LimitsPageTest::callsHaveARange()
{
    const QString calls = u"Model calls per turn"_s;
    value(calls)->setValue(0);
    QCOMPARE(saved().modelCalls, std::optional(50));
    QVERIFY(!problem(calls).isEmpty());
    value(calls)->setValue(MostModelCalls + 1);
    QCOMPARE(saved().modelCalls, std::optional(50));
    value(calls)->setValue(MostModelCalls);
    QCOMPARE(saved().modelCalls, std::optional(MostModelCalls));
    never(calls)->setChecked(true);
    QVERIFY(!saved().modelCalls);
}

void LimitsPageTest::restoringDefaultsRemovesProblems()
{
    value(u"Connect"_s)->setValue(20);
    value(u"Silence"_s)->setValue(0);
    m_page->restoreDefaults();
    QCOMPARE(saved(), TurnLimits());
    QVERIFY(problem(u"Silence"_s).isEmpty());
    QCOMPARE(value(u"Connect"_s)->value(), 15);
    QCOMPARE(value(u"Silence"_s)->value(), 2);
}

void LimitsPageTest::changesFromElsewhereAreShown()
{
    Settings settings = m_file->settings();
    settings.limits.connect = 45s;
    QVERIFY(m_file->save(settings).ok());
    QCOMPARE(value(u"Connect"_s)->value(), 45);
}

void LimitsPageTest::whatIsChosenIsToldWithWhatItIsFor()
{
    const auto told = [this] {
        return QAccessible::queryAccessibleInterface(unit(u"Connect"_s))->text(QAccessible::Name);
    };
    QCOMPARE(told(), u"Connect, unit: seconds"_s);
    unit(u"Connect"_s)->setCurrentIndex(1);
    QCOMPARE(told(), u"Connect, unit: minutes"_s);
}

void LimitsPageTest::aLinkTakesOneTab()
{
    m_page->show();
    QVERIFY(QTest::qWaitForWindowActive(m_page.get()));
    auto *link = m_page->findChild<LinkLabel *>();
    never(u"Connect"_s)->setFocus(Qt::TabFocusReason);
    QTest::keyClick(never(u"Connect"_s), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(), link);
    QVERIFY(link->hasSelectedText());
    QTest::keyClick(link, Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(), value(u"First token"_s));
    QTest::keyClick(value(u"First token"_s), Qt::Key_Backtab);
    QCOMPARE(QApplication::focusWidget(), link);
    QSignalSpy activated(link, &QLabel::linkActivated);
    QTest::keyClick(link, Qt::Key_Return);
    QCOMPARE(activated.size(), 1);
}

QTEST_MAIN(LimitsPageTest)
#include "tst_limitspage.moc"

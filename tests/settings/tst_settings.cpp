// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <limits>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

Settings everythingSet()
{
    Settings settings;
    settings.profiles = {{u"a"_s,
                          u"Ollama"_s,
                          u"openai"_s,
                          QUrl(u"http://localhost:11434/v1"_s),
                          u"llama3"_s,
                          {},
                          {},
                          {}},
                         {u"b"_s, u"Remote"_s, u"openai"_s, QUrl(u"https://api.example.com/v1"_s),
                          u"big"_s, u"key-b"_s, u"https://api.example.com:443"_s, u"MY_KEY"_s, 12.5,
                          4}};
    settings.currentProfile = u"b"_s;
    settings.limits.connect = 3s;
    settings.limits.firstToken = 7min;
    settings.limits.localFirstToken = std::nullopt;
    settings.limits.silence = std::nullopt;
    settings.limits.turn = 20h;
    settings.limits.tool = 1500ms;
    settings.limits.approval = 2h;
    settings.limits.modelCalls = 7;
    settings.limits.totalTokens = 5'000'000'000;
    settings.limits.outputTokens = 9;
    settings.limits.cost = 1.25;
    settings.toolLimits = {{u"run_command"_s, LimitValue(10min)},
                           {u"http_request"_s, std::nullopt}};
    settings.toolPermissions = {{u"run_command"_s, ToolPermission::Deny},
                                {u"read_file"_s, ToolPermission::Allow}};
    settings.allowRules = {{u"run_command"_s, u"git status"_s}};
    settings.toolsOneAtATime = true;
    settings.commandsMayUseNetwork = true;
    settings.retries = 0;
    settings.colorScheme = ColorScheme::Dark;
    settings.transcriptZoom = 150;
    settings.reducedMotion = true;
    settings.enterSends = false;
    settings.windowState = {{u"geometry"_s, u"abc"_s}};
    return settings;
}

Settings fromText(const QByteArray &json, QStringList *corrections)
{
    return settingsFromJson(QJsonDocument::fromJson(json).object(), corrections);
}

} // namespace

class TestSettings final : public QObject
{
    Q_OBJECT

private slots:
    void whatIsWrittenIsReadBack();
    void defaultsNeedNoCorrection();
    void aNumberOutOfItsRangeIsClampedAndNamedOnce_data();
    void aNumberOutOfItsRangeIsClampedAndNamedOnce();
    void aLimitOutOfItsRangeIsClamped_data();
    void aLimitOutOfItsRangeIsClamped();
    void limitsAreBroughtBelowTheTurnLimit();
    void whatIsNoNumberCountsForNothingInMoney();
    void aPermissionThatIsNotKnownAsks();
    void anAllowRuleIsWholeOrDropped();
    void brokenProfilesAreRepairedOrDropped();
    void fieldsOfOtherVersionsAreKept();
    void aToolLimitOverridesAndNeverSwitchesOff();
    void limitsThatCannotBeSavedAreExplained_data();
    void limitsThatCannotBeSavedAreExplained();
};

void TestSettings::whatIsWrittenIsReadBack()
{
    QStringList corrections;
    const Settings settings = everythingSet();
    QVERIFY(settingsFromJson(toJson(settings), &corrections) == settings);
    QCOMPARE(corrections, QStringList());
    QVERIFY(settingsFromJson(toJson(Settings()), &corrections) == Settings());
    QCOMPARE(corrections, QStringList());
    QCOMPARE(settings.profile(u"b"_s)->name, u"Remote"_s);
    QVERIFY(!settings.profile(u"c"_s));
}

void TestSettings::defaultsNeedNoCorrection()
{
    QStringList corrections;
    QVERIFY(clamped(Settings(), &corrections) == Settings());
    QVERIFY(fromText("{}", &corrections) == Settings());
    QCOMPARE(corrections, QStringList());
    QVERIFY(problemsOf(TurnLimits()).isEmpty());
}

void TestSettings::aNumberOutOfItsRangeIsClampedAndNamedOnce_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<int>("result");

    QTest::newRow("-1") << u"retries"_s << QByteArray("-1") << 0;
    QTest::newRow("max + 1") << u"retries"_s << QByteArray("11") << 10;
    QTest::newRow("huge") << u"retries"_s << QByteArray("1e300") << 10;
    QTest::newRow("hugely negative") << u"retries"_s << QByteArray("-1e300") << 0;
    QTest::newRow("text") << u"retries"_s << QByteArray("\"many\"") << 3;
    QTest::newRow("number as text") << u"retries"_s << QByteArray("\"5\"") << 3;
    QTest::newRow("empty") << u"retries"_s << QByteArray("\"\"") << 3;
    QTest::newRow("null") << u"retries"_s << QByteArray("null") << 3;
    QTest::newRow("list") << u"retries"_s << QByteArray("[1]") << 3;
    QTest::newRow("1 MB of text") << u"retries"_s << '"' + QByteArray(1024 * 1024, 'x') + '"' << 3;
    QTest::newRow("never") << u"retries"_s << QByteArray("\"never\"") << 3;
    QTest::newRow("zoom 0") << u"transcriptZoom"_s << QByteArray("0") << 80;
    QTest::newRow("zoom max + 1") << u"transcriptZoom"_s << QByteArray("201") << 200;
}

void TestSettings::aNumberOutOfItsRangeIsClampedAndNamedOnce()
{
    QFETCH(const QString, name);
    QFETCH(const QByteArray, value);
    QFETCH(const int, result);
    QStringList corrections;
    const Settings settings =
        fromText("{\"" + name.toLatin1() + "\": " + value + '}', &corrections);
    QCOMPARE(name == u"retries" ? settings.retries : settings.transcriptZoom, result);
    QCOMPARE(corrections.size(), 1);
    QVERIFY2(corrections.first().contains(name), qPrintable(corrections.first()));
    QVERIFY(corrections.first().size() < 200);
}

void TestSettings::aLimitOutOfItsRangeIsClamped_data()
{
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<qint64>("result");
    QTest::addColumn<bool>("corrected");

    QTest::newRow("-1") << QByteArray("-1") << qint64(1000) << true;
    QTest::newRow("0") << QByteArray("0") << qint64(1000) << true;
    QTest::newRow("999 ms") << QByteArray("999") << qint64(1000) << true;
    QTest::newRow("1 s") << QByteArray("1000") << qint64(1000) << false;
    QTest::newRow("24 h") << QByteArray("86400000") << qint64(86'400'000) << false;
    QTest::newRow("24 h + 1 ms") << QByteArray("86400001") << qint64(86'400'000) << true;
    QTest::newRow("huge") << QByteArray("1e300") << qint64(86'400'000) << true;
    QTest::newRow("text") << QByteArray("\"soon\"") << qint64(120'000) << true;
    QTest::newRow("never") << QByteArray("\"never\"") << qint64(-1) << false;
}

void TestSettings::aLimitOutOfItsRangeIsClamped()
{
    // behaviours: 154
    QFETCH(const QByteArray, value);
    QFETCH(const bool, corrected);
    QStringList corrections;
    const Settings settings = fromText("{\"limits\": {\"silence\": " + value + "}}", &corrections);
    const qint64 silence = settings.limits.silence ? settings.limits.silence->count() : -1;
    QTEST(silence, "result");
    QCOMPARE(corrections.size(), corrected ? 1 : 0);
    if (corrected)
        QVERIFY(corrections.first().contains(u"limits.silence"_s));
}

void TestSettings::limitsAreBroughtBelowTheTurnLimit()
{
    Settings settings;
    settings.limits.turn = 60s;
    settings.limits.silence = std::nullopt;
    QStringList corrections;
    settings = clamped(settings, &corrections);
    QCOMPARE(settings.limits.connect, LimitValue(15s));
    QCOMPARE(settings.limits.firstToken, LimitValue(59s));
    QCOMPARE(settings.limits.silence, LimitValue());
    QCOMPARE(corrections.size(), 1);
    QVERIFY(problemsOf(settings.limits).isEmpty());

    settings.limits.turn = 1s;
    settings = clamped(settings, nullptr);
    QCOMPARE(settings.limits.connect, LimitValue());
    QVERIFY(problemsOf(settings.limits).isEmpty());
}

void TestSettings::whatIsNoNumberCountsForNothingInMoney()
{
    Settings settings;
    settings.limits.cost = std::numeric_limits<double>::quiet_NaN();
    settings.limits.totalTokens = -5;
    settings.limits.modelCalls = 1000;
    QStringList corrections;
    settings = clamped(settings, &corrections);
    QCOMPARE(settings.limits.cost, std::optional(0.01));
    QCOMPARE(settings.limits.totalTokens, std::optional<qint64>(1));
    QCOMPARE(settings.limits.modelCalls, std::optional(MostModelCalls));
    QCOMPARE(corrections.size(), 3);
    settings.limits.cost = std::numeric_limits<double>::infinity();
    QCOMPARE(clamped(settings, nullptr).limits.cost, std::optional(1'000'000.0));
}

void TestSettings::aPermissionThatIsNotKnownAsks()
{
    QStringList corrections;
    const Settings settings = fromText(
        R"({"toolPermissions": {"a": "allow", "b": "ALLOW", "c": true, "d": "deny", "e": "later"}})",
        &corrections);
    QCOMPARE(settings.toolPermissions.value(u"a"_s), ToolPermission::Allow);
    QCOMPARE(settings.toolPermissions.value(u"b"_s), ToolPermission::Ask);
    QCOMPARE(settings.toolPermissions.value(u"c"_s), ToolPermission::Ask);
    QCOMPARE(settings.toolPermissions.value(u"d"_s), ToolPermission::Deny);
    QCOMPARE(settings.toolPermissions.value(u"e"_s), ToolPermission::Ask);
    QCOMPARE(corrections.size(), 3);
    QVERIFY(!fromText(R"({"commandsMayUseNetwork": "true"})", nullptr).commandsMayUseNetwork);
}

void TestSettings::anAllowRuleIsWholeOrDropped()
{
    QStringList corrections;
    const QByteArray tooLong(70 * 1024, 'x');
    const Settings settings =
        fromText(R"({"allowRules": [{"tool": "t", "pattern": "ls"}, {"tool": "t"}, "ls",
        {"pattern": "ls"}, {"tool": "t", "pattern": ")"
                     + tooLong + R"("}]})",
                 &corrections);
    QCOMPARE(settings.allowRules, std::vector<AllowRule>({{u"t"_s, u"ls"_s}}));
    QCOMPARE(corrections.size(), 1);
    QVERIFY(corrections.first().contains(u"4 entries"_s));
}

void TestSettings::brokenProfilesAreRepairedOrDropped()
{
    QStringList corrections;
    const Settings settings = fromText(R"({"currentProfile": "gone", "profiles": [
        {"id": "a", "endpoint": "file:///etc/passwd", "keyVariable": "A=B"}, {"id": "a"}, {"name": "no id"}, 7,
        {"id": "b", "endpoint": "http://localhost:11434/v1", "keyVariable": "OPENAI_API_KEY"}]})",
                                       &corrections);
    QCOMPARE(settings.profiles.size(), size_t(2));
    QVERIFY(settings.profiles[0].endpoint.isEmpty());
    QCOMPARE(settings.profiles[0].keyVariable, QString());
    QCOMPARE(settings.profiles[1].endpoint, QUrl(u"http://localhost:11434/v1"_s));
    QCOMPARE(settings.profiles[1].keyVariable, u"OPENAI_API_KEY"_s);
    QCOMPARE(settings.currentProfile, QString());
    QCOMPARE(corrections.size(), 6);
}

void TestSettings::fieldsOfOtherVersionsAreKept()
{
    // behaviours: 210
    const QJsonObject json =
        QJsonDocument::fromJson(
            R"({"future": [1, {"x": null}], "limits": {"perDay": 5}, "profiles": [{"id": "a", "region": "eu"}]})")
            .object();
    Settings settings = settingsFromJson(json, nullptr);
    settings.retries = 1;
    settings.profiles.push_back({u"b"_s, {}, {}, {}, {}, {}, {}, {}});
    const QJsonObject saved = toJson(settings);
    QCOMPARE(saved[u"future"_s], json[u"future"_s]);
    QCOMPARE(saved[u"limits"_s][u"perDay"_s].toInt(), 5);
    QCOMPARE(saved[u"limits"_s][u"connect"_s].toInt(), 15000);
    QCOMPARE(saved[u"profiles"_s][0][u"region"_s].toString(), u"eu"_s);
    QVERIFY(saved[u"profiles"_s][1][u"region"_s].isUndefined());
    QVERIFY(settingsFromJson(saved, nullptr) == settings);
}

void TestSettings::aToolLimitOverridesAndNeverSwitchesOff()
{
    QStringList corrections;
    const Settings settings =
        fromText(R"({"toolLimits": {"a": 30000, "b": "never", "c": 1, "d": "x"}})", &corrections);
    QCOMPARE(settings.toolLimits.value(u"a"_s), LimitValue(30s));
    QVERIFY(settings.toolLimits.contains(u"b"_s));
    QCOMPARE(settings.toolLimits.value(u"b"_s), LimitValue());
    QCOMPARE(settings.toolLimits.value(u"c"_s), LimitValue(1s));
    QCOMPARE(settings.toolLimits.value(u"d"_s), TurnLimits().tool);
    QCOMPARE(corrections.size(), 2);
}

void TestSettings::limitsThatCannotBeSavedAreExplained_data()
{
    QTest::addColumn<TurnLimits>("limits");
    QTest::addColumn<Limit>("limit");
    QTest::addColumn<QString>("words");

    const auto row = [](const char *name, Limit limit, const QString &words, auto change) {
        TurnLimits limits;
        change(limits);
        QTest::newRow(name) << limits << limit << words;
    };
    row("zero", Limit::Connect, u"longer than 0"_s, [](TurnLimits &l) { l.connect = 0ms; });
    row("negative", Limit::Silence, u"longer than 0"_s, [](TurnLimits &l) { l.silence = -1ms; });
    row("too short", Limit::Tool, u"at least 1 s"_s, [](TurnLimits &l) { l.tool = 999ms; });
    row("too long", Limit::FirstToken, u"at most 24 h"_s,
        [](TurnLimits &l) { l.firstToken = 25h; });
    row("local server", Limit::FirstToken, u"longer than 0"_s,
        [](TurnLimits &l) { l.localFirstToken = 0ms; });
    row("turn", Limit::Turn, u"longer than 0"_s, [](TurnLimits &l) { l.turn = 0ms; });
    row("as long as the turn", Limit::FirstToken, u"whole turn (5 min)"_s,
        [](TurnLimits &l) { l.turn = 5min; });
    row("longer than the turn", Limit::Silence, u"whole turn (90 s)"_s, [](TurnLimits &l) {
        l.turn = 90s;
        l.firstToken = 1min;
    });
}

void TestSettings::limitsThatCannotBeSavedAreExplained()
{
    // behaviours: 153
    QFETCH(const TurnLimits, limits);
    QFETCH(const Limit, limit);
    QFETCH(const QString, words);
    const QHash<Limit, QString> problems = problemsOf(limits);
    QCOMPARE(problems.keys(), QList<Limit>{limit});
    QVERIFY2(problems.value(limit).contains(words), qPrintable(problems.value(limit)));
    // What could be saved needs no clamping, and what was clamped can be saved.
    Settings settings;
    settings.limits = limits;
    QVERIFY(problemsOf(clamped(settings, nullptr).limits).isEmpty());
}

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"

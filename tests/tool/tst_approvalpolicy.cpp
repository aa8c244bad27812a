// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/approvalpolicy.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

Q_DECLARE_METATYPE(fermata::ApprovalVerdict)

namespace {

ToolSpec tool(bool asks = true, AllowReach reach = AllowReach::EveryCall)
{
    ToolSpec spec;
    spec.name = u"run_command"_s;
    spec.asksByDefault = asks;
    spec.allowReach = reach;
    return spec;
}

ApprovalRequest request(const QString &pattern, const QByteArray &fingerprint = "print")
{
    ApprovalRequest request;
    request.tool = u"run_command"_s;
    request.exactText = pattern;
    request.alwaysPattern = pattern;
    request.fingerprint = fingerprint;
    return request;
}

} // namespace

class tst_ApprovalPolicy : public QObject
{
    Q_OBJECT

private slots:
    void withoutSettingsTheToolItselfDecides();
    void aPermissionOfTheUserCountsMore();
    void denyCountsMoreThanAnyRule();
    void anAllowedTextIsThatTextAndNoOther_data();
    void anAllowedTextIsThatTextAndNoOther();
    void aRuleIsForItsToolAlone();
    void allowingMayReachOnlyCallsWithAPattern();
    void anAllowedToolAsksOnceForEachPlace();
    void inAConversationTheTextIsAllowed();
    void inAConversationACallWithoutPatternIsAllowedAsItIs();
    void changedSettingsKeepWhatTheConversationAllows();
    void whatWasAlwaysAllowedAsksAgainOnceItIsRevoked();
    void whatAConversationAllowsIsListedAndRevoked();
};

void tst_ApprovalPolicy::withoutSettingsTheToolItselfDecides()
{
    const ApprovalPolicy policy;
    QCOMPARE(policy.judge(tool(true), request(u"ls"_s)), ApprovalVerdict::Ask);
    QCOMPARE(policy.judge(tool(false), request(u"ls"_s)), ApprovalVerdict::Allow);
}

void tst_ApprovalPolicy::aPermissionOfTheUserCountsMore()
{
    const ApprovalPolicy asking({{u"run_command"_s, ToolPermission::Ask}}, {});
    QCOMPARE(asking.judge(tool(false), request(u"ls"_s)), ApprovalVerdict::Ask);
    const ApprovalPolicy allowing({{u"run_command"_s, ToolPermission::Allow}}, {});
    QCOMPARE(allowing.judge(tool(true), request(u"ls"_s)), ApprovalVerdict::Allow);
}

void tst_ApprovalPolicy::denyCountsMoreThanAnyRule()
{
    ApprovalPolicy policy({{u"run_command"_s, ToolPermission::Deny}},
                          {{u"run_command"_s, u"ls"_s}});
    policy.allowInConversation(request(u"ls"_s));
    QCOMPARE(policy.judge(tool(false), request(u"ls"_s)), ApprovalVerdict::Deny);
}

// reliability: E16
void tst_ApprovalPolicy::anAllowedTextIsThatTextAndNoOther_data()
{
    QTest::addColumn<QString>("command");
    QTest::addColumn<ApprovalVerdict>("verdict");
    QTest::newRow("same") << u"git status"_s << ApprovalVerdict::Allow;
    for (const QString &other : {u"git status;rm x"_s,
                                 u"git status && rm x"_s,
                                 u"git status & rm x"_s,
                                 u"git status | sh"_s,
                                 u"git status\nrm x"_s,
                                 u"git status\r"_s,
                                 u"git status $(rm x)"_s,
                                 u"git status `rm x`"_s,
                                 u"git status <(rm x)"_s,
                                 u"git -c core.pager=rm status"_s,
                                 u"git status > file"_s,
                                 u"git status ${v@P}"_s,
                                 u"git status ${v:=x}"_s,
                                 u"git status ${!v}"_s,
                                 u"git status {a,b}"_s,
                                 u"git status ~"_s,
                                 u"git status *"_s,
                                 u"env X=y git status"_s,
                                 u"env git status"_s,
                                 u"X=y git status"_s,
                                 u"PATH=.:$PATH git status"_s,
                                 u"export PATH=/tmp; git status"_s,
                                 u"command git status"_s,
                                 u"exec git status"_s,
                                 u"alias git=rm\ngit status"_s,
                                 u"git() { rm x; }; git status"_s,
                                 u"\\git status"_s,
                                 u"g''it status"_s,
                                 u"./git status"_s,
                                 u"/usr/bin/git status"_s,
                                 u"git status #"_s,
                                 u"git status\u200b"_s,
                                 u"git\u00a0status"_s,
                                 u"git status 2>&1"_s,
                                 u"git status < file"_s,
                                 u"git status || rm x"_s,
                                 u"(git status)"_s,
                                 u"! git status"_s,
                                 u"if git status; then rm x; fi"_s,
                                 u"git status --porcelain"_s,
                                 u"git status"_s + u"; git status"_s.repeated(50),
                                 u"git  status"_s,
                                 u" git status"_s,
                                 u"git status "_s,
                                 u"Git status"_s,
                                 u"git statu"_s,
                                 u"git"_s,
                                 QString()})
        QTest::addRow("%s", qUtf8Printable(u"«%1»"_s.arg(other).replace(u'\n', u'⏎')))
            << other << ApprovalVerdict::Ask;
}

void tst_ApprovalPolicy::anAllowedTextIsThatTextAndNoOther()
{
    QFETCH(QString, command);
    QFETCH(ApprovalVerdict, verdict);
    const ApprovalPolicy always(
        {}, {{u"run_command"_s, u"git status"_s}, {u"run_command"_s, QString()}});
    QCOMPARE(always.judge(tool(), request(command)), verdict);
    ApprovalPolicy conversation;
    conversation.allowInConversation(request(u"git status"_s, "one"));
    QCOMPARE(conversation.judge(tool(), request(command, "two")), verdict);
}

void tst_ApprovalPolicy::aRuleIsForItsToolAlone()
{
    const ApprovalPolicy policy({}, {{u"read_file"_s, u"ls"_s}});
    QCOMPARE(policy.judge(tool(), request(u"ls"_s)), ApprovalVerdict::Ask);
}

void tst_ApprovalPolicy::allowingMayReachOnlyCallsWithAPattern()
{
    const ApprovalPolicy policy({{u"run_command"_s, ToolPermission::Allow}}, {});
    const ToolSpec spec = tool(true, AllowReach::CallsWithPattern);
    QCOMPARE(policy.judge(spec, request(u"ls"_s)), ApprovalVerdict::Allow);
    QCOMPARE(policy.judge(spec, request(QString())), ApprovalVerdict::Ask);
}

// reliability: E31
void tst_ApprovalPolicy::anAllowedToolAsksOnceForEachPlace()
{
    ApprovalPolicy policy({{u"run_command"_s, ToolPermission::Allow}},
                          {{u"run_command"_s, u"known text"_s}});
    const auto to = [](const QString &place, const QString &text = u"some text"_s) {
        ApprovalRequest call = request(text);
        call.place = place;
        return call;
    };
    QCOMPARE(policy.judge(tool(), to(u"https://a"_s)), ApprovalVerdict::Ask);
    policy.notePlace(to(u"https://a"_s));
    QCOMPARE(policy.judge(tool(), to(u"https://a"_s, u"other"_s)), ApprovalVerdict::Allow);
    for (const QString &other :
         {u"http://a"_s, u"https://a:444"_s, u"https://a.b"_s, u"https://A"_s})
        QCOMPARE(policy.judge(tool(), to(other)), ApprovalVerdict::Ask);
    // A text that was always allowed holds its place.
    QCOMPARE(policy.judge(tool(), to(u"https://b"_s, u"known text"_s)), ApprovalVerdict::Allow);
    // To know a place allows nothing.
    ApprovalPolicy asking;
    asking.notePlace(to(u"https://a"_s));
    QCOMPARE(asking.judge(tool(), to(u"https://a"_s)), ApprovalVerdict::Ask);
    policy.notePlace(request(u"without a place"_s));
    QCOMPARE(policy.judge(tool(), to(u"https://c"_s)), ApprovalVerdict::Ask);
}

void tst_ApprovalPolicy::inAConversationTheTextIsAllowed()
{
    ApprovalPolicy policy;
    policy.allowInConversation(request(u"make"_s, "with one limit"));
    QCOMPARE(policy.judge(tool(), request(u"make"_s, "with another")), ApprovalVerdict::Allow);
    QCOMPARE(policy.judge(tool(), request(u"make clean"_s)), ApprovalVerdict::Ask);
    QCOMPARE(ApprovalPolicy().judge(tool(), request(u"make"_s)), ApprovalVerdict::Ask);
}

void tst_ApprovalPolicy::inAConversationACallWithoutPatternIsAllowedAsItIs()
{
    ApprovalPolicy policy;
    policy.allowInConversation(request(QString(), "exactly this"));
    QCOMPARE(policy.judge(tool(), request(QString(), "exactly this")), ApprovalVerdict::Allow);
    QCOMPARE(policy.judge(tool(), request(QString(), "another")), ApprovalVerdict::Ask);
    QCOMPARE(policy.judge(tool(), request(QString(), {})), ApprovalVerdict::Ask);
}

void tst_ApprovalPolicy::changedSettingsKeepWhatTheConversationAllows()
{
    ApprovalPolicy policy({}, {{u"run_command"_s, u"old"_s}});
    policy.allowInConversation(request(u"here"_s));
    policy.setPermissions({}, {{u"run_command"_s, u"new"_s}});
    QCOMPARE(policy.judge(tool(), request(u"old"_s, "1")), ApprovalVerdict::Ask);
    QCOMPARE(policy.judge(tool(), request(u"new"_s, "2")), ApprovalVerdict::Allow);
    QCOMPARE(policy.judge(tool(), request(u"here"_s, "3")), ApprovalVerdict::Allow);
}

// Before, "always" was kept for the conversation as well, and a revoked rule went on to count there.
void tst_ApprovalPolicy::whatWasAlwaysAllowedAsksAgainOnceItIsRevoked()
{
    ApprovalPolicy policy;
    policy.allowAlways(request(u"make"_s));
    QCOMPARE(policy.judge(tool(), request(u"make"_s, "2")), ApprovalVerdict::Allow); // in this turn
    policy.setPermissions({}, {{u"run_command"_s, u"make"_s}}); // the next one
    QCOMPARE(policy.judge(tool(), request(u"make"_s, "3")), ApprovalVerdict::Allow);
    policy.setPermissions({}, {}); // revoked
    QCOMPARE(policy.judge(tool(), request(u"make"_s, "4")), ApprovalVerdict::Ask);
    policy.allowAlways(request(QString(), "without a pattern"));
    QCOMPARE(policy.judge(tool(), request(QString(), "without a pattern")), ApprovalVerdict::Ask);
}

void tst_ApprovalPolicy::whatAConversationAllowsIsListedAndRevoked()
{
    ApprovalPolicy policy;
    policy.allowInConversation(request(u"make"_s));
    policy.allowInConversation(request(u"make"_s));
    ApprovalRequest call = request(QString(), "print");
    call.exactText = u"as it was shown"_s;
    policy.allowInConversation(call);
    const std::vector<AllowRule> rules{{u"run_command"_s, u"make"_s},
                                       {u"run_command"_s, u"as it was shown"_s}};
    QCOMPARE(policy.conversationRules(), rules);
    policy.revokeInConversation(rules[0]);
    QCOMPARE(policy.judge(tool(), request(u"make"_s, "2")), ApprovalVerdict::Ask);
    QCOMPARE(policy.judge(tool(), call), ApprovalVerdict::Allow);
    policy.revokeInConversation(rules[1]);
    QCOMPARE(policy.judge(tool(), call), ApprovalVerdict::Ask);
    QVERIFY(policy.conversationRules().empty());
}

QTEST_GUILESS_MAIN(tst_ApprovalPolicy)
#include "tst_approvalpolicy.moc"

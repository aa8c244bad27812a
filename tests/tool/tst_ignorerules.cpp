// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/ignorerules.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class tst_IgnoreRules : public QObject
{
    Q_OBJECT

private slots:
    void rulesMeanWhatGitMeansByThem_data();
    void rulesMeanWhatGitMeansByThem();
    void brokenRulesAreHarmless();
};

void tst_IgnoreRules::rulesMeanWhatGitMeansByThem_data()
{
    QTest::addColumn<QByteArray>("rules");
    QTest::addColumn<QString>("path");
    QTest::addColumn<bool>("folder");
    QTest::addColumn<bool>("ignored");
    const auto row = [](const char *rules, const char *path, bool ignored, bool folder = false) {
        QTest::addRow("%s: %s%s", QByteArray(rules).replace('\n', '|').constData(), path,
                      folder ? "/" : "")
            << QByteArray(rules) << QString::fromLatin1(path) << folder << ignored;
    };
    row("*.o", "a.o", true);
    row("*.o", "deep/er/a.o", true);
    row("*.o", "a.obj", false);
    row("/build", "build", true);
    row("/build", "sub/build", false);
    row("build/", "build", false);
    row("build/", "build", true, true);
    row("build/", "sub/build", true, true);
    row("doc/*.txt", "doc/a.txt", true);
    row("doc/*.txt", "doc/sub/a.txt", false);
    row("**/logs", "a/b/logs", true);
    row("**/logs", "logs", true);
    row("a/**/b", "a/b", true);
    row("a/**/b", "a/x/y/b", true);
    row("a/**/b", "ab", false);
    row("a/**", "a/x/y", true);
    row("a/**", "a", false, true);
    row("*.log\n!keep.log", "keep.log", false);
    row("*.log\n!keep.log", "other.log", true);
    row("!keep.log\n*.log", "keep.log", true);
    row("# comment", "# comment", false);
    row("\\#file", "#file", true);
    row("\\!file", "!file", true);
    row("file\\ ", "file ", true);
    row("file   ", "file", true);
    row("a?c", "abc", true);
    row("a?c", "a/c", false);
    row("[abc].txt", "b.txt", true);
    row("[!abc].txt", "b.txt", false);
    row("[!abc].txt", "d.txt", true);
    row("[a-c].txt", "b.txt", true);
    row("a.b", "axb", false);
    row("a+(b)", "a+(b)", true);
    row("foo*bar", "fooxbar", true);
    row("foo*bar", "foo/bar", false);
    row("build\r\n", "build", true);
    row("", "a", false);
}

void tst_IgnoreRules::rulesMeanWhatGitMeansByThem()
{
    QFETCH(QByteArray, rules);
    QFETCH(QString, path);
    QFETCH(bool, folder);
    QFETCH(bool, ignored);
    const auto verdict = IgnoreRules(rules).judge(
        path, folder ? IgnoreRules::Kind::Folder : IgnoreRules::Kind::File);
    QCOMPARE(verdict == IgnoreRules::Verdict::Ignored, ignored);
}

void tst_IgnoreRules::brokenRulesAreHarmless()
{
    const IgnoreRules rules("[\n[a\n\\\n**\n***\n/\n!\n[z-a]\n" + QByteArray("*").repeated(900)
                            + "x\n" + QByteArray("rule\n").repeated(10000));
    QCOMPARE(rules.judge(u"rule"_s, IgnoreRules::Kind::File), IgnoreRules::Verdict::Ignored);
}

QTEST_GUILESS_MAIN(tst_IgnoreRules)
#include "tst_ignorerules.moc"

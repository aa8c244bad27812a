// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/openexternal.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class TestLinkCheck : public QObject
{
    Q_OBJECT

private slots:
    void onlyWebAndMailMayBeOpened_data()
    {
        QTest::addColumn<QString>("address");
        QTest::addColumn<bool>("asks");
        QTest::newRow("https") << u"https://example.org/a?b#c"_s << true;
        QTest::newRow("http") << u"HTTP://example.org"_s << true;
        QTest::newRow("mail") << u"mailto:a@example.org?subject=x"_s << true;
        QTest::newRow("javascript") << u"javascript:alert(1)"_s << false;
        QTest::newRow("file") << u"file:///etc/passwd"_s << false;
        QTest::newRow("data") << u"data:text/html,x"_s << false;
        QTest::newRow("smb") << u"smb://host/share"_s << false;
        QTest::newRow("ssh") << u"ssh://host"_s << false;
        QTest::newRow("relative") << u"manual/page.html"_s << false;
        QTest::newRow("absolute path") << u"/etc/passwd"_s << false;
        QTest::newRow("no host") << u"https:///x"_s << false;
        QTest::newRow("nul") << u"https://example.org/"_s + QChar(0) << false;
        QTest::newRow("line break") << u"https://example.org/\nx"_s << false;
        QTest::newRow("override") << u"https://example.org/\u202Egpj"_s << false;
        QTest::newRow("long") << u"https://example.org/"_s + QString(5'000, u'a') << false;
        QTest::newRow("empty") << QString() << false;
        QTest::newRow("mail to nobody") << u"mailto:?attach=/etc/passwd"_s << false;
    }
    void onlyWebAndMailMayBeOpened()
    {
        QFETCH(QString, address);
        QFETCH(bool, asks);
        QCOMPARE(checkLink(address, u"text"_s).verdict == LinkCheck::Verdict::Ask, asks);
    }

    void theHostIsShownAsItGoesToTheNameServer()
    {
        QCOMPARE(checkLink(u"https://münchen.example/"_s, {}).host, u"xn--mnchen-3ya.example"_s);
        QVERIFY(!checkLink(u"https://münchen.example/"_s, {}).warning.isEmpty());
    }

    void aLabelThatNamesAnotherHostIsWarnedOf_data()
    {
        QTest::addColumn<QString>("label");
        QTest::addColumn<bool>("warns");
        QTest::newRow("words") << u"the manual"_s << false;
        QTest::newRow("same") << u"https://example.org/x"_s << false;
        QTest::newRow("same without www") << u"www.example.org"_s << false;
        QTest::newRow("other") << u"https://bank.example/login"_s << true;
        QTest::newRow("other without scheme") << u"paypal.com"_s << true;
        QTest::newRow("file name") << u"readme.md"_s << false;
    }
    void aLabelThatNamesAnotherHostIsWarnedOf()
    {
        QFETCH(QString, label);
        QFETCH(bool, warns);
        QCOMPARE(!checkLink(u"https://example.org/"_s, label).warning.isEmpty(), warns);
    }

    void whatStandsBeforeTheHostIsNotTakenForIt()
    {
        const LinkCheck check = checkLink(u"https://bank.example@evil.example/"_s, {});
        QCOMPARE(check.host, u"evil.example"_s);
        QVERIFY(!check.warning.isEmpty());
        QVERIFY(check.url.userInfo().isEmpty());
    }

    void mailCarriesNoAttachments()
    {
        const LinkCheck check =
            checkLink(u"mailto:a@example.org?attach=/etc/passwd&subject=x"_s, {});
        QVERIFY(!check.url.toString().contains(u"passwd"_s));
        QVERIFY(check.url.toString().contains(u"subject"_s));
        QVERIFY(!check.warning.isEmpty());
    }
};

QTEST_APPLESS_MAIN(TestLinkCheck)
#include "tst_linkcheck.moc"

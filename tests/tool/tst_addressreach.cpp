// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/addressreach.h"

#include "base/cancellation.h"

#include <QTest>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

class tst_AddressReach : public QObject
{
    Q_OBJECT

private slots:
    void onlyWhatIsClearlyPublicIsPublic_data();
    void onlyWhatIsClearlyPublicIsPublic();
    void namesThatNeedNoLookUpAreJudgedAtOnce_data();
    void namesThatNeedNoLookUpAreJudgedAtOnce();
    void literalsAreTheirOwnAddress();
    void localhostIsFoundAndPrivate();
    void brokenNamesAreRefused_data();
    void brokenNamesAreRefused();
    void aCancelledLookUpEndsAtOnce();
};

void tst_AddressReach::onlyWhatIsClearlyPublicIsPublic_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<bool>("isPublic");
    for (const auto *address : {"1.1.1.1",
                                "8.8.8.8",
                                "9.255.255.255",
                                "11.0.0.0",
                                "100.63.255.255",
                                "100.128.0.0",
                                "126.255.255.255",
                                "128.0.0.1",
                                "169.253.0.1",
                                "172.15.255.255",
                                "172.32.0.0",
                                "192.167.255.255",
                                "192.169.0.0",
                                "198.17.255.255",
                                "223.255.255.255",
                                "2606:4700::1111",
                                "2001:4860:4860::8888",
                                "::ffff:8.8.8.8",
                                "64:ff9b::8.8.8.8",
                                "2002:808:808::1"})
        QTest::addRow("%s", address) << QString::fromLatin1(address) << true;
    for (const auto *address : {"0.0.0.0",
                                "0.1.2.3",
                                "10.0.0.1",
                                "10.255.255.255",
                                "100.64.0.1",
                                "100.127.255.255",
                                "127.0.0.1",
                                "127.255.255.254",
                                "169.254.169.254",
                                "172.16.0.1",
                                "172.31.255.255",
                                "192.0.0.8",
                                "192.168.0.1",
                                "198.18.0.1",
                                "198.19.255.255",
                                "192.0.2.1",
                                "198.51.100.1",
                                "203.0.113.1",
                                "224.0.0.1",
                                "239.255.255.255",
                                "240.0.0.1",
                                "255.255.255.255",
                                "::",
                                "::1",
                                "::7f00:1",
                                "::ffff:127.0.0.1",
                                "::ffff:10.0.0.1",
                                "::ffff:169.254.169.254",
                                "64:ff9b::10.0.0.1",
                                "64:ff9b:1::1",
                                "2002:7f00:1::",
                                "2002:a9fe:a9fe::",
                                "2001::1",
                                "2001:db8::1",
                                "fc00::1",
                                "fd00:ec2::254",
                                "fe80::1",
                                "fec0::1",
                                "ff02::1",
                                "100::1",
                                "3fff::1",
                                "4000::1"})
        QTest::addRow("%s", address) << QString::fromLatin1(address) << false;
}

// reliability: E26
void tst_AddressReach::onlyWhatIsClearlyPublicIsPublic()
{
    QFETCH(QString, address);
    QFETCH(bool, isPublic);
    const QHostAddress parsed(address);
    QVERIFY(!parsed.isNull());
    QCOMPARE(reachOf(parsed) == AddressReach::Public, isPublic);
    QCOMPARE(reachOf(QHostAddress()), AddressReach::Private);
}

void tst_AddressReach::namesThatNeedNoLookUpAreJudgedAtOnce_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<bool>("isPrivate");
    for (const auto *host : {"localhost", "LOCALHOST", "localhost.", "a.localhost", "printer.local",
                             "metadata.google.internal", "127.0.0.1", "[::1]", "::1", "127.1",
                             "0x7f.1", "2130706433", "0177.0.0.1", "0"})
        QTest::addRow("%s", host) << QString::fromLatin1(host) << true;
    for (const auto *host :
         {"example.com", "localhost.example.com", "8.8.8.8", "[2606:4700::1111]"})
        QTest::addRow("%s", host) << QString::fromLatin1(host) << false;
}

// reliability: E26
void tst_AddressReach::namesThatNeedNoLookUpAreJudgedAtOnce()
{
    QFETCH(QString, host);
    QFETCH(bool, isPrivate);
    QCOMPARE(isPrivateHost(host), isPrivate);
}

void tst_AddressReach::literalsAreTheirOwnAddress()
{
    const auto addresses = lookUpHost(u"[::1]"_s, {}, {});
    QVERIFY(addresses);
    QCOMPARE(*addresses, std::vector<QHostAddress>{QHostAddress(u"::1"_s)});
}

void tst_AddressReach::localhostIsFoundAndPrivate()
{
    for (const QString &host : {u"localhost"_s, u"localhost."_s}) {
        const auto addresses = lookUpHost(host, {}, steadyClock().now() + 20s);
        if (!addresses && host.endsWith(u'.'))
            continue; // some resolvers do not know it
        QVERIFY(addresses);
        QVERIFY(!addresses->empty());
        for (const QHostAddress &address : *addresses)
            QCOMPARE(reachOf(address), AddressReach::Private);
    }
}

void tst_AddressReach::brokenNamesAreRefused_data()
{
    QTest::addColumn<QString>("host");
    QTest::newRow("empty") << QString();
    QTest::newRow("too long") << QString(254, u'a');
    QTest::newRow("nul") << u"localhost\0.example.com"_s;
}

// reliability: E28
void tst_AddressReach::brokenNamesAreRefused()
{
    QFETCH(QString, host);
    const auto addresses = lookUpHost(host, {}, steadyClock().now() + 20s);
    QVERIFY(addresses.isFault());
}

// reliability: E28
void tst_AddressReach::aCancelledLookUpEndsAtOnce()
{
    const CancellationSource source;
    source.cancel(CancellationCause::User);
    QVERIFY(lookUpHost(u"localhost"_s, source.token(), {}).isCancelled());
}

QTEST_GUILESS_MAIN(tst_AddressReach)
#include "tst_addressreach.moc"

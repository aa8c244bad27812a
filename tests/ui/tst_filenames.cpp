// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/filenames.h"

#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;

class FileNamesTest final : public QObject
{
    Q_OBJECT

private slots:
    void nameCannotLeaveItsFolder_data();
    void nameCannotLeaveItsFolder();
};

void FileNamesTest::nameCannotLeaveItsFolder_data()
{
    QTest::addColumn<QString>("title");
    QTest::addColumn<QString>("name");
    QTest::newRow("plain") << u"Nightly backup fails"_s << u"Nightly backup fails"_s;
    QTest::newRow("separators") << u"../../etc/passwd"_s << u"etc passwd"_s;
    QTest::newRow("hidden") << u"..."_s << u"Conversation"_s;
    QTest::newRow("empty") << QString() << u"Conversation"_s;
    QTest::newRow("line break") << u"one\ntwo"_s << u"one two"_s;
    QTest::newRow("control") << u"a\u0007b"_s << u"a b"_s;
    QTest::newRow("device name") << u"C:\\x"_s << u"C x"_s;
    QTest::newRow("long") << QString(500, u'x') << QString(60, u'x');
}

void FileNamesTest::nameCannotLeaveItsFolder()
{
    // behaviours: 211
    QFETCH(QString, title);
    QTEST(fileNameFor(title), "name");
}

QTEST_GUILESS_MAIN(FileNamesTest)
#include "tst_filenames.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/secret.h"

#include <QDebug>
#include <QString>
#include <QTextStream>
#include <QtTest>
#include <QVariant>

#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

template <typename Stream>
concept TakesSecret = requires(Stream stream, const Secret &secret)
{
    stream << secret;
};
static_assert(!TakesSecret<QDebug &> && !TakesSecret<QTextStream &> && !TakesSecret<QDataStream &>);
static_assert(
    !std::is_convertible_v<Secret, QByteArray> && !std::is_convertible_v<Secret, QString>);
static_assert(
    !std::is_convertible_v<Secret, QVariant> && !std::is_convertible_v<QByteArray, Secret>);

constexpr qsizetype Size = 4096;

// What is at this address now, also if it has been given back. The kernel reads it, so that no
// sanitizer objects.
QByteArray memoryAt(const char *address, qsizetype size)
{
    QByteArray memory(size, '?');
    const int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    const auto count = pread(file, memory.data(), size_t(size), off_t(quintptr(address)));
    close(file);
    memory.truncate(qMax<qsizetype>(count, 0));
    return memory;
}

Secret makeSecret(const char **address)
{
    QByteArray bytes(Size, 'K');
    *address = bytes.constData();
    return Secret(std::move(bytes));
}

} // namespace

class TestSecret final : public QObject
{
    Q_OBJECT

private slots:
    void revealGivesWhatWasPutIn();
    void lastCopyOverwritesTheBytes();
    void assignmentOverwritesTheOldBytes();
    void revealedBytesStayWholeWhenTheSecretGoes();
    void copiesMayGoInSeveralThreads();
};

void TestSecret::revealGivesWhatWasPutIn()
{
    QVERIFY(Secret().isEmpty());
    QVERIFY(Secret(QByteArray()).isEmpty());
    QCOMPARE(Secret(), Secret(QByteArray()));
    const Secret key("key"_ba);
    const Secret copy = key;
    QVERIFY(!copy.isEmpty());
    QCOMPARE(copy.reveal(), "key"_ba);
    QVERIFY(copy == Secret("key"_ba));
    QVERIFY(copy != Secret("other"_ba));
    QVERIFY(copy != Secret());
}

void TestSecret::lastCopyOverwritesTheBytes()
{
    const char *address = nullptr;
    {
        std::optional<Secret> first = makeSecret(&address);
        const Secret second = *first;
        const Secret third = std::move(*first);
        first.reset();
        QCOMPARE(third.reveal().constData(), address); // the bytes were never copied
        QCOMPARE(memoryAt(address, Size), QByteArray(Size, 'K'));
    }
    // The allocator may have written over the start.
    const QByteArray after = memoryAt(address + 64, Size - 64);
    QCOMPARE(after.size(), Size - 64);
    QVERIFY(!after.contains("KKKKKKKK"));
}

void TestSecret::assignmentOverwritesTheOldBytes()
{
    const char *address = nullptr;
    Secret secret = makeSecret(&address);
    secret = Secret("new"_ba);
    QVERIFY(!memoryAt(address + 64, Size - 64).contains("KKKKKKKK"));
    QCOMPARE(secret.reveal(), "new"_ba);
}

void TestSecret::revealedBytesStayWholeWhenTheSecretGoes()
{
    const char *address = nullptr;
    QByteArray revealed;
    {
        const Secret secret = makeSecret(&address);
        revealed = secret.reveal();
    }
    QCOMPARE(revealed, QByteArray(Size, 'K'));

    static const char constant[] = "constant";
    {
        const Secret borrowed(QByteArray::fromRawData(constant, 8));
    }
    QCOMPARE(QByteArray(constant), "constant"_ba);
}

void TestSecret::copiesMayGoInSeveralThreads()
{
    for (int round = 0; round < 500; ++round) {
        const char *address = nullptr;
        std::optional<Secret> secret = makeSecret(&address);
        {
            const std::jthread first([copy = *secret]() mutable { copy = Secret(); });
            const std::jthread second([copy = *secret]() mutable { copy = Secret(); });
            secret.reset();
        }
        QVERIFY(!memoryAt(address + 64, Size - 64).contains("KKKKKKKK"));
    }
}

QTEST_APPLESS_MAIN(TestSecret)
#include "tst_secret.moc"

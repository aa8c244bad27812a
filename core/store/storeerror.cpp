// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/storeerror.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// Primary result codes of SQLite; the upper bits of an extended code only say more of the same.
enum SqliteCode {
    Busy = 5,
    Locked = 6,
    OutOfMemory = 7,
    ReadOnly = 8,
    IoError = 10,
    Corrupt = 11,
    Full = 13,
    CannotOpen = 14,
    TooBig = 18,
    NotADatabase = 26,
};

int primaryCode(const QSqlError &error)
{
    return error.nativeErrorCode().toInt() & 0xff;
}

// The index of the WAL could not grow: SQLite does not tell a full disk from a faulty one here.
constexpr int SharedMemorySize = IoError | (19 << 8);

QString sentence(const QSqlError &error, const QString &path)
{
    if (error.nativeErrorCode().toInt() == SharedMemorySize) {
        return u"The disk is full or faulty. Free some space: saving in %1 is tried again."_s.arg(
            path);
    }
    switch (primaryCode(error)) {
    case Busy:
    case Locked:
        return u"The database %1 is in use by another program. Close that program, or wait."_s.arg(
            path);
    case OutOfMemory:
        return u"There is not enough memory to use the database %1."_s.arg(path);
    case ReadOnly:
        return u"The database %1 is read-only: nothing can be saved in it."_s.arg(path);
    case IoError:
        return u"The disk reports a fault with the database %1. Check the disk."_s.arg(path);
    case Corrupt:
    case NotADatabase:
        return u"The database %1 is damaged: it was left as it is."_s.arg(path);
    case Full:
        return u"The disk is full. Free some space: saving in %1 is tried again."_s.arg(path);
    case CannotOpen:
        return u"The database %1 cannot be opened. Check that its folder can be written."_s.arg(
            path);
    case TooBig:
        return u"A text is too long to be saved in the database %1."_s.arg(path);
    default:
        return u"The database %1 could not be used."_s.arg(path);
    }
}

} // namespace

Error storeError(const QSqlError &error, const QString &databasePath)
{
    const int code = primaryCode(error);
    const bool isDamaged = code == Corrupt || code == NotADatabase;
    return Error(isDamaged ? ErrorCode::StorageDamaged : ErrorCode::Storage,
                 sentence(error, databasePath),
                 u"SQLite %1: %2"_s.arg(error.nativeErrorCode(), error.text()));
}

Error damagedStore(const QString &message, const QString &detail)
{
    return Error(ErrorCode::StorageDamaged, message, detail);
}

Error storeError(const QString &message, const QString &detail)
{
    return Error(ErrorCode::Storage, message, detail);
}

bool needsReopening(const QSqlError &error)
{
    const int code = primaryCode(error);
    return code == IoError || code == Corrupt || code == CannotOpen;
}

} // namespace fermata

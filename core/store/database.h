// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "store/migrations.h"
#include "store/statement.h"

#include <QSqlDatabase>
#include <QString>
#include <QVariantList>

#include <map>
#include <memory>

namespace fermata {

// One connection to the database, for the thread that opened it. All calls block. What has been committed is on the disk.
class Database final
{
public:
    // Makes the file if there is none, and brings an older schema up to date after a backup beside it. A newer schema,
    // a file or a folder that cannot be written: read-only. What is damaged or not ours is an error and is not touched.
    static Result<std::unique_ptr<Database>>
    open(const QString &path, const std::vector<Migration> &migrations = shippedMigrations());
    ~Database();
    Q_DISABLE_COPY_MOVE(Database)

    bool isReadOnly() const { return m_mode != Mode::ReadWrite; }
    const QString &path() const { return m_path; }

    // Statements stay prepared, so `sql` is a constant text with placeholders. The rows of a text are read to their
    // end, or dropped, before the same text is used again.
    Result<Statement> select(const QString &sql, const QVariantList &values = {});
    // A statement without rows. The number of a row that it has inserted is lastRow().
    Result<void> run(const QString &sql, const QVariantList &values = {});
    qint64 lastRow() const { return m_lastRow; }

    // Opens the connection anew if a fault of the disk has left it in doubt.
    Result<void> ready();

    // For Batch.
    Result<void> begin();
    Result<void> commit();
    void rollBack();

private:
    // Frozen: SQLite is told that nobody changes the file, which it needs where it cannot make files beside it.
    enum class Mode { ReadWrite, ReadOnly, Frozen };
    struct Identity
    {
        qint64 application = 0;
        qint64 version = 0;
        bool empty = true;
    };

    Database(const QString &path, Mode mode);

    static Result<std::unique_ptr<Database>> openReadOnly(const QString &path);
    Result<void> connect();
    void disconnect();
    Result<void> configure();
    Result<Identity> identity();
    Result<qint64> version();
    Result<void> migrate(const std::vector<Migration> &migrations);
    Result<void> apply(const Migration &migration);
    Result<void> backUp(qint64 version);
    Result<QSqlQuery *> execute(const QString &sql, const QVariantList &values);
    Error failure(const QSqlError &error);

    const QString m_path;
    const QString m_connection;
    const Mode m_mode;
    QSqlDatabase m_database;
    std::map<QString, std::unique_ptr<QSqlQuery>> m_prepared;
    qint64 m_lastRow = 0;
    bool m_suspect = false; // to be opened anew before it is used again
};

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/database.h"

#include "base/logging.h"
#include "store/batch.h"
#include "store/databasefile.h"
#include "store/storeerror.h"

#include <QFile>
#include <QFileInfo>
#include <QSqlError>
#include <QUrl>
#include <QUuid>

#include <mutex>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr quint32 ApplicationId = 0x4665726d; // "Ferm"
constexpr int BusyTimeoutMs = 5000;

QString fileUri(const QString &path, const QString &options)
{
    return QString::fromLatin1(QUrl::fromLocalFile(QFileInfo(path).absoluteFilePath()).toEncoded())
        + u'?' + options;
}

} // namespace

Database::Database(const QString &path, Mode mode)
    : m_path(path), m_connection(QUuid::createUuid().toString(QUuid::WithoutBraces)), m_mode(mode)
{
}

Database::~Database()
{
    disconnect();
    qCDebug(lcStore, "a connection to the database is closed");
}

Result<std::unique_ptr<Database>> Database::open(const QString &path,
                                                 const std::vector<Migration> &migrations)
{
    const Result<DatabaseFile> file = inspectDatabaseFile(path);
    if (!file)
        return file.error();
    if (*file == DatabaseFile::Present && !isOwnCutFile(path, ApplicationId)) {
        // Only looked at until it is known to be ours: even the switch to WAL would change another program's file.
        auto reader = openReadOnly(path);
        if (!reader)
            return reader.error();
        const Result<Identity> identity = (*reader)->identity();
        if (!identity)
            return identity.error();
        if (!identity->empty && identity->application != ApplicationId) {
            return storeError(
                u"%1 is the database of another program: it was left as it is."_s.arg(path));
        }
        const int newest = migrations.back().version;
        if (identity->version > newest)
            return reader;
        if (!canWrite(path) || !canWrite(QFileInfo(path).absolutePath())) {
            if (identity->version == newest)
                return reader;
            return storeError(
                u"The database %1 is of an earlier version and read-only, so it cannot be brought "
                "up to date."_s.arg(path));
        }
    } else if (*file != DatabaseFile::Present) {
        if (auto created = createDatabaseFile(path); !created)
            return created.error();
    }

    makePrivate(path);
    std::unique_ptr<Database> database(new Database(path, Mode::ReadWrite));
    if (auto connected = database->connect(); !connected)
        return connected.error();
    if (auto migrated = database->migrate(migrations); !migrated)
        return migrated.error();
    return database;
}

Result<std::unique_ptr<Database>> Database::openReadOnly(const QString &path)
{
    std::unique_ptr<Database> database(new Database(path, Mode::ReadOnly));
    auto connected = database->connect();
    if (connected && database->identity())
        return database;
    if (canWrite(QFileInfo(path).absolutePath())) {
        if (!connected)
            return connected.error();
        return database; // its fault is met by who reads
    }
    // A database in WAL mode needs files beside it, which cannot be made here.
    database.reset(new Database(path, Mode::Frozen));
    if (connected = database->connect(); !connected)
        return connected.error();
    return database;
}

Result<void> Database::connect()
{
    m_database = QSqlDatabase::addDatabase(u"QSQLITE"_s, m_connection);
    QString options = u"QSQLITE_BUSY_TIMEOUT=%1"_s.arg(BusyTimeoutMs);
    if (m_mode == Mode::ReadWrite) {
        m_database.setDatabaseName(m_path);
    } else {
        m_database.setDatabaseName(
            fileUri(m_path, m_mode == Mode::Frozen ? u"mode=ro&immutable=1"_s : u"mode=ro"_s));
        options += u";QSQLITE_OPEN_URI;QSQLITE_OPEN_READONLY"_s;
    }
    m_database.setConnectOptions(options);
    if (!m_database.open())
        return failure(m_database.lastError());
    auto configured = configure();
    m_suspect = !configured.ok();
    return configured;
}

void Database::disconnect()
{
    if (!m_database.isValid())
        return;
    m_prepared.clear();
    m_database.close();
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_connection);
}

Result<void> Database::configure()
{
    QStringList pragmas{
        u"PRAGMA foreign_keys = ON"_s,
        u"PRAGMA trusted_schema = OFF"_s,
        u"PRAGMA cell_size_check = ON"_s,
    };
    if (m_mode == Mode::ReadWrite) {
        pragmas += u"PRAGMA journal_mode = WAL"_s;
        pragmas += u"PRAGMA synchronous = FULL"_s;
        pragmas += u"PRAGMA journal_size_limit = 16777216"_s;
        pragmas += u"PRAGMA secure_delete = FAST"_s; // what is deleted is gone from the file
    }
    for (const QString &pragma : std::as_const(pragmas)) {
        QSqlQuery query(m_database);
        if (!query.exec(pragma))
            return failure(query.lastError());
    }
    return {};
}

Result<Database::Identity> Database::identity()
{
    Identity identity;
    auto rows = select(u"SELECT (SELECT application_id FROM pragma_application_id),"
                       " (SELECT user_version FROM pragma_user_version),"
                       " (SELECT count(*) FROM sqlite_master)"_s);
    if (!rows)
        return rows.error();
    if (rows->next()) {
        identity.application = rows->integer(0);
        identity.version = rows->integer(1);
        identity.empty =
            identity.application == 0 && identity.version == 0 && rows->integer(2) == 0;
    }
    if (auto end = rows->end(); !end)
        return end.error();
    return identity;
}

Result<qint64> Database::version()
{
    auto rows = select(u"SELECT user_version FROM pragma_user_version"_s);
    if (!rows)
        return rows.error();
    const qint64 version = rows->next() ? rows->integer(0) : 0;
    if (auto end = rows->end(); !end)
        return end.error();
    return version;
}

Result<void> Database::migrate(const std::vector<Migration> &migrations)
{
    // Threads that open it at once would make the same backup at the same time. Only one process has the folder.
    static std::mutex oneAtATime;
    const std::lock_guard lock(oneAtATime);
    const Result<qint64> found = version();
    if (!found)
        return found.error();
    if (*found > migrations.back().version) {
        return storeError(
            u"A later version of Fermata has written the database %1: it was left as it is."_s.arg(
                m_path));
    }
    if (*found > 0 && *found < migrations.back().version) {
        if (auto backedUp = backUp(*found); !backedUp)
            return backedUp;
    }
    for (const Migration &migration : migrations) {
        if (migration.version <= *found)
            continue;
        if (auto applied = apply(migration); !applied)
            return applied;
    }
    return {};
}

Result<void> Database::apply(const Migration &migration)
{
    Batch batch(*this);
    if (!batch.begin())
        return batch.result();
    // Another connection may have done it while this one waited for its turn.
    const Result<qint64> current = version();
    if (!current)
        return current.error();
    if (*current >= migration.version)
        return {};
    for (const QString &statement : migration.statements)
        batch.run(statement);
    batch.run(u"PRAGMA application_id = %1"_s.arg(ApplicationId));
    batch.run(u"PRAGMA user_version = %1"_s.arg(migration.version));
    auto committed = batch.commit();
    if (committed)
        qCDebug(lcStore) << "schema is now version" << migration.version;
    return committed;
}

Result<void> Database::backUp(qint64 version)
{
    const QString target = u"%1.v%2.backup"_s.arg(m_path).arg(version);
    const QString unfinished = target + u".part"_s;
    QFile::remove(unfinished);
    if (auto created = createDatabaseFile(unfinished); !created)
        return created;
    auto copied = run(u"VACUUM INTO ?"_s, {unfinished});
    if (copied)
        copied = syncFile(unfinished);
    if (!copied) {
        QFile::remove(unfinished);
        return copied;
    }
    QFile::remove(target);
    if (!QFile::rename(unfinished, target))
        return storeError(u"The backup %1 could not be made."_s.arg(target));
    return syncFile(target);
}

Result<Statement> Database::select(const QString &sql, const QVariantList &values)
{
    const auto query = execute(sql, values);
    if (!query)
        return query.error();
    return Statement(**query, m_path);
}

Result<void> Database::run(const QString &sql, const QVariantList &values)
{
    const auto query = execute(sql, values);
    if (!query)
        return query.error();
    m_lastRow = (*query)->lastInsertId().toLongLong();
    (*query)->finish();
    return {};
}

Result<void> Database::ready()
{
    if (!m_suspect)
        return {};
    disconnect();
    return connect();
}

Result<void> Database::begin()
{
    // Immediate: a transaction that begins by reading and then has to wait to write is refused at once.
    return run(u"BEGIN IMMEDIATE"_s);
}

Result<void> Database::commit()
{
    return run(u"COMMIT"_s);
}

void Database::rollBack()
{
    // SQLite rolls back by itself after some faults, and there is nothing to roll back then.
    QSqlQuery(m_database).exec(u"ROLLBACK"_s);
}

Result<QSqlQuery *> Database::execute(const QString &sql, const QVariantList &values)
{
    auto prepared = m_prepared.find(sql);
    if (prepared == m_prepared.end()) {
        auto query = std::make_unique<QSqlQuery>(m_database);
        query->setForwardOnly(true);
        if (!query->prepare(sql))
            return failure(query->lastError());
        prepared = m_prepared.emplace(sql, std::move(query)).first;
    }
    QSqlQuery &query = *prepared->second;
    Q_ASSERT(!query.isActive());
    for (qsizetype i = 0; i < values.size(); ++i)
        query.bindValue(int(i), values.at(i));
    if (!query.exec()) {
        const Error error = failure(query.lastError());
        query.finish();
        return error;
    }
    return &query;
}

Error Database::failure(const QSqlError &error)
{
    m_suspect = m_suspect || needsReopening(error);
    return storeError(error, m_path);
}

} // namespace fermata

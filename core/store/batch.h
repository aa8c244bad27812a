// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>
#include <QVariantList>

namespace fermata {

class Database;

// A transaction that begins with its first statement, so that one without any writes nothing. After a fault the
// following statements do nothing, and commit() tells the first one: all of it happens or nothing. Rolled back when it
// goes without a commit.
class Batch final
{
public:
    explicit Batch(Database &database);
    ~Batch();
    Q_DISABLE_COPY_MOVE(Batch)

    bool begin(); // for a transaction that reads first; run() does it by itself
    bool run(const QString &sql, const QVariantList &values = {});
    // To be called with the error of anything else that the batch depends on.
    void fail(const Error &error);
    Result<void> commit();

    bool ok() const { return m_result.ok(); }
    const Result<void> &result() const { return m_result; }
    qint64 lastRow() const;
    Database &database() const { return m_database; }

private:
    Database &m_database;
    Result<void> m_result;
    bool m_open = false;
};

} // namespace fermata

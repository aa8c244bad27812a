// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QDateTime>
#include <QSqlQuery>
#include <QString>

#include <optional>

namespace fermata {

// The rows of one query. It ends the query when it goes, for an unfinished one would keep the WAL from shrinking.
// Values are read by type: another type than the expected one reads as empty.
class Statement final
{
public:
    Statement(QSqlQuery &query, QString databasePath);
    ~Statement();
    Statement(Statement &&other) noexcept;
    Statement &operator=(Statement &&) = delete;

    // False at the end and after a fault: end() tells which.
    bool next();
    Result<void> end() const;

    qint64 integer(int column) const;
    QString text(int column) const;
    bool isNull(int column) const;
    QDateTime time(int column) const;

private:
    QSqlQuery *m_query;
    QString m_databasePath;
};

// Values as they are bound. A null string would be bound as NULL.
QVariant textValue(const QString &text);
QVariant optionalTextValue(const QString &text); // NULL if it is empty
QVariant timeValue(const QDateTime &time); // NULL if it is not valid

} // namespace fermata

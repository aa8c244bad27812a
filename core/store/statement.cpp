// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/statement.h"

#include "conversation/validtext.h"
#include "store/storeerror.h"

#include <QVariant>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

Statement::Statement(QSqlQuery &query, QString databasePath)
    : m_query(&query), m_databasePath(std::move(databasePath))
{
}

Statement::Statement(Statement &&other) noexcept
    : m_query(std::exchange(other.m_query, nullptr)),
      m_databasePath(std::move(other.m_databasePath))
{
}

Statement::~Statement()
{
    if (m_query)
        m_query->finish();
}

bool Statement::next()
{
    return m_query->next();
}

Result<void> Statement::end() const
{
    if (m_query->lastError().isValid())
        return storeError(m_query->lastError(), m_databasePath);
    return {};
}

qint64 Statement::integer(int column) const
{
    return m_query->value(column).toLongLong();
}

QString Statement::text(int column) const
{
    const QVariant value = m_query->value(column);
    return value.typeId() == QMetaType::QString ? validText(value.toString()) : QString();
}

bool Statement::isNull(int column) const
{
    return m_query->isNull(column);
}

QDateTime Statement::time(int column) const
{
    return isNull(column) ? QDateTime() : QDateTime::fromMSecsSinceEpoch(integer(column), Qt::UTC);
}

QVariant textValue(const QString &text)
{
    return text.isNull() ? u""_s : validText(text);
}

QVariant optionalTextValue(const QString &text)
{
    return text.isEmpty() ? QVariant() : QVariant(validText(text));
}

QVariant timeValue(const QDateTime &time)
{
    return time.isValid() ? QVariant(time.toMSecsSinceEpoch()) : QVariant();
}

} // namespace fermata

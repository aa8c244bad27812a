// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/batch.h"

#include "store/database.h"

namespace fermata {

Batch::Batch(Database &database) : m_database(database), m_result(database.ready()) { }

Batch::~Batch()
{
    if (m_open)
        m_database.rollBack();
}

bool Batch::begin()
{
    if (!m_open && m_result) {
        m_result = m_database.begin();
        m_open = m_result.ok();
    }
    return m_result.ok();
}

bool Batch::run(const QString &sql, const QVariantList &values)
{
    if (begin())
        m_result = m_database.run(sql, values);
    return m_result.ok();
}

void Batch::fail(const Error &error)
{
    if (m_result)
        m_result = error;
}

Result<void> Batch::commit()
{
    if (m_open && m_result) {
        m_result = m_database.commit();
        // A commit that failed may still be open: the destructor rolls it back.
        m_open = !m_result.ok();
    }
    return m_result;
}

qint64 Batch::lastRow() const
{
    return m_database.lastRow();
}

} // namespace fermata

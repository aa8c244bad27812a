// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHashFunctions>
#include <QString>
#include <QUuid>

#include <compare>
#include <utility>

namespace fermata {

// An id that cannot be taken for another kind of id. The text is opaque; a default-made id is null.
template <typename Tag>
class Id final
{
public:
    Id() = default;
    explicit Id(QString text) : m_text(std::move(text)) { }

    static Id create() { return Id(QUuid::createUuid().toString(QUuid::WithoutBraces)); }

    bool isNull() const { return m_text.isEmpty(); }
    const QString &toString() const { return m_text; }

    friend bool operator==(const Id &, const Id &) = default;
    friend bool operator<(const Id &a, const Id &b) { return a.m_text < b.m_text; }
    friend size_t qHash(const Id &id, size_t seed = 0) { return ::qHash(id.m_text, seed); }

private:
    QString m_text;
};

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include <memory>

namespace fermata {

// A key. It has no conversion and no debug output, so it cannot end in a log or a message by
// accident; reveal() is the one word to search for. Copies share the bytes, which are overwritten
// when the last copy goes, unless something that reveal() gave out still shares them.
class Secret final
{
public:
    Secret() = default;
    explicit Secret(QByteArray bytes);

    bool isEmpty() const { return !m_bytes || m_bytes->isEmpty(); }
    QByteArray reveal() const { return m_bytes ? *m_bytes : QByteArray(); }

    friend bool operator==(const Secret &a, const Secret &b) { return a.reveal() == b.reveal(); }

private:
    std::shared_ptr<const QByteArray> m_bytes;
};

} // namespace fermata

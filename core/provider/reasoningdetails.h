// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QString>

#include <vector>

namespace fermata {

// The reasoning_details of a streamed answer, which are sent back as they came. The pieces of one text are joined; the text
// that grows is held outside of its object, because each change of an object copies what is in it.
class ReasoningDetails final
{
public:
    void add(const QJsonObject &detail);
    bool isEmpty() const { return m_details.empty(); }
    QJsonArray toArray() const;

private:
    struct Detail
    {
        QJsonObject object;
        QString textField; // empty: of a kind that is not joined
        QString text;
    };

    std::vector<Detail> m_details;
};

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/chatanswerparser.h"
#include "provider/modelprovider.h"

#include <QByteArray>
#include <QStringList>

#include <vector>

namespace fermata {

// Events as lines that a test can compare: "Text Hello", "Thinking …", "ThinkingEnd", "Call id name {…}", "Usage 12 3",
// "End EndTurn stop". Neighbouring deltas are one line, keep-alives none: how bytes were cut does not show.
class ModelEventLog final
{
public:
    void add(const ModelEvent &event);
    void add(const Error &error); // "Error Truncated"

    const QStringList &lines() const { return m_lines; }
    QString text() const;

private:
    QStringList m_lines;
};

// What a parser makes of `pieces`, with the end of the bytes after them.
ModelEventLog parsed(const std::vector<QByteArray> &pieces,
                     const std::optional<ContinuedAnswer> &continued = std::nullopt);
inline ModelEventLog parsed(const QByteArray &bytes)
{
    return parsed(std::vector<QByteArray>{bytes});
}

// "data: …" and a blank line for each.
QByteArray sseStream(const QStringList &objects);

} // namespace fermata

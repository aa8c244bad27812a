// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/modelprovider.h"
#include "provider/toolnames.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonObject>

#include <vector>

namespace fermata {

// Tool calls out of the fragments of a stream, which servers number in many ways or not at all. Nothing is allocated by a
// number that came from outside.
class ToolCallAssembler final
{
public:
    static constexpr int MostCalls = 128;
    static constexpr qsizetype LargestArguments = 16 * 1024 * 1024; // of all calls together

    // One fragment. A fault if there are too many calls or they are too large.
    Result<void> append(const QJsonObject &fragment);

    bool isEmpty() const { return m_calls.empty(); }
    // The calls in the order they were begun, with an id each that no other one of them has.
    std::vector<ToolCallReceived> calls(const ToolNames &names, const QString &idSeed) const;

private:
    struct Call
    {
        QString id;
        QString name;
        QString arguments;
        QJsonObject extras;
    };

    Call *callFor(const QJsonObject &fragment);
    Call *open(std::optional<qint64> index, const QString &id);

    std::vector<Call> m_calls;
    QHash<qint64, int> m_byIndex;
    QHash<QString, int> m_byId;
    qsizetype m_argumentsSize = 0;
};

} // namespace fermata

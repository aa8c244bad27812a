// SPDX-License-Identifier: GPL-3.0-or-later
#include "agent/callrepetition.h"

#include <QJsonDocument>

namespace fermata {

namespace {

constexpr int AlternatingCalls = 2 * CallRepetition::RepeatedCalls;

// Equal for equal calls: the keys of a QJsonObject are sorted.
QByteArray signatureOf(const ToolCallBlock &call)
{
    const QJsonDocument arguments = QJsonDocument::fromJson(call.arguments.toUtf8());
    return call.name.toUtf8() + '\0'
        + (arguments.isNull() ? call.arguments.toUtf8() : arguments.toJson(QJsonDocument::Compact));
}

} // namespace

bool CallRepetition::closesCircle(const AssistantMessage &message)
{
    for (const ContentBlock &block : message.blocks) {
        if (const auto *call = std::get_if<ToolCallBlock>(&block))
            m_signatures.push_back(signatureOf(*call));
    }
    if (!endsWithCircle())
        return false;
    m_signatures.clear();
    return true;
}

bool CallRepetition::endsWithCircle() const
{
    const size_t count = m_signatures.size();
    const auto sameAt = [&](size_t distance, size_t length) {
        if (count < length)
            return false;
        for (size_t i = count - length; i + distance < count; ++i) {
            if (m_signatures[i] != m_signatures[i + distance])
                return false;
        }
        return true;
    };
    return sameAt(1, RepeatedCalls) || sameAt(2, AlternatingCalls);
}

} // namespace fermata

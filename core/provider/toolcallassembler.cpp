// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/toolcallassembler.h"

#include "provider/chathistory.h"
#include "provider/unicodetext.h"

#include <QJsonDocument>
#include <QSet>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

std::optional<qint64> indexOf(const QJsonObject &fragment)
{
    const QJsonValue value = fragment.value(u"index"_s);
    if (!value.isDouble())
        return std::nullopt;
    return value.toInteger(-1);
}

QString compactText(const QJsonValue &value)
{
    if (value.isString())
        return value.toString();
    if (value.isObject())
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isNull() || value.isUndefined())
        return {};
    // Not what the protocol knows. As text it fails the check of the arguments, and the model is told.
    const QByteArray wrapped = QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact);
    return QString::fromUtf8(wrapped.sliced(1, wrapped.size() - 2));
}

bool isWholeObject(const QString &arguments)
{
    return arguments.trimmed().endsWith(u'}')
        && QJsonDocument::fromJson(arguments.toUtf8()).isObject();
}

} // namespace

Result<void> ToolCallAssembler::append(const QJsonObject &fragment)
{
    Call *call = callFor(fragment);
    if (!call)
        return Error(
            ErrorCode::TooLarge,
            u"The model asked for more than %1 tool calls in one message. Retry the turn."_s.arg(
                MostCalls));
    const QJsonObject function = fragment.value(u"function"_s).toObject();
    const QString name = function.value(u"name"_s).toString();
    // Some servers repeat the whole name with each fragment, some cut it in pieces.
    if (call->arguments.isEmpty() && name != call->name)
        call->name += name;
    const QString arguments = compactText(function.value(u"arguments"_s));
    m_argumentsSize += arguments.size() + name.size();
    if (m_argumentsSize > LargestArguments)
        return Error(
            ErrorCode::TooLarge,
            u"The arguments of the model's tool calls are larger than 16 MB. Retry the turn."_s);
    call->arguments += arguments;
    for (auto it = fragment.begin(); it != fragment.end(); ++it) {
        if (it.key() != u"index" && it.key() != u"id" && it.key() != u"type"
            && it.key() != u"function" && !it.value().isNull())
            call->extras.insert(it.key(), it.value());
    }
    return {};
}

ToolCallAssembler::Call *ToolCallAssembler::callFor(const QJsonObject &fragment)
{
    const std::optional<qint64> index = indexOf(fragment);
    const QString id = fragment.value(u"id"_s).toString();
    const bool named =
        !fragment.value(u"function"_s).toObject().value(u"name"_s).toString().isEmpty();
    const int atIndex = index ? m_byIndex.value(*index, -1) : -1;

    if (!id.isEmpty()) {
        const int known = m_byId.value(id, -1);
        // The same id at another place, with a name of its own, is another call.
        if (known >= 0 && !(named && index && atIndex != known))
            return &m_calls[known];
        // A call begins with its name; without one this is more of the call at that place, whose id changed or came late.
        if (known >= 0 || named || atIndex < 0)
            return open(index, id);
        if (m_calls[atIndex].id.isEmpty())
            m_calls[atIndex].id = id;
        return &m_calls[atIndex];
    }
    const int current = index ? atIndex : static_cast<int>(m_calls.size()) - 1;
    if (current < 0)
        return open(index, id);
    // Servers without ids and numbers send each call whole.
    if (named && isWholeObject(m_calls[current].arguments))
        return open(index, id);
    return &m_calls[current];
}

ToolCallAssembler::Call *ToolCallAssembler::open(std::optional<qint64> index, const QString &id)
{
    if (m_calls.size() >= MostCalls)
        return nullptr;
    const auto position = static_cast<int>(m_calls.size());
    if (index)
        m_byIndex.insert(*index, position);
    if (!id.isEmpty())
        m_byId.insert(id, position);
    m_calls.push_back({.id = id, .name = {}, .arguments = {}, .extras = {}});
    return &m_calls.back();
}

std::vector<ToolCallReceived> ToolCallAssembler::calls(const ToolNames &names,
                                                       const QString &idSeed) const
{
    std::vector<ToolCallReceived> complete;
    QSet<QString> used;
    for (const Call &call : m_calls) {
        QString id = validUnicode(call.id);
        for (int salt = 0; id.isEmpty() || used.contains(id); ++salt)
            id = callIdFromSeed(idSeed + u'/' + QString::number(complete.size() + salt) + call.name
                                + call.arguments);
        used.insert(id);
        complete.push_back({.wireId = id,
                            .name = names.registryName(validUnicode(call.name)),
                            .arguments = validUnicode(call.arguments),
                            .extras = call.extras});
    }
    return complete;
}

} // namespace fermata

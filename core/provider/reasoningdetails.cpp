// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/reasoningdetails.h"

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString textFieldOf(const QJsonObject &detail)
{
    const QString type = detail.value(u"type"_s).toString();
    if (type == u"reasoning.text")
        return u"text"_s;
    return type == u"reasoning.summary" ? u"summary"_s : QString();
}

} // namespace

void ReasoningDetails::add(const QJsonObject &detail)
{
    if (detail.isEmpty())
        return;
    const QString field = textFieldOf(detail);
    const bool goesOn = !field.isEmpty() && !m_details.empty()
        && m_details.back().object.value(u"type"_s) == detail.value(u"type"_s)
        && m_details.back().object.value(u"index"_s) == detail.value(u"index"_s);
    if (!goesOn) {
        m_details.push_back({detail, field, detail.value(field).toString()});
        return;
    }
    Detail &last = m_details.back();
    last.text += detail.value(field).toString();
    for (auto it = detail.begin(); it != detail.end(); ++it) {
        if (it.key() != field && !it.value().isNull())
            last.object.insert(it.key(), it.value());
    }
}

QJsonArray ReasoningDetails::toArray() const
{
    QJsonArray array;
    for (const Detail &detail : m_details) {
        QJsonObject object = detail.object;
        if (!detail.text.isEmpty())
            object.insert(detail.textField, detail.text);
        array.append(object);
    }
    return array;
}

} // namespace fermata

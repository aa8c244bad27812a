// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "conversation/validtext.h"

#include <QDateTime>
#include <QJsonObject>
#include <QString>

#include <chrono>

namespace fermata {

// The fields of the stored JSON. Reading never trusts a type: what is not as expected is as if it were not there.

inline void putText(QJsonObject &json, const QString &key, const QString &text)
{
    if (!text.isEmpty())
        json.insert(key, validText(text));
}

inline void putTime(QJsonObject &json, const QString &key, const QDateTime &time)
{
    if (time.isValid())
        json.insert(key, time.toUTC().toString(Qt::ISODateWithMs));
}

inline QDateTime timeFrom(const QJsonValue &value)
{
    const QDateTime time = QDateTime::fromString(value.toString(), Qt::ISODateWithMs);
    return time.isValid() ? time.toUTC() : QDateTime();
}

inline void putObject(QJsonObject &json, const QString &key, const QJsonObject &object)
{
    if (!object.isEmpty())
        json.insert(key, object);
}

inline void putDuration(QJsonObject &json, const QString &key, std::chrono::milliseconds duration)
{
    if (duration.count() != 0)
        json.insert(key, qint64(duration.count()));
}

inline std::chrono::milliseconds durationFrom(const QJsonValue &value)
{
    return std::chrono::milliseconds(value.toInteger());
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>

#include <initializer_list>
#include <utility>

namespace fermata {

// The parts of the schemas of the built-in tools.
QJsonObject stringProperty(const QString &description);
QJsonObject booleanProperty(const QString &description);
QJsonObject integerProperty(const QString &description, qint64 minimum, qint64 maximum);
QJsonObject objectSchema(std::initializer_list<std::pair<QString, QJsonObject>> properties,
                         const QStringList &required);

} // namespace fermata

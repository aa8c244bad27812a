// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/toolschema.h"

#include <QJsonArray>
#include <QStringList>

namespace fermata {

using namespace Qt::StringLiterals;

QJsonObject stringProperty(const QString &description)
{
    return {{u"type"_s, u"string"_s}, {u"description"_s, description}};
}

QJsonObject booleanProperty(const QString &description)
{
    return {{u"type"_s, u"boolean"_s}, {u"description"_s, description}};
}

QJsonObject integerProperty(const QString &description, qint64 minimum, qint64 maximum)
{
    return {{u"type"_s, u"integer"_s},
            {u"description"_s, description},
            {u"minimum"_s, minimum},
            {u"maximum"_s, maximum}};
}

QJsonObject objectSchema(std::initializer_list<std::pair<QString, QJsonObject>> properties,
                         const QStringList &required)
{
    QJsonObject fields;
    for (const auto &[name, property] : properties)
        fields.insert(name, property);
    return {{u"type"_s, u"object"_s},
            {u"properties"_s, fields},
            {u"required"_s, QJsonArray::fromStringList(required)},
            {u"additionalProperties"_s, false}};
}

} // namespace fermata

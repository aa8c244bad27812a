// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/argumentvalidator.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonParseError>
#include <QStringList>

// Without this the library ends the program where it finds a schema that is none.
#define VALIJSON_USE_EXCEPTIONS 1
// A library header, not written with our warnings.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Woverloaded-virtual"
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
#include <valijson/adapters/qtjson_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>
#pragma GCC diagnostic pop

#include <algorithm>
#include <exception>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostCharacters = 16 * 1024 * 1024;
constexpr int MostDepth = 64;
constexpr int MostSchemaDepth = 32;
constexpr int MostSchemaNodes = 20000;
constexpr int MostReportedProblems = 3;
constexpr qsizetype LongestExpectation = 300;

bool isDeeperThan(const QJsonValue &value, int depth)
{
    if (!value.isObject() && !value.isArray())
        return false;
    if (depth == 0)
        return true;
    if (value.isArray()) {
        const QJsonArray array = value.toArray();
        return std::any_of(array.begin(), array.end(), [depth](const QJsonValue &item) {
            return isDeeperThan(item, depth - 1);
        });
    }
    const QJsonObject object = value.toObject();
    return std::any_of(object.begin(), object.end(),
                       [depth](const QJsonValue &item) { return isDeeperThan(item, depth - 1); });
}

// A schema may come from a foreign server. Made harmless for the validator, which would follow references for ever and
// whose regular expressions recurse once per character: references are written out to a depth where anything goes, and
// patterns are left to the server.
class HarmlessSchema final
{
public:
    explicit HarmlessSchema(QJsonObject root) : m_root(std::move(root)) { }

    // Nothing if it is too large.
    std::optional<QJsonObject> make()
    {
        const QJsonValue schema = copied(m_root, MostSchemaDepth);
        if (m_nodes > MostSchemaNodes)
            return std::nullopt;
        return schema.toObject();
    }

private:
    QJsonValue copied(const QJsonValue &value, int depth)
    {
        if (++m_nodes > MostSchemaNodes)
            return {};
        if (value.isArray()) {
            QJsonArray copy;
            for (const QJsonValue &item : value.toArray())
                copy.append(depth > 0 ? copied(item, depth - 1) : QJsonValue(QJsonObject()));
            return copy;
        }
        if (!value.isObject())
            return value;
        if (depth <= 0)
            return QJsonObject();
        const QJsonObject object = value.toObject();
        if (object.value("$ref"_L1).isString())
            return copied(target(object.value("$ref"_L1).toString()), depth - 1);
        QJsonObject copy;
        for (auto it = object.begin(); it != object.end(); ++it) {
            const QString key = it.key();
            if (key == "definitions"_L1 || key == "$defs"_L1 || key == "$schema"_L1
                || key == "$id"_L1 || key == "id"_L1 || key == "default"_L1 || key == "examples"_L1)
                continue;
            if (isPattern(key, it.value()))
                continue;
            // Names of properties are no keywords.
            copy.insert(key,
                        key == "properties"_L1 ? copiedProperties(it.value(), depth - 1)
                                               : copied(it.value(), depth - 1));
        }
        if (object.contains("patternProperties"_L1))
            copy.remove(u"additionalProperties"_s);
        return copy;
    }

    QJsonValue copiedProperties(const QJsonValue &value, int depth)
    {
        QJsonObject copy;
        const QJsonObject object = value.toObject();
        for (auto it = object.begin(); it != object.end(); ++it)
            copy.insert(it.key(), copied(it.value(), depth));
        return copy;
    }

    static bool isPattern(const QString &key, const QJsonValue &value)
    {
        return (key == "pattern"_L1 && value.isString()) || key == "patternProperties"_L1
            || (key == "format"_L1 && value.isString());
    }

    // Of a reference inside of the schema; a foreign one allows anything.
    QJsonValue target(const QString &reference) const
    {
        if (!reference.startsWith(u'#'))
            return QJsonObject();
        QJsonValue value = m_root;
        for (QString step : reference.mid(1).split(u'/', Qt::SkipEmptyParts)) {
            step.replace("~1"_L1, "/"_L1).replace("~0"_L1, "~"_L1);
            value = value.isArray() ? value.toArray().at(step.toInt())
                                    : QJsonValue(value.toObject().value(step));
        }
        return value.isObject() ? value : QJsonValue(QJsonObject());
    }

    const QJsonObject m_root;
    int m_nodes = 0;
};

// "<root>[path]" and the like, as a path that a reader of the arguments understands.
QString readablePlace(const std::vector<std::string> &context)
{
    QString place;
    for (const std::string &part : context) {
        QString step = QString::fromStdString(part);
        if (step == "<root>"_L1)
            continue;
        if (step.startsWith("[\""_L1) && step.endsWith("\"]"_L1))
            step = step.mid(2, step.size() - 4);
        else if (step.startsWith(u'[') && step.endsWith(u']'))
            step = step.mid(1, step.size() - 2);
        place += place.isEmpty() ? step : u'.' + step;
    }
    return place.isEmpty() ? u"arguments"_s : u"“%1”"_s.arg(place);
}

// What a property has to be, to correct a value by: its schema without the words.
QString expectation(const std::vector<std::string> &context, const QJsonObject &schema)
{
    for (const std::string &part : context) {
        const QString step = QString::fromStdString(part);
        if (!step.startsWith("[\""_L1))
            continue;
        QJsonObject property =
            schema.value("properties"_L1).toObject().value(step.mid(2, step.size() - 4)).toObject();
        property.remove(u"description"_s);
        const QByteArray json = QJsonDocument(property).toJson(QJsonDocument::Compact);
        const bool helps = !property.isEmpty() && json.size() <= LongestExpectation;
        return helps ? u" Its schema is %1."_s.arg(QString::fromUtf8(json)) : QString();
    }
    return {};
}

Error invalid(const QString &what)
{
    return {ErrorCode::InvalidArgument, u"The arguments are not valid. "_s + what};
}

Result<void> checked(const QJsonObject &arguments, const QJsonObject &schemaJson)
{
    using valijson::adapters::QtJsonAdapter;

    const auto harmless = HarmlessSchema(schemaJson).make();
    if (!harmless)
        return Error(ErrorCode::Unsupported, u"The schema of this tool is too large."_s);
    valijson::Schema schema;
    const QJsonValue schemaValue(*harmless);
    valijson::SchemaParser().populateSchema(QtJsonAdapter(schemaValue), schema);

    valijson::Validator validator;
    valijson::ValidationResults results;
    const QJsonValue value(arguments);
    if (validator.validate(schema, QtJsonAdapter(value), &results))
        return {};

    // The validator tells a problem once at each level on the way up; the deepest one is what has to be corrected.
    QStringList problems;
    valijson::ValidationResults::Error problem;
    while (results.popError(problem) && problems.size() < MostReportedProblems) {
        const QString text = QString::fromStdString(problem.description);
        if (text.startsWith("Failed to validate against schema associated with property"_L1))
            continue;
        problems << u"%1: %2"_s.arg(readablePlace(problem.context), text.trimmed())
                + expectation(problem.context, *harmless);
    }
    problems.removeDuplicates();
    return invalid(problems.isEmpty() ? u"They do not fit the schema."_s : problems.join(u' '));
}

} // namespace

Result<QJsonObject> parseToolArguments(const QString &arguments, const QJsonObject &schema)
{
    const QString text = arguments.trimmed();
    if (text.size() > MostCharacters)
        return invalid(u"They are longer than %1 characters."_s.arg(MostCharacters));

    QJsonObject object;
    if (!text.isEmpty()) {
        QJsonParseError problem;
        const QByteArray bytes = text.toUtf8();
        const auto document = QJsonDocument::fromJson(bytes, &problem);
        if (problem.error != QJsonParseError::NoError) {
            return invalid(u"They are not JSON: %1 at byte %2 of %3."_s.arg(problem.errorString())
                               .arg(problem.offset)
                               .arg(bytes.size()));
        }
        if (!document.isObject())
            return invalid(u"They must be a JSON object."_s);
        object = document.object();
    }
    if (isDeeperThan(object, MostDepth))
        return invalid(u"They are nested deeper than %1 levels."_s.arg(MostDepth));

    try {
        if (auto ok = checked(object, schema); !ok)
            return ok.error();
    } catch (const std::exception &exception) {
        return Error(ErrorCode::Unsupported,
                     u"The schema of this tool cannot be used: %1"_s.arg(
                         QString::fromUtf8(exception.what())));
    }
    return object;
}

} // namespace fermata

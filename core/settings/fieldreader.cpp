// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/fieldreader.h"

#include <QJsonArray>
#include <QJsonValue>

#include <algorithm>
#include <limits>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// A double holds each whole number up to here; what is larger is out of every range anyway.
constexpr double LargestWhole = 9007199254740992.0;

qint64 whole(double number)
{
    return qint64(std::clamp(number, -LargestWhole, LargestWhole));
}

int wholeInt(double number)
{
    return int(std::clamp(number, double(std::numeric_limits<int>::min()),
                          double(std::numeric_limits<int>::max())));
}

} // namespace

FieldReader::FieldReader(const QJsonObject &object, const QString &where, QStringList *corrections)
    : m_object(object), m_where(where), m_corrections(corrections)
{
}

void FieldReader::correct(const QString &name, const QString &what)
{
    if (m_corrections)
        m_corrections->append(u"The setting “%1” %2."_s.arg(m_where + name, what));
}

FieldReader::Kind FieldReader::takeNumber(const QString &name, double &number)
{
    const QJsonValue json = m_object.take(name);
    if (json.isUndefined())
        return Kind::Missing;
    if (json.isString() && json.toString() == u"never")
        return Kind::Never;
    if (!json.isDouble()) {
        correct(name, u"was not a number, and its default is used"_s);
        return Kind::Wrong;
    }
    number = json.toDouble();
    return Kind::Number;
}

void FieldReader::read(const QString &name, bool &value)
{
    const QJsonValue json = m_object.take(name);
    if (json.isBool())
        value = json.toBool();
    else if (!json.isUndefined())
        correct(name, u"was neither true nor false, and its default is used"_s);
}

void FieldReader::read(const QString &name, int &value)
{
    double number = 0;
    const Kind kind = takeNumber(name, number);
    if (kind == Kind::Number)
        value = wholeInt(number);
    else if (kind == Kind::Never)
        correct(name, u"was not a number, and its default is used"_s);
}

void FieldReader::read(const QString &name, QString &value, qsizetype longest)
{
    const QJsonValue json = m_object.take(name);
    if (json.isString()) {
        value = json.toString();
        if (value.size() > longest) {
            value.truncate(longest);
            correct(name, u"was too long and was cut at %1 characters"_s.arg(longest));
        }
    } else if (!json.isUndefined()) {
        correct(name, u"was not a text, and its default is used"_s);
    }
}

void FieldReader::read(const QString &name, LimitValue &value)
{
    double number = 0;
    const Kind kind = takeNumber(name, number);
    if (kind == Kind::Number)
        value = std::chrono::milliseconds(whole(number));
    else if (kind == Kind::Never)
        value.reset();
}

void FieldReader::read(const QString &name, std::optional<int> &value)
{
    double number = 0;
    const Kind kind = takeNumber(name, number);
    if (kind == Kind::Number)
        value = wholeInt(number);
    else if (kind == Kind::Never)
        value.reset();
}

void FieldReader::read(const QString &name, std::optional<qint64> &value)
{
    double number = 0;
    const Kind kind = takeNumber(name, number);
    if (kind == Kind::Number)
        value = whole(number);
    else if (kind == Kind::Never)
        value.reset();
}

void FieldReader::read(const QString &name, std::optional<double> &value)
{
    double number = 0;
    const Kind kind = takeNumber(name, number);
    if (kind == Kind::Number)
        value = number;
    else if (kind == Kind::Never)
        value.reset();
}

QJsonObject FieldReader::takeObject(const QString &name)
{
    const QJsonValue json = m_object.take(name);
    if (!json.isUndefined() && !json.isObject())
        correct(name, u"was not a group of values, and its defaults are used"_s);
    return json.toObject();
}

QJsonArray FieldReader::takeArray(const QString &name)
{
    const QJsonValue json = m_object.take(name);
    if (!json.isUndefined() && !json.isArray())
        correct(name, u"was not a list, and it is empty now"_s);
    return json.toArray();
}

QJsonValue toJson(const LimitValue &value)
{
    if (!value)
        return u"never"_s;
    return qint64(value->count());
}

} // namespace fermata

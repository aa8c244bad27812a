// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/limits.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>

namespace fermata {

// Takes typed fields out of a JSON object that anyone may have written. A field that is missing leaves the value as it
// is; one of the wrong type does so, too, and is named in the corrections. What nobody asked for is left in rest().
class FieldReader final
{
public:
    // `where` begins the name of each field in a correction: "limits." or nothing. `corrections` may be null.
    FieldReader(const QJsonObject &object, const QString &where, QStringList *corrections);

    void read(const QString &name, bool &value);
    void read(const QString &name, int &value);
    // Cut at `longest` characters.
    void read(const QString &name, QString &value, qsizetype longest);
    // "never" is nothing, else a number; for a LimitValue in milliseconds.
    void read(const QString &name, LimitValue &value);
    void read(const QString &name, std::optional<int> &value);
    void read(const QString &name, std::optional<qint64> &value);
    void read(const QString &name, std::optional<double> &value);

    QJsonObject takeObject(const QString &name);
    QJsonArray takeArray(const QString &name);

    void correct(const QString &name, const QString &what);
    const QJsonObject &rest() const { return m_object; }

private:
    enum class Kind { Missing, Never, Number, Wrong };
    Kind takeNumber(const QString &name, double &number);

    QJsonObject m_object;
    QString m_where;
    QStringList *m_corrections;
};

// The same form for writing.
QJsonValue toJson(const LimitValue &value);

} // namespace fermata

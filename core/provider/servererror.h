// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <optional>

namespace fermata {

// What a server says of a fault, in whichever of the usual shapes. Foreign text, as it came.
struct ServerError
{
    QString message;
    QString code; // a number becomes its text
    QString type;
    QString param;
    QString retryDelay; // "38s", where the body tells it

    // The code as a status of HTTP, if it is one.
    std::optional<int> status() const;
    // Looks for `words` in code, type, parameter and message, in any case.
    bool mentions(const QString &words) const;
    // Too much text for the model.
    bool isContextOverflow() const;
};

// The error that an event of a stream carries, by its top level; nothing if it is none.
std::optional<ServerError> serverErrorOf(const QJsonObject &object);
// The error that the body of a refused request carries; what is no known shape is taken as a text.
ServerError serverErrorOfBody(const QByteArray &body);

// Foreign bytes for a person: one line of text, markup and control characters taken out, no secrets, at most `length`
// characters.
QString excerpt(const QByteArray &bytes, qsizetype length = 200);
QString excerpt(const QString &text, qsizetype length = 200);

} // namespace fermata

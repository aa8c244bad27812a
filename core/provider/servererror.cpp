// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/servererror.h"

#include "base/redaction.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestRead = 8 * 1024;

QString textOf(const QJsonValue &value)
{
    if (value.isString())
        return value.toString();
    if (value.isDouble())
        return QString::number(value.toInteger());
    if (value.isObject())
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray())
        return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    return {};
}

bool isTruthy(const QJsonValue &value)
{
    switch (value.type()) {
    case QJsonValue::Object:
        return !value.toObject().isEmpty();
    case QJsonValue::String:
        return !value.toString().isEmpty();
    case QJsonValue::Bool:
        return value.toBool();
    case QJsonValue::Double:
        return value.toDouble() != 0;
    case QJsonValue::Array:
        return !value.toArray().isEmpty();
    default:
        return false;
    }
}

ServerError fieldsOf(const QJsonObject &object)
{
    ServerError error{.message = textOf(object.value(u"message"_s)),
                      .code = textOf(object.value(u"code"_s)),
                      .type = textOf(object.value(u"type"_s)),
                      .param = textOf(object.value(u"param"_s)),
                      .retryDelay = {}};
    if (error.type.isEmpty())
        error.type = textOf(object.value(u"status"_s));
    if (error.message.isEmpty())
        error.message = textOf(object.value(u"detail"_s));
    if (error.message.isEmpty())
        error.message = textOf(object.value(u"error"_s));
    // OpenRouter hides the words of the server behind it here.
    const QString raw = object.value(u"metadata"_s).toObject().value(u"raw"_s).toString();
    if (!raw.isEmpty())
        error.message += u' ' + raw;
    const QJsonArray details = object.value(u"details"_s).toArray();
    for (const QJsonValue &detail : details) {
        const QString delay = detail.toObject().value(u"retryDelay"_s).toString();
        if (!delay.isEmpty())
            error.retryDelay = delay;
    }
    return error;
}

} // namespace

std::optional<int> ServerError::status() const
{
    bool ok = false;
    const int number = code.toInt(&ok);
    return ok && number >= 400 && number < 600 ? std::optional(number) : std::nullopt;
}

bool ServerError::mentions(const QString &words) const
{
    return code.contains(words, Qt::CaseInsensitive) || type.contains(words, Qt::CaseInsensitive)
        || param.contains(words, Qt::CaseInsensitive)
        || message.contains(words, Qt::CaseInsensitive);
}

bool ServerError::isContextOverflow() const
{
    static const QString signs[] = {
        u"context_length_exceeded"_s, u"exceed_context_size_error"_s,
        u"maximum context length"_s,  u"exceeds the available context size"_s,
        u"prompt is too long"_s,      u"context window"_s,
        u"input length exceeds"_s,    u"longer than the context length"_s,
    };
    return std::any_of(std::begin(signs), std::end(signs),
                       [this](const QString &sign) { return mentions(sign); });
}

std::optional<ServerError> serverErrorOf(const QJsonObject &object)
{
    const QJsonValue value = object.value(u"error"_s);
    if (isTruthy(value)) {
        if (value.isObject())
            return fieldsOf(value.toObject());
        ServerError error = fieldsOf(object);
        error.message = textOf(value);
        return error;
    }
    const QString kind = object.value(u"object"_s).toString();
    if (kind == u"error" || object.value(u"type"_s).toString() == u"error")
        return fieldsOf(object);
    return std::nullopt;
}

ServerError serverErrorOfBody(const QByteArray &body)
{
    const QByteArray trimmed = body.trimmed();
    QJsonDocument document = QJsonDocument::fromJson(trimmed);
    if (document.isNull())
        document =
            QJsonDocument::fromJson(trimmed.first(std::max<qsizetype>(0, trimmed.indexOf('\n'))));
    QJsonObject object = document.object();
    if (document.isArray())
        object = document.array().first().toObject();
    if (object.isEmpty())
        return {.message = excerpt(trimmed), .code = {}, .type = {}, .param = {}, .retryDelay = {}};
    if (std::optional<ServerError> error = serverErrorOf(object))
        return *error;
    return fieldsOf(object);
}

QString excerpt(const QByteArray &bytes, qsizetype length)
{
    return excerpt(QString::fromUtf8(bytes.first(std::min(bytes.size(), LongestRead))), length);
}

QString excerpt(const QString &text, qsizetype length)
{
    static const QRegularExpression hiddenElements(
        u"<(script|style|head)\\b[^>]*>.*?</\\1\\s*>"_s,
        QRegularExpression::CaseInsensitiveOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression tags(u"<[/!a-zA-Z][^>]*>"_s);
    QString clean = text.first(std::min(text.size(), LongestRead));
    clean.replace(hiddenElements, u" "_s).replace(tags, u" "_s);
    for (QChar &c : clean) {
        const QChar::Category category = c.category();
        if (category == QChar::Other_Control || category == QChar::Other_Format)
            c = u' ';
        else if (category == QChar::Other_Surrogate && !clean.isValidUtf16())
            c = QChar(QChar::ReplacementCharacter);
    }
    clean = redacted(clean).simplified();
    if (clean.size() > length)
        clean = clean.first(length - 1).trimmed() + u'…';
    return clean;
}

} // namespace fermata

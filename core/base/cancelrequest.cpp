// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancelrequest.h"

#include <QJsonDocument>
#include <QJsonValue>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MaximumIdLength = 200;

Error refusal(const QString &what)
{
    return Error(ErrorCode::InvalidArgument, u"The cancel request was refused: %1"_s.arg(what));
}

} // namespace

bool mayBeGivenByProgram(CancellationCause cause)
{
    return cause == CancellationCause::External || cause == CancellationCause::Superseded;
}

Result<CancelRequest> cancelRequestFromJson(const QJsonObject &json, const QString &source)
{
    const QJsonValue id = json.value("turnId"_L1);
    if (id.isUndefined())
        return refusal(u"turnId is missing"_s);
    if (!id.isString())
        return refusal(u"turnId is not a text"_s);
    const QString turnId = id.toString();
    if (turnId.trimmed().isEmpty())
        return refusal(u"turnId is empty"_s);
    if (turnId.size() > MaximumIdLength)
        return refusal(u"turnId is longer than %1 characters"_s.arg(MaximumIdLength));

    CancelRequest request{turnId,
                          {CancellationCause::External, {}, sanitizedReasonText(source), {}}};

    const QJsonValue causeName = json.value("cause"_L1);
    if (!causeName.isUndefined()) {
        if (!causeName.isString())
            return refusal(u"cause is not a text"_s);
        const auto cause = cancellationCauseFromString(causeName.toString());
        if (!cause)
            return refusal(u"cause is unknown"_s);
        if (!mayBeGivenByProgram(*cause))
            return refusal(u"cause %1 is not for programs"_s.arg(toString(*cause)));
        request.reason.cause = *cause;
    }

    const QJsonValue reason = json.value("reason"_L1);
    if (!reason.isUndefined()) {
        if (!reason.isString())
            return refusal(u"reason is not a text"_s);
        request.reason.text = sanitizedReasonText(reason.toString());
    }
    return request;
}

Result<CancelRequest> parseCancelRequest(const QByteArray &json, const QString &source)
{
    if (json.size() > MostCancelRequestBytes)
        return refusal(u"it is larger than %1 bytes"_s.arg(MostCancelRequestBytes));
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(json, &error);
    if (error.error != QJsonParseError::NoError)
        return refusal(u"it is not JSON"_s);
    if (!document.isObject())
        return refusal(u"it is not an object"_s);
    return cancelRequestFromJson(document.object(), source);
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QJsonObject>
#include <QString>

namespace fermata {

// `arguments` as a model wrote them (empty text is an empty object), parsed and checked against the JSON Schema.
// A fault (InvalidArgument) has a message the model can correct itself by: what is wrong, and where.
Result<QJsonObject> parseToolArguments(const QString &arguments, const QJsonObject &schema);

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "provider/modelprovider.h"
#include "provider/serverdialect.h"

#include <QJsonArray>
#include <QString>

#include <optional>

namespace fermata {

// An answer that the request takes up.
struct ContinuedAnswer
{
    QString text; // as it was sent: without trailing space
    QString trimmedSpace; // what was taken off its end
    PrefillKind prefill = PrefillKind::None; // None: a message asks the model to go on
};

struct ShapedHistory
{
    QJsonArray messages;
    std::optional<ContinuedAnswer> continued;
};

// The request's system prompt and history as the messages of a chat completion that `dialect` accepts: system first,
// roles in the order it wants, ids and names in its form, nothing empty. Pure.
ShapedHistory shapeHistory(const ModelRequest &request, const ServerDialect &dialect);

// An id for a call that came without one, or with one the server would refuse: nine letters and digits, the same for
// the same seed.
QString callIdFromSeed(const QString &seed);

} // namespace fermata

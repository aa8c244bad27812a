// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"

#include <QJsonDocument>
#include <QStringList>
#include <QUrl>

#include <optional>

namespace fermata {

class IoThread;

// The models that the server at `endpoint` offers, in its order. Address, connection and key are tested by it: a fault says
// which of them is wrong. Blocks; on any thread but the GUI's.
Result<QStringList> fetchModels(IoThread &io, const QUrl &endpoint, const Secret &key,
                                const CancellationToken &token, Deadline deadline);

// The names in a list of models as servers write it; nothing if it is no such list. Pure.
std::optional<QStringList> modelNames(const QJsonDocument &document);

} // namespace fermata

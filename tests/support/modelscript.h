// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "support/modelserver.h"

#include <QByteArray>

namespace fermata {

// The script of fermata-modelserver, as its main file documents it. What it does not know is a fault, so that a test
// cannot pass by a slip of the pen.
Result<ModelServerScript> parseModelScript(const QByteArray &json);

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "io/processrequest.h"

#include <QString>

namespace fermata {

// The file that the request names, looked for in the path of the child and not in ours.
Result<QString> resolvedProgram(const ProcessRequest &request);

// A sentence about why a file that is there could not be run. `systemText` is what QProcess says.
QString startProblem(const QString &program, const QString &systemText);

} // namespace fermata

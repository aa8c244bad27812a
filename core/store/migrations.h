// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QStringList>

#include <vector>

namespace fermata {

// One step of the schema: from version - 1 to version.
struct Migration
{
    int version = 0;
    QStringList statements;
};

// All steps that are built in, in order, without a gap.
std::vector<Migration> shippedMigrations();

// The statements of a script. Each ends with a semicolon at the end of a line; a line that begins with "--" is a comment.
QStringList statementsOf(const QString &script);

} // namespace fermata

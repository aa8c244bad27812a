// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fermata {

// New files are the owner's alone, and neither a core file nor another process of the user may see the keys in memory
// (release builds: debuggers need what this takes away).
void hardenProcess();

} // namespace fermata

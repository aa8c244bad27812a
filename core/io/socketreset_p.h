// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>

namespace fermata {

// Makes the coming close of the socket a reset: what is not sent yet is dropped. An ordinary close lets the system go on
// sending it, and the other side sees the end only after the last byte. -1 is allowed and does nothing.
void resetOnClose(qintptr socketDescriptor);

} // namespace fermata

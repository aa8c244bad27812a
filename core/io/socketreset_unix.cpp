// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/socketreset_p.h"

#include <sys/socket.h>

namespace fermata {

void resetOnClose(qintptr socketDescriptor)
{
    if (socketDescriptor < 0)
        return;
    const linger hard{1, 0};
    // Without it the close is only a slower one.
    (void)::setsockopt(int(socketDescriptor), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

} // namespace fermata

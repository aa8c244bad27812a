// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/hardening.h"

#include <sys/resource.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace fermata {

void hardenProcess()
{
    ::umask(0077);
#ifdef NDEBUG
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
    ::prctl(PR_SET_DUMPABLE, 0);
#endif
#endif
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Qt as distributions ship it is not built for ThreadSanitizer, which therefore does not see that
// posting an event, or starting and joining a QThread, orders memory. These two tell it, at the few
// places where data crosses that way; outside a ThreadSanitizer build they are nothing.
#if defined(__SANITIZE_THREAD__)
#define FERMATA_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FERMATA_TSAN 1
#endif
#endif

#ifdef FERMATA_TSAN
extern "C" void __tsan_acquire(void *address);
extern "C" void __tsan_release(void *address);
#endif

namespace fermata {

// Everything this thread did so far is visible to who calls acquireFrom() with the same address
// later.
inline void releaseTo([[maybe_unused]] void *address)
{
#ifdef FERMATA_TSAN
    __tsan_release(address);
#endif
}

inline void acquireFrom([[maybe_unused]] void *address)
{
#ifdef FERMATA_TSAN
    __tsan_acquire(address);
#endif
}

} // namespace fermata

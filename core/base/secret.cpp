// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/secret.h"

#include <utility>

namespace fermata {

namespace {

void wipeAndDelete(QByteArray *secret)
{
    // data() of shared or borrowed bytes would copy them, and the copy is not what must go.
    if (secret->isDetached()) {
        volatile char *bytes = secret->data();
        for (qsizetype i = 0; i < secret->size(); ++i)
            bytes[i] = 0;
    }
    delete secret;
}

} // namespace

// The count of a shared pointer knows the last copy for certain, even if two go at once in two
// threads.
Secret::Secret(QByteArray bytes) : m_bytes(new QByteArray(std::move(bytes)), wipeAndDelete) { }

} // namespace fermata

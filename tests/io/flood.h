// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/modelserver.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>
#include <utility>

namespace fermata {

// A flood whose bytes show where they belong: each block of 64 KB is the same, and a body is a run of blocks.
inline QByteArray floodBlock()
{
    QByteArray block(64 * 1024, Qt::Uninitialized);
    for (qsizetype i = 0; i < block.size(); ++i)
        block[i] = char(i % 251);
    return block;
}

inline Reply flood(qint64 blocks)
{
    const QByteArray head = "HTTP/1.1 200 OK\r\nContent-Length: "
        + QByteArray::number(blocks * floodBlock().size()) + "\r\n\r\n";
    return {{SendBytes{head}, SendRepeatedly{floodBlock(), blocks}}};
}

inline bool isFlood(const QByteArray &body)
{
    const QByteArray block = floodBlock();
    for (qsizetype at = 0; at < body.size(); at += block.size()) {
        const qsizetype size = std::min(block.size(), body.size() - at);
        if (QByteArrayView(body).sliced(at, size) != QByteArrayView(block).first(size))
            return false;
    }
    return true;
}

// True once the server could send nothing more for 200 ms.
inline bool isHeldUp(const ModelServer &server)
{
    qint64 sent = -1;
    QElapsedTimer unchanged;
    return QTest::qWaitFor(
        [&] {
            const auto requests = server.requests();
            const qint64 now = requests.empty() ? -1 : requests[0].sent;
            if (std::exchange(sent, now) != now || !unchanged.isValid())
                unchanged.start();
            return now > 0 && unchanged.elapsed() > 200;
        },
        20'000);
}

} // namespace fermata

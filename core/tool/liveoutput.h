// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tool/controlsequencefilter.h"

#include <QByteArray>
#include <QString>
#include <QStringDecoder>

namespace fermata {

// What is shown of an output while it comes: decoded across the borders of its pieces, clean, and bounded both for one
// moment and in all. The result of the tool is made from OutputBuffer and not from this.
class LiveOutput final
{
public:
    void append(QByteArrayView bytes);
    bool hasPending() const { return !m_pending.isEmpty(); }
    // What has come since the last call. After a flood it is the end of it, with a note of what was left out.
    QString take();

private:
    QByteArray m_pending;
    qint64 m_skipped = 0;
    qsizetype m_shown = 0;
    bool m_silent = false; // nothing more is shown
    QStringDecoder m_decoder{QStringDecoder::Utf8};
    ControlSequenceFilter m_filter;
};

} // namespace fermata

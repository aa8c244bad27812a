// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptstyle.h"

#include <QFontMetricsF>
#include <QString>

namespace fermata {

using namespace Qt::StringLiterals;

TranscriptStyle TranscriptStyle::make(const Theme &theme, qreal zoom, qreal pixelRatio)
{
    using metrics::FixedStep;
    using metrics::FontStep;
    using metrics::Pitch;

    TranscriptStyle style;
    style.theme = theme;
    style.zoom = zoom;
    style.pixelRatio = pixelRatio;
    style.reading = metrics::font(FontStep::Reading, zoom);
    style.small = metrics::font(FontStep::Small, zoom);
    style.control = metrics::font(FontStep::Control, zoom);
    style.controlBold = metrics::font(FontStep::ControlBold, zoom);
    style.headings[0] = metrics::font(FontStep::H1, zoom);
    style.headings[1] = metrics::font(FontStep::H2, zoom);
    style.headings[2] = metrics::font(FontStep::H3, zoom);
    style.code = metrics::fixedFont(FixedStep::Code, zoom);
    style.output = metrics::fixedFont(FixedStep::Output, zoom);
    style.readingPitch = metrics::linePitch(style.reading, Pitch::Reading);
    style.controlPitch = metrics::linePitch(style.control, Pitch::Control);
    style.codePitch = metrics::linePitch(style.code, Pitch::Code);
    style.outputPitch = metrics::linePitch(style.output, Pitch::Output);
    const QString sample = u"The quick brown fox jumps over the lazy dog, and stays there."_s;
    style.readingCharacter =
        QFontMetricsF(style.reading).horizontalAdvance(sample) / qreal(sample.size());
    style.codeCharacter = QFontMetricsF(style.code).horizontalAdvance(u'0');
    return style;
}

} // namespace fermata

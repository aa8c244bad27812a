// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArrayView>
#include <QString>

namespace fermata {

// The character of "&amp;", "&#8211;" or "&#x2013;"; the entity itself if it is unknown.
QString htmlEntity(QByteArrayView entity);

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace fermata {

// A server that is known by name: where it is, and whether it wants a key.
struct ProviderPreset
{
    QString name;
    QString address;
    bool needsKey = false;
};

// The last one is for every other server: without address.
const std::vector<ProviderPreset> &providerPresets();
// By the origin of the address; the last one if none fits.
int presetFor(const QString &address);

} // namespace fermata

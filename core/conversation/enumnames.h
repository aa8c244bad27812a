// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <array>
#include <optional>
#include <utility>

namespace fermata {

// The names of an enum's values, as they are stored. They never change once released.
template <typename Enum, size_t Count>
using EnumNames = std::array<std::pair<Enum, QLatin1StringView>, Count>;

template <typename Enum, size_t Count>
QString nameOf(const EnumNames<Enum, Count> &names, Enum value)
{
    for (const auto &[candidate, name] : names) {
        if (candidate == value)
            return name;
    }
    Q_UNREACHABLE();
}

template <typename Enum, size_t Count>
std::optional<Enum> valueOf(const EnumNames<Enum, Count> &names, QStringView name)
{
    for (const auto &[candidate, text] : names) {
        if (name == text)
            return candidate;
    }
    return std::nullopt;
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <exception>
#include <optional>

namespace fermata {

// What `call` threw, if it did: whoever's code it was, nothing thrown passes this.
template <typename Call>
std::optional<QString> faultOf(const Call &call)
{
    try {
        call();
        return std::nullopt;
    } catch (const std::exception &error) {
        return QString::fromUtf8(error.what());
    } catch (...) { // a cancellation is no std::exception
        return QStringLiteral("unknown exception");
    }
}

} // namespace fermata

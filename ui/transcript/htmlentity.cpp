// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/htmlentity.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fermata {

namespace {

using namespace std::string_view_literals;

// Those that people write by hand; sorted.
constexpr std::array Entities = std::to_array<std::pair<std::string_view, char16_t>>({
    {"Alpha"sv, 0x391},   {"Delta"sv, 0x394},  {"Gamma"sv, 0x393},   {"Lambda"sv, 0x39b},
    {"Omega"sv, 0x3a9},   {"Pi"sv, 0x3a0},     {"Sigma"sv, 0x3a3},   {"alpha"sv, 0x3b1},
    {"amp"sv, 0x26},      {"apos"sv, 0x27},    {"beta"sv, 0x3b2},    {"bull"sv, 0x2022},
    {"cent"sv, 0xa2},     {"copy"sv, 0xa9},    {"darr"sv, 0x2193},   {"deg"sv, 0xb0},
    {"delta"sv, 0x3b4},   {"divide"sv, 0xf7},  {"epsilon"sv, 0x3b5}, {"euro"sv, 0x20ac},
    {"frac12"sv, 0xbd},   {"gamma"sv, 0x3b3},  {"ge"sv, 0x2265},     {"gt"sv, 0x3e},
    {"hellip"sv, 0x2026}, {"infin"sv, 0x221e}, {"lambda"sv, 0x3bb},  {"laquo"sv, 0xab},
    {"larr"sv, 0x2190},   {"ldquo"sv, 0x201c}, {"le"sv, 0x2264},     {"lsquo"sv, 0x2018},
    {"lt"sv, 0x3c},       {"mdash"sv, 0x2014}, {"micro"sv, 0xb5},    {"middot"sv, 0xb7},
    {"minus"sv, 0x2212},  {"mu"sv, 0x3bc},     {"nbsp"sv, 0xa0},     {"ndash"sv, 0x2013},
    {"ne"sv, 0x2260},     {"omega"sv, 0x3c9},  {"para"sv, 0xb6},     {"pi"sv, 0x3c0},
    {"plusmn"sv, 0xb1},   {"pound"sv, 0xa3},   {"quot"sv, 0x22},     {"raquo"sv, 0xbb},
    {"rarr"sv, 0x2192},   {"rdquo"sv, 0x201d}, {"reg"sv, 0xae},      {"rsquo"sv, 0x2019},
    {"sect"sv, 0xa7},     {"sigma"sv, 0x3c3},  {"theta"sv, 0x3b8},   {"times"sv, 0xd7},
    {"trade"sv, 0x2122},  {"uarr"sv, 0x2191},  {"yen"sv, 0xa5},
});

} // namespace

QString htmlEntity(QByteArrayView entity)
{
    const QString asItIs = QString::fromUtf8(entity);
    if (entity.size() < 3 || entity.front() != '&' || entity.back() != ';')
        return asItIs;
    const QByteArrayView name = entity.sliced(1, entity.size() - 2);
    if (name.front() == '#') {
        const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
        bool ok = false;
        const uint code = name.sliced(hex ? 2 : 1).toByteArray().toUInt(&ok, hex ? 16 : 10);
        if (!ok)
            return asItIs;
        const bool valid = code != 0 && code <= 0x10ffff && !QChar::isSurrogate(code);
        const char32_t character = valid ? char32_t(code) : U'\xfffd';
        return QString::fromUcs4(&character, 1);
    }
    const std::string_view wanted(name.data(), size_t(name.size()));
    const auto found = std::lower_bound(
        Entities.begin(), Entities.end(), wanted,
        [](const auto &known, std::string_view searched) { return known.first < searched; });
    if (found == Entities.end() || found->first != wanted)
        return asItIs;
    return QString(QChar(found->second));
}

} // namespace fermata

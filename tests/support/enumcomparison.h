// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QTest>

#include <concepts>
#include <type_traits>

// QCOMPARE for the enumerations that have a toString() of their own: Qt takes a function of that name for its own hook,
// which returns a char *.
namespace QTest {

template <typename Enum>
requires std::is_enum_v<Enum> && requires(Enum value)
{
    {
        toString(value)
        } -> std::same_as<QString>;
}
bool qCompare(const Enum &left, const Enum &right, const char *actual, const char *expected,
              const char *file, int line)
{
    const auto text = [](Enum value) { return qstrdup(toString(value).toUtf8().constData()); };
    return compare_helper(
        left == right, "Compared values are not the same", [&] { return text(left); },
        [&] { return text(right); }, actual, expected, file, line);
}

} // namespace QTest

// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cancellationreason.h"

#include <array>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int MaximumReasonLength = 200;

constexpr std::array<std::pair<CancellationCause, QLatin1StringView>, 14> CauseNames{{
    {CancellationCause::User, "user"_L1},
    {CancellationCause::Superseded, "superseded"_L1},
    {CancellationCause::WindowClosed, "windowClosed"_L1},
    {CancellationCause::ApplicationQuit, "applicationQuit"_L1},
    {CancellationCause::ConnectLimit, "connectLimit"_L1},
    {CancellationCause::FirstTokenLimit, "firstTokenLimit"_L1},
    {CancellationCause::SilenceLimit, "silenceLimit"_L1},
    {CancellationCause::TurnLimit, "turnLimit"_L1},
    {CancellationCause::ToolLimit, "toolLimit"_L1},
    {CancellationCause::IterationLimit, "iterationLimit"_L1},
    {CancellationCause::TokenBudget, "tokenBudget"_L1},
    {CancellationCause::CostBudget, "costBudget"_L1},
    {CancellationCause::External, "external"_L1},
    {CancellationCause::Parent, "parent"_L1},
}};

bool isBidiControl(char32_t c)
{
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E)
        || (c >= 0x2066 && c <= 0x2069);
}

} // namespace

QString toString(CancellationCause cause)
{
    for (const auto &[value, name] : CauseNames) {
        if (value == cause)
            return name;
    }
    Q_UNREACHABLE();
}

std::optional<CancellationCause> cancellationCauseFromString(QStringView name)
{
    for (const auto &[value, text] : CauseNames) {
        if (name == text)
            return value;
    }
    return std::nullopt;
}

bool isTimeLimit(CancellationCause cause)
{
    switch (cause) {
    case CancellationCause::ConnectLimit:
    case CancellationCause::FirstTokenLimit:
    case CancellationCause::SilenceLimit:
    case CancellationCause::TurnLimit:
    case CancellationCause::ToolLimit:
        return true;
    default:
        return false;
    }
}

QString sanitizedReasonText(const QString &text)
{
    QString clean;
    int length = 0;
    for (const char32_t c : text.trimmed().toUcs4()) {
        if (length == MaximumReasonLength)
            break;
        const QChar::Category category = QChar::category(c);
        if (QChar::isSpace(c))
            clean += u' '; // also line breaks and tabs, so that words stay apart
        else if (category == QChar::Other_Control || category == QChar::Other_Surrogate
                 || isBidiControl(c) || QChar::isNonCharacter(c))
            continue;
        else
            clean += QChar::fromUcs4(c);
        ++length;
    }
    return clean.trimmed();
}

} // namespace fermata

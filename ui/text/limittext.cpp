// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/limittext.h"

#include <QCoreApplication>

namespace fermata {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::Limits", text);
}

} // namespace

QString limitName(Limit limit)
{
    switch (limit) {
    case Limit::Connect:
        return tr("Connect");
    case Limit::FirstToken:
        return tr("First token");
    case Limit::Silence:
        return tr("Silence");
    case Limit::Turn:
        return tr("Whole turn");
    case Limit::Tool:
        return tr("Tool call");
    }
    return {};
}

QString limitNoun(Limit limit)
{
    switch (limit) {
    case Limit::Connect:
        return tr("Connect limit");
    case Limit::FirstToken:
        return tr("First token limit");
    case Limit::Silence:
        return tr("Silence limit");
    case Limit::Turn:
        return tr("Whole turn limit");
    case Limit::Tool:
        return tr("Tool call limit");
    }
    return {};
}

std::optional<Limit> limitOf(CancellationCause cause)
{
    switch (cause) {
    case CancellationCause::ConnectLimit:
        return Limit::Connect;
    case CancellationCause::FirstTokenLimit:
        return Limit::FirstToken;
    case CancellationCause::SilenceLimit:
        return Limit::Silence;
    case CancellationCause::TurnLimit:
        return Limit::Turn;
    case CancellationCause::ToolLimit:
        return Limit::Tool;
    default:
        return std::nullopt;
    }
}

} // namespace fermata

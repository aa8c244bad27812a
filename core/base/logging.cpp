// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/logging.h"

namespace fermata {

Q_LOGGING_CATEGORY(lcApp, "fermata.app", QtInfoMsg)
Q_LOGGING_CATEGORY(lcCancellation, "fermata.cancellation", QtInfoMsg)
Q_LOGGING_CATEGORY(lcHttp, "fermata.http", QtInfoMsg)
Q_LOGGING_CATEGORY(lcProcess, "fermata.process", QtInfoMsg)
Q_LOGGING_CATEGORY(lcProvider, "fermata.provider", QtInfoMsg)
Q_LOGGING_CATEGORY(lcSettings, "fermata.settings", QtInfoMsg)
Q_LOGGING_CATEGORY(lcStore, "fermata.store", QtInfoMsg)
Q_LOGGING_CATEGORY(lcTool, "fermata.tool", QtInfoMsg)
Q_LOGGING_CATEGORY(lcTurn, "fermata.turn", QtInfoMsg)
Q_LOGGING_CATEGORY(lcUi, "fermata.ui", QtInfoMsg)

} // namespace fermata

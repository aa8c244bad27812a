// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <chrono>

namespace fermata {

// What has been measured, to the tenth: "0.8 s", "12.4 s", from a minute on "4 min 12 s", "1 h 3 min".
QString elapsedText(std::chrono::milliseconds time);
// The same for what is over: not "0.0 s", but "12 ms".
QString spentText(std::chrono::milliseconds time);
// The same in whole seconds: "8 s", for what is not known better.
QString roundedText(std::chrono::milliseconds time);
// The value of a limit, exactly: "15 s", "90 s", "2 min", "60 min", "2 h".
QString limitValueText(std::chrono::milliseconds value);
// What remains, as a clock: "0:48", "8:20", "1:05:03". A second that has begun counts; never below zero.
QString countdownText(std::chrono::milliseconds remaining);
// What has passed, as a clock: "0:11".
QString clockText(std::chrono::milliseconds elapsed);
// "1 token", "348 tokens".
QString tokensText(qint64 tokens);
// "512 bytes", "2 KB", "1.4 MB".
QString bytesText(qint64 bytes);

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/result.h"

#include <QHostAddress>
#include <QString>

#include <functional>
#include <vector>

namespace fermata {

// Who can be reached by an address: anybody out there, or this computer and what is around it, where services trust who
// can reach them.
enum class AddressReach { Public, Private };

// Every address that is not clearly public is private, in whatever spelling: mapped, translated and tunnelled ones are
// judged by the address within.
AddressReach reachOf(const QHostAddress &address);

// True for names and literal addresses that are private without asking anybody: "localhost", "127.1", "[::1]".
bool isPrivateHost(const QString &host);

// All addresses of a host, in the system's order, without duplicates; a literal one is itself. Blocks; the token and the
// deadline end the wait, and a lookup that hangs is left behind.
Result<std::vector<QHostAddress>> lookUpHost(const QString &host, const CancellationToken &token,
                                             Deadline deadline);

// As lookUpHost().
using HostLookUp = std::function<Result<std::vector<QHostAddress>>(
    const QString &host, const CancellationToken &token, Deadline deadline)>;

} // namespace fermata

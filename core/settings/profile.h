// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUrl>

#include <optional>

namespace fermata {

// A server and how to talk to it. The key is not in it: `keyName` says where the SecretStore has it.
struct Profile
{
    QString id;
    QString name; // "Ollama", for people
    QString kind; // "openai" for every server that speaks chat completions, "guide"
    QUrl endpoint; // base address: http://localhost:11434/v1
    QString model;
    QString keyName; // empty: no key
    QString keyOrigin; // scheme://host:port the key was saved for; it goes nowhere else
    QString keyVariable; // or: the name of an environment variable that holds the key
    std::optional<double> requestsPerMinute =
        {}; // of one model, in all conversations; nothing: no limit
    int requestBurst = 1; // so many of them may leave at once

    friend bool operator==(const Profile &, const Profile &) = default;
};

// On loopback: a server on this machine.
bool isLocal(const QUrl &endpoint);
// scheme://host:port, lower case, with the port always there. Empty for an address without scheme or host.
QString originOf(const QUrl &url);
// The profile has a key, and its endpoint is still the one that the key was saved for.
bool mayReceiveKey(const Profile &profile);

// An address as people type it, made complete ("localhost:11434" becomes http://localhost:11434/v1); invalid with a
// sentence in `problem` if it cannot be used.
QUrl endpointFromText(const QString &text, QString *problem);
// Why `endpoint` cannot be used; empty if it can.
QString endpointProblem(const QUrl &endpoint);
// What the user should know before a key or a conversation goes there (no encryption outside this machine, a host name
// with foreign letters); empty if there is nothing to say.
QString endpointWarning(const QUrl &endpoint);

} // namespace fermata

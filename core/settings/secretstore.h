// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/secret.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace fermata {

// A key as it was typed or pasted, without the white space around it. An error if it is empty, too long, or holds what
// cannot stand in a header: control characters, spaces, letters outside ASCII.
Result<Secret> sanitizedKey(const QByteArray &typed);

// Where keys are kept: the system's keyring; else, by the user's choice, a file with mode 0600, or this session's memory.
// Never silently in clear. All calls return at once; `done` is called once, on the GUI thread, within 5 seconds: a
// keyring that does not answer is an error. After destruction nothing is called.
class SecretStore final : public QObject
{
    Q_OBJECT

public:
    enum class Place { Keyring, File, Memory };

    explicit SecretStore(const QString &fallbackFile, QObject *parent = nullptr);
    ~SecretStore() override;

    using Done = std::function<void(Result<void>)>;
    using Found = std::function<void(Result<Secret>)>; // NotFound if there is none

    // Writes, then reads back: some keyrings say yes and keep nothing. The key is then in this place only (an older one
    // in the keyring goes as soon as the keyring answers); if it cannot be written, what was kept before stays.
    void write(const QString &name, const Secret &secret, Place place, Done done);
    void read(const QString &name, Found found);
    // From every place. What is not there counts as removed.
    void remove(const QString &name, Done done);

private:
    class Private;
    std::unique_ptr<Private> d;
};

} // namespace fermata

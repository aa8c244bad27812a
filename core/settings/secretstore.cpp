// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/secretstore.h"

#include "settings/keyring.h"
#include "settings/privatefile.h"

#include <QElapsedTimer>
#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::milliseconds KeyringLimit = std::chrono::seconds(5);
constexpr qsizetype LongestKey = 8 * 1024;
constexpr qint64 MostFileBytes = 1024 * 1024;

std::chrono::milliseconds rest(const QElapsedTimer &since)
{
    return std::max(KeyringLimit - std::chrono::milliseconds(since.elapsed()),
                    std::chrono::milliseconds(1));
}

} // namespace

Result<Secret> sanitizedKey(const QByteArray &typed)
{
    const QByteArray key = typed.trimmed();
    if (key.isEmpty())
        return Error(ErrorCode::InvalidArgument,
                     u"The key is empty. Enter the key that the server's owner gave you."_s);
    if (key.size() > LongestKey) {
        return Error(
            ErrorCode::InvalidArgument,
            u"The key is longer than %1 characters. This is not a key; paste it again."_s.arg(
                LongestKey));
    }
    const bool isClean =
        std::all_of(key.begin(), key.end(), [](char byte) { return byte > 0x20 && byte < 0x7f; });
    if (!isClean) {
        return Error(
            ErrorCode::InvalidArgument,
            u"The key holds a space, a line break or another character that no key has. Paste it again."_s);
    }
    return Secret(key);
}

class SecretStore::Private final
{
public:
    explicit Private(const QString &file) : fallbackFile(file) { }

    void writeToKeyring(const QString &name, const Secret &secret, Done done);
    Result<void> writeToFile(const QString &name, const Secret &secret);
    Result<Secret> readFromFile(const QString &name) const;
    Result<void> removeFromFile(const QString &name);
    // Without an answer: there may be no keyring at all, which is why the user chose another place.
    void forgetInKeyring(const QString &name)
    {
        keyring.remove(name, KeyringLimit, [](const Result<void> &) {});
    }
    // So that `done` is never called before the call it belongs to has returned.
    void later(std::function<void()> call) { QTimer::singleShot(0, &keyring, std::move(call)); }

    QString fallbackFile;
    QHash<QString, Secret> memory;
    Keyring keyring;

private:
    Result<QJsonObject> fileContent() const;
};

Result<QJsonObject> SecretStore::Private::fileContent() const
{
    const Result<QByteArray> content = readPrivateFile(fallbackFile, MostFileBytes);
    if (!content) {
        if (content.error().code == ErrorCode::NotFound)
            return QJsonObject();
        return content.error();
    }
    const QJsonDocument document = QJsonDocument::fromJson(*content);
    if (!document.isObject())
        return Error(
            ErrorCode::Io,
            u"The key file %1 is damaged. Move it away to begin a new one."_s.arg(fallbackFile));
    return document.object();
}

Result<void> SecretStore::Private::writeToFile(const QString &name, const Secret &secret)
{
    Result<QJsonObject> keys = fileContent();
    if (!keys)
        return keys.error();
    keys->insert(name, QString::fromLatin1(secret.reveal()));
    return writePrivateFile(fallbackFile, QJsonDocument(*keys).toJson());
}

Result<Secret> SecretStore::Private::readFromFile(const QString &name) const
{
    const Result<QJsonObject> keys = fileContent();
    if (!keys)
        return keys.error();
    const QByteArray key = (*keys)[name].toString().toLatin1();
    if (key.isEmpty())
        return Error(ErrorCode::NotFound, u"There is no such key."_s);
    return sanitizedKey(key); // anyone may have edited the file
}

Result<void> SecretStore::Private::removeFromFile(const QString &name)
{
    Result<QJsonObject> keys = fileContent();
    if (!keys)
        return keys.error();
    if (!keys->contains(name))
        return {};
    keys->remove(name);
    return writePrivateFile(fallbackFile, QJsonDocument(*keys).toJson());
}

void SecretStore::Private::writeToKeyring(const QString &name, const Secret &secret, Done done)
{
    QElapsedTimer since;
    since.start();
    keyring.write(
        name, secret, KeyringLimit, [this, name, secret, since, done](const Result<void> &written) {
            if (!written) {
                done(written);
                return;
            }
            keyring.read(name, rest(since), [this, name, secret, done](const Result<Secret> &kept) {
                if (!kept || *kept != secret) {
                    done(Error(ErrorCode::Storage,
                               u"The keyring did not keep the key. Unlock it and try again, or "
                               u"choose another place for the key."_s));
                    return;
                }
                memory.remove(name);
                done(removeFromFile(name));
            });
        });
}

SecretStore::SecretStore(const QString &fallbackFile, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>(fallbackFile))
{
}

SecretStore::~SecretStore() = default;

void SecretStore::write(const QString &name, const Secret &secret, Place place, Done done)
{
    const Result<Secret> key = sanitizedKey(secret.reveal());
    if (!key) {
        d->later([done, error = key.error()] { done(error); });
        return;
    }
    if (place == Place::Keyring) {
        d->writeToKeyring(name, *key, std::move(done));
        return;
    }
    d->later([this, name, key = *key, place, done] {
        if (place == Place::Memory) {
            d->memory.insert(name, key);
            d->forgetInKeyring(name);
            done(d->removeFromFile(name));
            return;
        }
        const Result<void> written = d->writeToFile(name, key);
        if (written) {
            d->memory.remove(name);
            d->forgetInKeyring(name);
        }
        done(written);
    });
}

void SecretStore::read(const QString &name, Found found)
{
    if (const auto kept = d->memory.constFind(name); kept != d->memory.constEnd()) {
        d->later([found, secret = *kept] { found(secret); });
        return;
    }
    const Result<Secret> inFile = d->readFromFile(name);
    if (inFile || inFile.error().code != ErrorCode::NotFound) {
        d->later([found, inFile] { found(inFile); });
        return;
    }
    d->keyring.read(name, KeyringLimit, std::move(found));
}

void SecretStore::remove(const QString &name, Done done)
{
    const bool wasElsewhere = d->memory.remove(name) || d->readFromFile(name).ok();
    const Result<void> fromFile = d->removeFromFile(name);
    d->keyring.remove(name, KeyringLimit,
                      [fromFile, wasElsewhere, done](const Result<void> &fromKeyring) {
                          // A key that was elsewhere is not in the keyring, which may well not work: that is why it was elsewhere.
                          const bool isGone = fromKeyring || wasElsewhere
                              || fromKeyring.error().code == ErrorCode::NotFound;
                          if (!fromFile || isGone)
                              done(fromFile);
                          else
                              done(fromKeyring);
                      });
}

} // namespace fermata

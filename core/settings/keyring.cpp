// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/keyring.h"

#include <QTimer>

#include <qt6keychain/keychain.h>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString service()
{
    return u"Fermata"_s;
}

Error errorOf(const QKeychain::Job &job)
{
    switch (job.error()) {
    case QKeychain::EntryNotFound:
        return {ErrorCode::NotFound, u"The keyring has no such key."_s};
    case QKeychain::AccessDeniedByUser:
    case QKeychain::AccessDenied:
        return {ErrorCode::Denied,
                u"The keyring refused access. Unlock it, or choose another place for the key."_s,
                job.errorString()};
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented:
        return {ErrorCode::Unsupported,
                u"This session has no keyring. Choose another place for the key."_s,
                job.errorString()};
    default:
        return {ErrorCode::Io,
                u"The keyring could not be used. Unlock it, or choose another place for the key."_s,
                job.errorString()};
    }
}

Error noAnswer()
{
    return {ErrorCode::TimedOut,
            u"The keyring did not answer in time. Unlock it and try again, or choose another "
            u"place for the key."_s};
}

} // namespace

Keyring::Keyring(QObject *parent) : QObject(parent) { }

void Keyring::start(QKeychain::Job *job, const QString &name, std::chrono::milliseconds limit,
                    Ended ended)
{
    // The job has no parent and deletes itself: its callbacks keep a raw pointer to it until the keyring has answered.
    job->setKey(name);
    auto *watchdog = new QTimer(this);
    watchdog->setSingleShot(true);
    connect(job, &QKeychain::Job::finished, watchdog, [watchdog, ended](QKeychain::Job *finished) {
        watchdog->stop();
        watchdog->deleteLater();
        if (finished->error() == QKeychain::NoError)
            ended({});
        else
            ended(errorOf(*finished));
    });
    connect(watchdog, &QTimer::timeout, this, [watchdog, job, ended] {
        job->disconnect(watchdog);
        watchdog->deleteLater();
        ended(noAnswer());
    });
    watchdog->start(limit);
    // Not from here, because a job without a keyring ends inside its start(); and in any case, so that it deletes itself.
    QTimer::singleShot(0, job, [job] { job->start(); });
}

void Keyring::write(const QString &name, const Secret &secret, std::chrono::milliseconds limit,
                    std::function<void(Result<void>)> done)
{
    auto *job = new QKeychain::WritePasswordJob(service());
    job->setTextData(QString::fromLatin1(secret.reveal()));
    start(job, name, limit, std::move(done));
}

void Keyring::read(const QString &name, std::chrono::milliseconds limit,
                   std::function<void(Result<Secret>)> found)
{
    auto *job = new QKeychain::ReadPasswordJob(service());
    start(job, name, limit, [job, found = std::move(found)](const Result<void> &result) {
        if (result)
            found(Secret(job->binaryData()));
        else
            found(result.error());
    });
}

void Keyring::remove(const QString &name, std::chrono::milliseconds limit,
                     std::function<void(Result<void>)> done)
{
    start(new QKeychain::DeletePasswordJob(service()), name, limit, std::move(done));
}

} // namespace fermata

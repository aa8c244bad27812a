// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings/settingsfile.h"

#include "base/logging.h"
#include "settings/privatefile.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 MostBytes = 8 * 1024 * 1024;

QByteArray bytesOf(const Settings &settings)
{
    return QJsonDocument(toJson(settings)).toJson(QJsonDocument::Indented);
}

} // namespace

SettingsFile::SettingsFile(const QString &path, QObject *parent) : QObject(parent), m_path(path)
{
    load();
}

QStringList SettingsFile::takeNotices()
{
    return std::exchange(m_notices, {});
}

void SettingsFile::load()
{
    removeUnfinishedWrites(m_path);
    const Result<QByteArray> content = readPrivateFile(m_path, MostBytes);
    if (!content) {
        if (content.error().code != ErrorCode::NotFound)
            setAside(u".bad"_s, content.error().message);
        return;
    }
    QJsonParseError parseError;
    const QJsonDocument document = QJsonDocument::fromJson(*content, &parseError);
    if (parseError.error != QJsonParseError::NoError || !document.isObject()) {
        setAside(u".bad"_s, u"The settings file was damaged."_s);
        return;
    }
    m_settings = settingsFromJson(document.object(), &m_notices);
    m_onDisk = *content;
}

void SettingsFile::setAside(const QString &suffix, const QString &why)
{
    QString aside = m_path + suffix;
    for (int number = 2; QFileInfo(aside).exists() || QFileInfo(aside).isSymLink(); ++number)
        aside = m_path + suffix + u'-' + QString::number(number);
    // QDir's rename, because QFile's copies what it cannot rename and would read a pipe.
    if (QDir().rename(m_path, aside)) {
        m_notices.append(u"%1 It was kept as %2."_s.arg(why, aside));
    } else {
        m_notices.append(
            u"%1 It could not be moved aside; saving the settings will replace it."_s.arg(why));
    }
    qCWarning(lcSettings) << "Settings file set aside:" << why;
}

void SettingsFile::keepChangesOfOthers()
{
    const Result<QByteArray> found = readPrivateFile(m_path, MostBytes);
    if (found && !m_onDisk.isNull() && *found != m_onDisk) {
        setAside(u".other"_s,
                 u"The settings file was changed by another program while Fermata was running."_s);
    }
}

Result<void> SettingsFile::save(const Settings &settings)
{
    Settings next = clamped(settings, &m_notices);
    const QByteArray bytes = bytesOf(next);
    Result<void> written;
    if (bytes != m_onDisk) {
        keepChangesOfOthers();
        written = writePrivateFile(m_path, bytes);
        if (written)
            m_onDisk = bytes;
        else
            qCWarning(lcSettings) << "Settings were not saved:" << written.error().message;
    }
    if (next != m_settings) {
        m_settings = std::move(next);
        emit changed(m_settings);
    }
    return written;
}

} // namespace fermata

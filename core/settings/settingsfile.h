// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "settings/settings.h"

#include <QObject>
#include <QString>

namespace fermata {

// The settings on disk: one JSON file, replaced as a whole (temporary file, fsync, rename; mode 0600). A file that
// cannot be read is kept aside as ".bad" and the defaults are used, with everything that protects set to strict.
// GUI thread; the file is small, and writing it is the only file access of that thread.
class SettingsFile final : public QObject
{
    Q_OBJECT

public:
    explicit SettingsFile(const QString &path, QObject *parent = nullptr);

    const Settings &settings() const { return m_settings; }
    // What the user should be told once: values that were corrected, a file that was set aside.
    QStringList takeNotices();

    // Clamps, writes and announces. On a failed write the new values are used and the error is returned. Without a
    // change nothing is written. A file that another program has changed meanwhile is kept aside as ".other".
    Result<void> save(const Settings &settings);

signals:
    void changed(const fermata::Settings &settings);

private:
    void load();
    void setAside(const QString &suffix, const QString &why);
    void keepChangesOfOthers();

    QString m_path;
    Settings m_settings;
    QByteArray m_onDisk; // what the file holds as far as is known; null if it is not to be trusted
    QStringList m_notices;
};

} // namespace fermata

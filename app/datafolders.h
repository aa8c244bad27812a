// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QString>

namespace fermata {

// Where everything is kept: in the usual folders of the system, or all of it in one folder. Readable by its owner only.
struct DataFolders
{
    QString config;
    QString data;

    // An empty directory means the usual folders.
    static DataFolders forDirectory(const QString &directory);
    Result<void> make() const;

    QString settingsFile() const;
    QString keyFile() const; // used only for keys the user wants in a file
    QString database() const;
    QString workspaces() const;
};

} // namespace fermata

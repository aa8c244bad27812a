// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace fermata {

// The details of a failure, as plain text to read and to copy, in a window that holds nobody up.
class DetailsWindow final : public QDialog
{
    Q_OBJECT

public:
    DetailsWindow(const QString &details, QWidget *parent);
};

} // namespace fermata

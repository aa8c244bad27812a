// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/secret.h"

#include <QLineEdit>

namespace fermata {

// A field for a key. What is typed can be pasted in and taken out by takeSecret(), and by nothing else: no copy, no
// undo, no drag; assistive technology hears of its length only.
class KeyField final : public QLineEdit
{
    Q_OBJECT

public:
    explicit KeyField(QWidget *parent = nullptr);

    Secret secret() const;
    // Empties the field.
    Secret takeSecret();

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
};

} // namespace fermata

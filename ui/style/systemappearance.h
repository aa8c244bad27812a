// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDBusVariant>
#include <QMap>
#include <QObject>
#include <QPalette>
#include <QVariantMap>

#include <optional>

namespace fermata {

// What the desktop asks of programs, as far as it says so.
struct DesktopWishes
{
    std::optional<bool> dark; // nothing: it says nothing of it
    bool highContrast = false;
    bool reducedMotion = false;

    friend bool operator==(const DesktopWishes &, const DesktopWishes &) = default;
};

// One setting of the settings portal, taken into `wishes`; others change nothing.
void takeSetting(DesktopWishes &wishes, const QString &space, const QString &key,
                 const QVariant &value);

// Follows the settings portal over D-Bus. Asks once at the start and returns at once; without a bus or a portal the
// palette the program was started with decides, and nothing changes.
class SystemAppearance final : public QObject
{
    Q_OBJECT

public:
    explicit SystemAppearance(const QPalette &startPalette, QObject *parent = nullptr);

    void follow();

    bool isDark() const;
    bool isHighContrast() const { return m_wishes.highContrast; }
    bool prefersReducedMotion() const { return m_wishes.reducedMotion; }
    const QPalette &startPalette() const { return m_startPalette; }

signals:
    void changed();

private slots:
    void takeChange(const QString &space, const QString &key, const QDBusVariant &value);

private:
    void takeAll(const QMap<QString, QVariantMap> &spaces);

    QPalette m_startPalette;
    DesktopWishes m_wishes;
};

} // namespace fermata

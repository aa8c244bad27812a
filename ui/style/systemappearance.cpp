// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/style/systemappearance.h"

#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

using Spaces = QMap<QString, QVariantMap>;

const QString Service = u"org.freedesktop.portal.Desktop"_s;
const QString Path = u"/org/freedesktop/portal/desktop"_s;
const QString Interface = u"org.freedesktop.portal.Settings"_s;
const QString AppearanceSpace = u"org.freedesktop.appearance"_s;
const QString GnomeSpace = u"org.gnome.desktop.interface"_s;

} // namespace

void takeSetting(DesktopWishes &wishes, const QString &space, const QString &key,
                 const QVariant &value)
{
    if (space == AppearanceSpace) {
        const uint number = value.toUInt();
        // GNOME's "light" is 0, "no preference"; so is a desktop that only ever was light.
        if (key == "color-scheme"_L1)
            wishes.dark = number == 1;
        else if (key == "contrast"_L1)
            wishes.highContrast = number == 1;
        else if (key == "reduced-motion"_L1)
            wishes.reducedMotion = number == 1;
    } else if (space == GnomeSpace && key == "enable-animations"_L1) {
        wishes.reducedMotion = !value.toBool();
    }
}

SystemAppearance::SystemAppearance(const QPalette &startPalette, QObject *parent)
    : QObject(parent), m_startPalette(startPalette)
{
}

void SystemAppearance::follow()
{
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    qDBusRegisterMetaType<Spaces>();
    // QtDBus knows no other form of this connection than the one by name.
    bus.connect(Service, Path, Interface, u"SettingChanged"_s, this,
                SLOT(takeChange(QString, QString, QDBusVariant)));

    QDBusMessage call = QDBusMessage::createMethodCall(Service, Path, Interface, u"ReadAll"_s);
    call << QStringList{AppearanceSpace, GnomeSpace};
    auto *watcher = new QDBusPendingCallWatcher(bus.asyncCall(call, 2000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        watcher->deleteLater();
        const QDBusPendingReply<Spaces> reply = *watcher;
        if (reply.isValid())
            takeAll(reply.value());
    });
}

bool SystemAppearance::isDark() const
{
    return m_wishes.dark.value_or(m_startPalette.color(QPalette::Window).lightness() < 128);
}

void SystemAppearance::takeChange(const QString &space, const QString &key,
                                  const QDBusVariant &value)
{
    const DesktopWishes before = m_wishes;
    takeSetting(m_wishes, space, key, value.variant());
    if (!(m_wishes == before))
        emit changed();
}

void SystemAppearance::takeAll(const Spaces &spaces)
{
    const DesktopWishes before = m_wishes;
    for (auto space = spaces.begin(); space != spaces.end(); ++space) {
        for (auto setting = space->begin(); setting != space->end(); ++setting)
            takeSetting(m_wishes, space.key(), setting.key(), setting.value());
    }
    if (!(m_wishes == before))
        emit changed();
}

} // namespace fermata

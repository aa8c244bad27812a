// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/modeltext.h"

#include <QCoreApplication>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::Model", text);
}

bool isGuide(const Profile *profile)
{
    return !profile || profile->kind == "guide"_L1;
}

} // namespace

QString answererText(const Profile *profile)
{
    if (isGuide(profile))
        return tr("Guide (not an AI)");
    const QString name = profile->name.isEmpty() ? profile->endpoint.host() : profile->name;
    if (profile->model.isEmpty())
        return tr("%1, no model chosen").arg(name);
    return tr("%1 on %2").arg(profile->model, name);
}

QString messagePlaceholder(const Profile *profile)
{
    if (isGuide(profile))
        return tr("Ask the Guide");
    return profile->model.isEmpty() ? tr("Message %1").arg(profile->name)
                                    : tr("Message %1").arg(profile->model);
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "store/migrations.h"

#include <QFile>

// Resources of a static library are linked only if something names them; this must stand outside of any namespace.
static void initMigrationResources()
{
    Q_INIT_RESOURCE(migrations);
}

namespace fermata {

using namespace Qt::StringLiterals;

std::vector<Migration> shippedMigrations()
{
    initMigrationResources();
    std::vector<Migration> migrations;
    for (int version = 1;; ++version) {
        QFile file(u":/fermata/migrations/%1.sql"_s.arg(version, 3, 10, QLatin1Char('0')));
        if (!file.open(QIODevice::ReadOnly))
            return migrations;
        migrations.push_back({version, statementsOf(QString::fromUtf8(file.readAll()))});
    }
}

QStringList statementsOf(const QString &script)
{
    QStringList statements;
    QString statement;
    for (const QString &line : script.split(u'\n')) {
        if (line.trimmed().startsWith("--"_L1))
            continue;
        statement += line + u'\n';
        if (line.trimmed().endsWith(u';')) {
            statements += statement.trimmed();
            statement.clear();
        }
    }
    return statements;
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/application.h"
#include "app/commandline.h"
#include "app/hardening.h"

#include <QApplication>
#include <QIcon>

#include <cstdio>

using namespace Qt::StringLiterals;

int main(int argc, char *argv[])
{
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    // Before the application object, so that --help needs no display.
    const auto parsed = fermata::parseCommandLine(arguments, QStringLiteral(FERMATA_VERSION));
    if (parsed.answer) {
        std::fputs(parsed.answer->text.toLocal8Bit().constData(),
                   parsed.answer->exitCode == 0 ? stdout : stderr);
        return parsed.answer->exitCode;
    }
    fermata::hardenProcess();

    char *noArguments[] = {argv[0], nullptr}; // Qt's own options are not ours
    int noArgumentCount = 1;
    QApplication qtApplication(noArgumentCount, noArguments);
    QApplication::setApplicationName(u"fermata"_s);
    QApplication::setApplicationDisplayName(u"Fermata"_s);
    QApplication::setApplicationVersion(QStringLiteral(FERMATA_VERSION));
    QApplication::setDesktopFileName(u"org.fermata.Fermata"_s);
    QApplication::setWindowIcon(QIcon(u":/fermata.svg"_s));
    QApplication::setQuitOnLastWindowClosed(false);

    fermata::Application application(*parsed.start);
    return application.start() ? QApplication::exec() : 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/application.h"
#include "app/commandline.h"
#include "app/hardening.h"
#include "base/logging.h"

#include <QApplication>
#include <QIcon>
#include <QMessageBox>

#include <cstdio>

using namespace Qt::StringLiterals;

namespace {

void showStartProblem(const QString &message)
{
    qCCritical(fermata::lcApp).noquote() << message;
    auto *box = new QMessageBox(QMessageBox::Critical, u"Fermata"_s,
                                u"Fermata cannot keep its data, so it did not start."_s,
                                QMessageBox::Close);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(message);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(box, &QMessageBox::finished, qApp, [] { QCoreApplication::exit(1); });
    box->show();
}

} // namespace

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
    const auto started = application.start();
    if (!started) {
        showStartProblem(started.error().message);
        return QApplication::exec();
    }
    return *started == fermata::Application::Start::Runs ? QApplication::exec() : 0;
}

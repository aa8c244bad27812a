// SPDX-License-Identifier: GPL-3.0-or-later
// Writes pictures of the sample conversations: transcript_pictures FOLDER. With QT_SCALE_FACTOR=2 at 200 %.
#include "samples.h"
#include "ui/style/fermatastyle.h"
#include "ui/transcript/transcriptview.h"

#include <QApplication>
#include <QDir>
#include <QPushButton>

using namespace fermata;
using namespace Qt::StringLiterals;

int main(int argc, char *argv[])
{
    QApplication app(argc, argv);
    const QDir folder(argc > 1 ? QString::fromLocal8Bit(argv[1]) : QDir::currentPath());
    auto *style = new FermataStyle(lightTheme());
    QApplication::setStyle(style);
    QApplication::setFont(QFont(u"Noto Sans"_s, 10));

    const Conversation running = samples::backupRunning();
    const Conversation stopped = samples::backupStopped();
    const Conversation asking = samples::askingForApproval();
    const Conversation states = samples::allStates();
    const Conversation writing = samples::running(u"The lock is from Thursday, and no process"_s);

    for (const bool dark : {false, true}) {
        style->setTheme(dark ? darkTheme() : lightTheme());
        const auto take = [&](const QString &name, const Conversation &conversation, int height,
                              const std::optional<ApprovalRequest> &approval = {}) {
            TranscriptView view;
            view.resize(1016, height);
            view.setConversation(&conversation);
            view.setApproval(approval);
            view.show();
            view.refreshNow();
            QApplication::sendPostedEvents();
            view.refreshNow();
            view.grab().save(folder.filePath(name + (dark ? u"-dark.png"_s : u"-light.png"_s)));
        };
        take(u"running"_s, running, 680);
        take(u"stopped"_s, stopped, 700);
        take(u"asking"_s, asking, 680, samples::approvalRequest());
        take(u"states"_s, states, 1800);
        take(u"writing"_s, writing, 160);
    }
    return 0;
}

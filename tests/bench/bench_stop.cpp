// SPDX-License-Identifier: GPL-3.0-or-later
// The time from a click on Stop to the closed connection at the server, to the end of the turn, and to the painted window,
// at every stage of a turn: the whole application in its window against a model server in another process.
// One JSON object per stage and figure, in milliseconds. FERMATA_STOPS sets how many stops (200).
#include "app/application.h"
#include "figures.h"
#include "session/conversationsession.h"
#include "support/loopback.h"
#include "ui/composer/composer.h"
#include "ui/transcript/transcriptview.h"
#include "ui/window/conversationpane.h"
#include "ui/window/mainwindow.h"
#include "windowbench.h"

#include <QApplication>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>
#include <functional>
#include <optional>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

class PaintWatcher final : public QObject
{
public:
    std::optional<Instant> paintedAt;
    bool armed = false;

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Paint && armed) {
            armed = false;
            // When the painting is done.
            QTimer::singleShot(0, this, [this] { paintedAt = steadyClock().now(); });
        }
        return QObject::eventFilter(watched, event);
    }
};

struct Stage
{
    QString name;
    QString script; // of the server; empty: nobody accepts
    std::function<bool(const ConversationSession &)> reached;
    bool serverIsConnected = false; // while it is stopped
};

void measure(const Stage &stage, int stops)
{
    const QTemporaryDir folder;
    std::optional<ServerProcess> server;
    std::optional<Listener> listener;
    if (stage.script.isEmpty())
        listener.emplace(Listener::Backlog::Full);
    else
        server.emplace(stage.script);

    CommandLine line;
    line.dataDirectory = folder.path();
    line.endpoint =
        QUrl(u"http://127.0.0.1:%1/v1"_s.arg(server ? server->port() : listener->port()));
    line.model = u"test-model"_s;
    Application application(line);
    if (!application.start())
        qFatal("the application did not start");
    ConversationPane *pane = application.window()->pane();
    PaintWatcher painted;
    pane->transcript()->viewport()->installEventFilter(&painted);
    QPushButton *stop = nullptr;
    for (QPushButton *button : pane->composer()->findChildren<QPushButton *>()) {
        if (button->accessibleName() == u"Stop")
            stop = button;
    }

    std::vector<double> toServer;
    std::vector<double> toEnd;
    std::vector<double> toPaint;
    for (int i = 0; i < stops; ++i) {
        const int requestsBefore = server ? server->requests : 0;
        application.window()->sendInNewConversation(u"Go"_s);
        waitFor([&] { return pane->session() && pane->session()->isRunning(); }, "the turn");
        ConversationSession *session = pane->session();
        waitFor([&] { return stage.reached(*session); }, qPrintable(stage.name));

        // A request that is taken back before the server has read it is not told by the server.
        if (stage.serverIsConnected)
            waitFor([&] { return server->requests > requestsBefore; }, "the request");

        std::optional<Instant> ended;
        const auto connection =
            QObject::connect(session, &ConversationSession::turnFinished, session, [&] {
                ended = steadyClock().now();
                painted.paintedAt.reset();
                painted.armed = true;
            });
        const size_t disconnectsBefore = server ? server->disconnects.size() : 0;
        const Instant click = steadyClock().now();
        stop->click();
        waitFor([&] { return ended && painted.paintedAt; }, "the end");
        QObject::disconnect(connection);
        toEnd.push_back(milliseconds(*ended - click));
        toPaint.push_back(milliseconds(*painted.paintedAt - click));
        if (stage.serverIsConnected) {
            waitFor([&] { return server->disconnects.size() > disconnectsBefore; }, "the close");
            toServer.push_back(milliseconds(server->disconnects[disconnectsBefore] - click));
        }
    }
    const auto print = [&](const QString &figure, const std::vector<double> &values) {
        printFigure({{u"bench"_s, u"stop"_s},
                     {u"stage"_s, stage.name},
                     {u"figure"_s, figure},
                     {u"unit"_s, u"ms"_s}},
                    values);
    };
    print(u"click to closed connection at the server"_s, toServer);
    print(u"click to end of the turn"_s, toEnd);
    print(u"click to painted window"_s, toPaint);
    application.window()->quit(CancellationCause::ApplicationQuit);
    waitFor([&] { return !application.window()->isVisible(); }, "the closed window");
}

bool isWriting(const ConversationSession &session)
{
    return session.stage() == TurnStage::Writing;
}

bool isIn(const ConversationSession &session, TurnStage stage)
{
    return session.stage() == stage;
}

} // namespace

// behaviours: 297, 299
int main(int argc, char *argv[])
{
    QApplication qtApplication(argc, argv);
    QApplication::setQuitOnLastWindowClosed(false);
    const int stops = std::max(1,
                               qEnvironmentVariableIntValue("FERMATA_STOPS") > 0
                                   ? qEnvironmentVariableIntValue("FERMATA_STOPS")
                                   : 200);
    const QString call = uR"({"replies":[{"toolCall":{"name":"%1","arguments":{%2}}}]})"_s;
    const std::vector<Stage> stages{
        {u"connecting"_s,
         {},
         [](const auto &session) { return isIn(session, TurnStage::Connecting); },
         false},
        {u"silent before the first token"_s, uR"({"replies":[{"silent":true}]})"_s,
         [](const auto &session) { return isIn(session, TurnStage::WaitingForFirstToken); }, true},
        {u"thinking"_s, uR"({"replies":[{"reasoning":["hm "],"then":"stall"}]})"_s,
         [](const auto &session) { return isIn(session, TurnStage::Thinking); }, true},
        {u"streaming"_s, uR"({"replies":[{"tokens":["word "],"repeat":100000,"delayMs":2}]})"_s,
         isWriting, true},
        {u"silent in mid-stream"_s, uR"({"replies":[{"tokens":["word "],"then":"stall"}]})"_s,
         isWriting, true},
        {u"retry wait"_s,
         uR"({"replies":[{"status":503,"headers":{"Retry-After":"50"},"body":"busy"}]})"_s,
         [](const auto &session) { return isIn(session, TurnStage::RetryWait); }, false},
        {u"approval"_s, call.arg(u"run_command"_s, u"\"command\":\"true\""_s),
         [](const auto &session) { return session.openApproval().has_value(); }, false},
    };
    for (const Stage &stage : stages)
        measure(stage, stops);

    // The tool's stage answers its own question first.
    Stage running{u"running tool"_s, call.arg(u"run_command"_s, u"\"command\":\"sleep 600\""_s),
                  [](const auto &constSession) {
                      auto &session = const_cast<ConversationSession &>(constSession);
                      if (const auto asked = session.openApproval())
                          session.answerApproval(asked->call, ApprovalDecision::AllowOnce);
                      return isIn(session, TurnStage::RunningTool);
                  },
                  false};
    measure(running, stops);
    return 0;
}

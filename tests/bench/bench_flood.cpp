// SPDX-License-Identifier: GPL-3.0-or-later
// A command that floods its output, in the real window: how much the memory grows while it runs, how long the window's
// thread does not look at its events, and whether the card shows head and tail. One JSON object for each kind of flood.
// FERMATA_FLOOD sets how many bytes (1,000,000,000).
#include "app/application.h"
#include "figures.h"
#include "session/conversationsession.h"
#include "support/processes.h"
#include "ui/window/conversationpane.h"
#include "ui/window/mainwindow.h"
#include "windowbench.h"

#include <QApplication>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTimer>

#include <optional>

using namespace fermata;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

struct Flood
{
    const char *name;
    QString command; // %1: bytes
    QString head; // of what the card shows
    QString tail;
};

// Every 2 ms a look at the memory; between two looks the thread was busy.
class Watch final
{
public:
    Watch()
    {
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { look(); });
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.start(2);
    }
    void begin()
    {
        m_before = residentKilobytes();
        m_most = m_before;
        m_last = steadyClock().now();
        gaps.clear();
    }
    double grownMegabytes() const { return double(m_most - m_before) / 1024.0; }

    std::vector<double> gaps; // milliseconds

private:
    void look()
    {
        const Instant now = steadyClock().now();
        gaps.push_back(milliseconds(now - m_last));
        m_last = now;
        if (gaps.size() % 10 == 0)
            m_most = std::max(m_most, residentKilobytes());
    }

    QTimer m_timer;
    qint64 m_before = 0;
    qint64 m_most = 0;
    Instant m_last{};
};

// One turn with that command, allowed at once. The output of its card.
QString runTurn(ConversationPane &pane, MainWindow &window)
{
    window.sendInNewConversation(u"Go"_s);
    waitFor([&] { return pane.session() && pane.session()->isRunning(); }, "the turn");
    ConversationSession *session = pane.session();
    waitFor([&] { return session->openApproval().has_value(); }, "the question");
    session->answerApproval(session->openApproval()->call, ApprovalDecision::AllowOnce);
    while (session->isRunning())
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    for (const AssistantMessage &message : session->conversation().turns.back().answer) {
        for (const ContentBlock &block : message.blocks) {
            if (const auto *call = std::get_if<ToolCallBlock>(&block))
                return call->slot.output;
        }
    }
    return {};
}

void measure(const Flood &flood, qint64 bytes)
{
    const auto script = [](const QString &command) {
        const QJsonObject call{{u"name"_s, u"run_command"_s},
                               {u"arguments"_s, QJsonObject{{u"command"_s, command}}}};
        return QJsonArray{QJsonObject{{u"toolCall"_s, call}},
                          QJsonObject{{u"tokens"_s, QJsonArray{u"Done."_s}}}};
    };
    // The first turn makes what every turn needs once.
    QJsonArray replies = script(u"yes warm | head -c 1000000"_s);
    for (const QJsonValue &reply : script(flood.command.arg(bytes)))
        replies.append(reply);
    ServerProcess server(QString::fromUtf8(
        QJsonDocument(QJsonObject{{u"replies"_s, replies}}).toJson(QJsonDocument::Compact)));

    const QTemporaryDir folder;
    CommandLine line;
    line.dataDirectory = folder.path();
    line.endpoint = QUrl(u"http://127.0.0.1:%1/v1"_s.arg(server.port()));
    line.model = u"test-model"_s;
    Application application(line);
    if (!application.start())
        qFatal("the application did not start");
    ConversationPane *pane = application.window()->pane();
    runTurn(*pane, *application.window());

    Watch watch;
    watch.begin();
    const Instant begin = steadyClock().now();
    const QString output = runTurn(*pane, *application.window());
    const double seconds = milliseconds(steadyClock().now() - begin) / 1000.0;
    printFigure({{u"bench"_s, u"flood"_s},
                 {u"flood"_s, QString::fromLatin1(flood.name)},
                 {u"bytes"_s, bytes},
                 {u"seconds"_s, seconds},
                 {u"grown_MB"_s, watch.grownMegabytes()},
                 {u"shows_head_and_tail"_s,
                  output.startsWith(flood.head) && output.trimmed().endsWith(flood.tail)
                      && output.size() < 80 * 1024},
                 {u"figure"_s, u"pause of the window's thread"_s},
                 {u"unit"_s, u"ms"_s}},
                watch.gaps);
    application.window()->quit(CancellationCause::ApplicationQuit);
    waitFor([&] { return !application.window()->isVisible(); }, "the closed window");
}

} // namespace

int main(int argc, char *argv[])
{
    QApplication qtApplication(argc, argv);
    QApplication::setQuitOnLastWindowClosed(false);
    const qint64 wanted = qEnvironmentVariable("FERMATA_FLOOD").toLongLong();
    const qint64 bytes = wanted > 0 ? wanted : 1'000'000'000;
    const Flood floods[] = {
        {"lines", u"echo first; yes 'a line of the flood' | head -c %1; echo; echo last"_s,
         u"first\n"_s, u"last"_s},
        {"one line", u"echo first; head -c %1 /dev/zero | tr '\\0' x; echo; echo last"_s,
         u"first\n"_s, u"last"_s},
        {"empty lines", u"echo first; yes '' | head -c %1; echo last"_s, u"first\n"_s, u"last"_s},
        {"colours",
         u"echo first; yes $(printf '\\033[31mred\\033[0m') | head -c %1; echo; echo last"_s,
         u"first\n"_s, u"last"_s},
        {"not text", u"head -c %1 /dev/zero"_s, u"["_s, u"]"_s},
    };
    for (const Flood &flood : floods)
        measure(flood, bytes);
    return 0;
}

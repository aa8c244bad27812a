// SPDX-License-Identifier: GPL-3.0-or-later
// How much streamed text a kill -9 costs: the real program is killed at a random moment of an answer, and what the database
// holds is compared with what the server has sent. In milliseconds of the stream. FERMATA_KILLS sets how many (100).
#include "../app/program.h"
#include "figures.h"
#include "support/modelserver.h"

#include <QDir>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QThread>

#include <csignal>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

constexpr int TokenCount = 5000;
constexpr int TokenLength = 6;
constexpr std::chrono::milliseconds Pace{5};

qint64 bytesBefore(const Reply &reply, int token)
{
    qint64 bytes = 0;
    int sent = 0;
    for (const ReplyStep &step : reply.steps) {
        const auto *send = std::get_if<SendBytes>(&step);
        sent += std::holds_alternative<WaitFor>(step); // which comes before each token
        if (sent > token)
            break;
        bytes += send ? send->bytes.size() : 0;
    }
    return bytes;
}

double millisecondsLost()
{
    ChatAnswer answer;
    answer.delay = Pace;
    for (int i = 0; i < TokenCount; ++i)
        answer.tokens << u"%1 "_s.arg(i, TokenLength - 1, 10, QChar(u'0'));
    const Reply reply = toReply(answer);
    const qint64 head = bytesBefore(reply, 0);
    const qint64 each = bytesBefore(reply, 1) - head;

    ModelServer server(reply);
    const QTemporaryDir folder;
    qint64 sent = 0;
    Instant begun{};
    Instant killed{};
    {
        Program program(folder.path(),
                        {u"--provider"_s, u"openai"_s, u"--endpoint"_s,
                         server.url(u"/v1"_s).toString(), u"--model"_s, u"test-model"_s,
                         u"--send"_s, u"Go"_s});
        if (!program.hasStarted() || !server.waitForSent(0, head + each))
            qFatal("the program did not ask");
        begun = steadyClock().now();
        QThread::msleep(QRandomGenerator::global()->bounded(300, 2000));
        sent = server.requests().front().sent;
        killed = steadyClock().now();
        if (!program.end(SIGKILL))
            qFatal("the program did not end");
    }
    const auto turn = newestTurn(folder.path());
    if (!turn || !turn->isRunning())
        qFatal("the turn is not there");
    const double made = double(sent - head) / double(each);
    const double kept = double(turn->answerText().size()) / TokenLength;
    return std::max(0.0, made - kept) * milliseconds(killed - begun) / made;
}

} // namespace

// behaviours: 199
int main()
{
    const int wanted = qEnvironmentVariableIntValue("FERMATA_KILLS");
    std::vector<double> lost;
    for (int i = 0; i < (wanted > 0 ? wanted : 100); ++i)
        lost.push_back(millisecondsLost());
    printFigure({{u"bench"_s, u"crash"_s},
                 {u"figure"_s, u"streamed text lost by kill -9"_s},
                 {u"unit"_s, u"ms"_s}},
                lost);
    return 0;
}

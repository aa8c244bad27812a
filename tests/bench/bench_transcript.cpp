// SPDX-License-Identifier: GPL-3.0-or-later
// The transcript: opening, scrolling, jumping and resizing a long conversation, and text that streams in.
#include "conversation/conversation.h"
#include "figures.h"
#include "support/processes.h"
#include "ui/style/fermatastyle.h"
#include "ui/transcript/transcriptview.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollBar>

#include <functional>
#include <vector>

using namespace fermata;
using namespace Qt::StringLiterals;

namespace {

double residentMegabytes()
{
    return double(residentKilobytes()) / 1000;
}

void print(const char *name, const std::vector<double> &times, QJsonObject more = {})
{
    more.insert("bench"_L1, u"transcript"_s);
    more.insert("figure"_L1, QString::fromLatin1(name));
    more.insert("unit"_L1, u"ms"_s);
    printFigure(more, times);
}

double timed(const std::function<void()> &what)
{
    QElapsedTimer time;
    time.start();
    what();
    return double(time.nsecsElapsed()) / 1e6;
}

QString answer(int number)
{
    QString text =
        u"## Answer %1\n\nSome **bold** words, *others*, and `code %1` in a paragraph that "
        "is long enough to be broken by every width that a window has.\n\n"_s.arg(number);
    switch (number % 3) {
    case 0:
        text += u"- first item\n- second with a [link](https://example.org/%1)\n- third\n\n"_s.arg(
            number);
        break;
    case 1:
        text += u"```cpp\nint answer%1()\n{\n    return %1; // as asked\n}\n```\n\n"_s.arg(number);
        break;
    default:
        text += u"| name | value |\n|--|--:|\n| first | %1 |\n| second | 2 |\n\n"_s.arg(number);
    }
    while (text.size() < 1000)
        text +=
            u"Another sentence of %1 that makes the message as long as most are. "_s.arg(number);
    return text + u"\n\n"_s;
}

TurnRecord turnOf(const QString &question, const QString &text, const TurnId &parent)
{
    TurnRecord turn;
    turn.id = TurnId::create();
    turn.parent = parent;
    turn.userText = question;
    turn.answer.emplace_back();
    if (!text.isEmpty())
        turn.answer.back().blocks.push_back(TextBlock{text});
    return turn;
}

Conversation conversationOf(int messages)
{
    Conversation conversation;
    TurnId parent;
    for (int i = 0; i < messages / 2; ++i) {
        TurnRecord turn = turnOf(answer(i).left(600), answer(i), parent);
        turn.outcome = TurnOutcome();
        parent = turn.id;
        conversation.turns.push_back(std::move(turn));
    }
    conversation.activeTurn = parent;
    return conversation;
}

void paint(TranscriptView &view, QImage &frame)
{
    view.viewport()->render(&frame);
}

void benchLong(QImage &frame)
{
    const Conversation conversation = conversationOf(10'000);
    TranscriptView view;
    view.resize(frame.size());
    view.show();
    const double before = residentMegabytes();
    std::vector<double> open;
    for (int i = 0; i < 20; ++i) {
        view.setConversation(nullptr);
        open.push_back(timed([&] {
            view.setConversation(&conversation);
            paint(view, frame);
        }));
    }
    print("open 10,000 messages", open, {{"added_MB"_L1, residentMegabytes() - before}});

    std::vector<double> scroll;
    for (int i = 0; i < 2'000; ++i) {
        scroll.push_back(timed([&] {
            view.verticalScrollBar()->setValue(view.verticalScrollBar()->value() - 60);
            paint(view, frame);
        }));
    }
    print("scroll frame", scroll, {{"added_MB"_L1, residentMegabytes() - before}});

    std::vector<double> jump;
    for (int i = 0; i < 200; ++i) {
        jump.push_back(timed([&] {
            const int range = view.verticalScrollBar()->maximum();
            view.verticalScrollBar()->setValue(int(qint64(range) * ((i * 37) % 100) / 100));
            paint(view, frame);
        }));
    }
    print("jump", jump, {{"added_MB"_L1, residentMegabytes() - before}});

    std::vector<double> resize;
    for (int i = 0; i < 100; ++i) {
        resize.push_back(timed([&] {
            view.resize(500 + 7 * (i % 30), frame.height());
            paint(view, frame);
        }));
    }
    print("resize", resize);
}

void benchStream(const char *name, QImage &frame, int tokens, const QString &start,
                 const std::function<QString(int)> &piece)
{
    Conversation conversation;
    conversation.turns.push_back(turnOf(u"Go on."_s, start, {}));
    conversation.activeTurn = conversation.turns.front().id;
    TranscriptView view;
    view.resize(frame.size());
    view.setConversation(&conversation);
    view.show();
    const double before = residentMegabytes();
    std::vector<double> frames;
    double whole = 0;
    for (int i = 0; i < tokens / 16; ++i) { // a frame takes what came since the one before
        std::vector<TurnEvent> events{TextAppended{piece(i)}};
        fermata::apply(conversation.turns.front(), events.front());
        frames.push_back(timed([&] {
            view.apply({conversation.activeTurn, std::move(events)});
            view.refreshNow();
            paint(view, frame);
        }));
        whole += frames.back();
    }
    print(name, frames,
          {{"tokens"_L1, tokens},
           {"whole_ms"_L1, whole},
           {"added_MB"_L1, residentMegabytes() - before}});
}

} // namespace

int main(int argc, char *argv[])
{
    QApplication app(argc, argv);
    QApplication::setStyle(new FermataStyle(lightTheme()));
    QImage frame(900, 700, QImage::Format_RGB32);
    benchLong(frame);
    const auto mixed = [](int i) {
        const QString text = answer(i / 16);
        return text.mid((i % 16) * 64, i % 16 == 15 ? -1 : 64);
    };
    benchStream("stream mixed", frame, 20'000, {}, mixed);
    benchStream("stream code", frame, 20'000, u"```cpp\n"_s,
                [](int) { return u"    int value = f(16); // and so on, to 64 letters.....\n"_s; });
    benchStream("stream list", frame, 20'000, {}, [](int) {
        return u"- an item with `code` and so on, until there are 64 char\n"_s;
    });
    benchStream("stream table", frame, 20'000, u"|a|b|\n|-|-|\n"_s, [](int) {
        return u"| one cell of some length | another cell of some length |\n"_s;
    });
    benchStream("stream paragraph", frame, 20'000, {}, [](int) {
        return u"words that come after words, without an end in sight, again. "_s;
    });
    benchStream("stream 1,000,000 tokens", frame, 1'000'000, {}, mixed);
    return 0;
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "samples.h"

#include <QTimeZone>

namespace fermata::samples {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

QDateTime at(const char *time)
{
    return QDateTime(QDate(2026, 11, 20),
                     QTime::fromString(QString::fromLatin1(time), u"HH:mm:ss"_s), Qt::LocalTime)
        .toUTC();
}

TurnRecord turnWith(const QString &text, TurnId parent = {})
{
    TurnRecord turn;
    turn.id = TurnId::create();
    turn.parent = parent;
    turn.userText = text;
    turn.createdAt = at("14:01:58");
    turn.answer.emplace_back();
    return turn;
}

TurnOutcome finished(const TurnRecord &turn, const char *time, std::chrono::milliseconds duration,
                     int tokens)
{
    TurnOutcome outcome;
    outcome.turn = turn.id;
    outcome.endedAt = at(time);
    outcome.duration = duration;
    outcome.usage.output = tokens;
    outcome.sent = true;
    return outcome;
}

ToolCallBlock call(const char *name, const char *arguments, ToolState state,
                   std::chrono::milliseconds duration = 100ms, const QString &output = {})
{
    ToolCallBlock block;
    block.id = CallId::create();
    block.name = QString::fromLatin1(name);
    block.arguments = QString::fromUtf8(arguments);
    block.slot.state = state;
    block.slot.duration = duration;
    block.slot.output = output;
    return block;
}

void add(TurnRecord &turn, ContentBlock block)
{
    turn.answer.back().blocks.push_back(std::move(block));
}

Conversation conversationOf(std::vector<TurnRecord> turns)
{
    Conversation conversation;
    conversation.id = ConversationId::create();
    conversation.turns = std::move(turns);
    conversation.activeTurn = conversation.turns.back().id;
    return conversation;
}

const char BackupText[] =
    "## What the log says so far\n"
    "The job ended at 02:14 with exit status 11. Two things can explain that:\n"
    "\n"
    "- the **lock** of Thursday’s run was never removed\n"
    "- the disk was full while `restic` was packing\n"
    "\n"
    "I will check both. If it is the lock, this is the fix:\n"
    "\n"
    "```bash\n"
    "restic -r /srv/backup list locks\n"
    "restic -r /srv/backup unlock          # removes stale locks only\n"
    "systemctl start backup.service\n"
    "```\n";

const char CheckOutput[] = "create exclusive lock for repository\nload indexes\n"
                           "check snapshots, trees and blobs\n[0:02] 42.86%  18 / 42 snapshots\n";

TurnRecord backupTurn(ToolState third, ToolState rest)
{
    TurnRecord turn =
        turnWith(u"The nightly backup failed again. Find out why, and tell me how to fix it."_s);
    ThinkingBlock thought;
    thought.text =
        u"The user wants to know why the backup failed.\n\nI look at the configuration and "
        "at the log first; then I check the repository."_s;
    thought.complete = true;
    thought.duration = 3s;
    add(turn, thought);
    add(turn, TextBlock{QString::fromUtf8(BackupText)});
    add(turn, call("read_file", R"({"path":"/etc/backup/nightly.toml"})", ToolState::Finished));
    add(turn,
        call("read_file", R"({"path":"/var/log/backup/2026-11-20.log"})", ToolState::Finished));
    ToolCallBlock check =
        call("run_command", R"({"command":"restic -r /srv/backup check --read-data-subset=2%"})",
             third, 4100ms, QString::fromUtf8(CheckOutput));
    check.slot.startedAt = QDateTime::currentDateTimeUtc().addMSecs(-3600);
    add(turn, check);
    add(turn, call("run_command", R"({"command":"df -h /srv/backup"})", rest));
    add(turn, call("list_files", R"({"path":"/srv/backup/locks"})", rest));
    return turn;
}

} // namespace

Conversation backupRunning()
{
    return conversationOf({backupTurn(ToolState::Running, ToolState::Waiting)});
}

Conversation backupStopped()
{
    TurnRecord turn = backupTurn(ToolState::Interrupted, ToolState::NotRun);
    turn.outcome = finished(turn, "14:02:11", 12400ms, 348);
    turn.outcome->status = TurnStatus::Stopped;
    turn.outcome->stopReason = StopReason::Cancelled;
    turn.outcome->reason = CancellationReason{CancellationCause::User, {}, {}, at("14:02:11")};
    turn.outcome->serverIdleAfter = 300ms;
    turn.outcome->tools = {2, 1, 2, 4100ms, {}};
    return conversationOf({turn});
}

Conversation askingForApproval()
{
    TurnRecord first =
        turnWith(u"What fills my home folder? Tell me before you remove anything."_s);
    add(first,
        TextBlock{u"I will measure the folders that usually grow first: package caches, the "
                  "trash and old"_s});
    first.outcome = finished(first, "13:48:20", 3200ms, 41);
    first.outcome->status = TurnStatus::Failed;
    first.outcome->stopReason = StopReason::Error;
    first.outcome->error =
        Error(ErrorCode::ConnectionLost, u"localhost:11434 closed the connection"_s, u"read"_s);

    TurnRecord second = turnWith({}, first.id);
    second.kind = TurnKind::Continuation;
    second.createdAt = at("13:48:41");
    add(second,
        TextBlock{u"build folders. Three of them hold 21 of your 24 GB:\n\n"
                  "- `~/.cache/pip` 9.4 GB, mostly older than 90 days\n"
                  "- `~/.npm/_cacache` 7.2 GB\n"
                  "- `~/.local/share/Trash` 4.6 GB\n\n"
                  "All three can be emptied without"_s});
    second.outcome = finished(second, "13:52:07", 206s, 112);
    second.outcome->status = TurnStatus::TimedOut;
    second.outcome->stopReason = StopReason::Cancelled;
    second.outcome->reason =
        CancellationReason{CancellationCause::SilenceLimit, {}, {}, at("13:52:07")};
    second.outcome->limit = LimitInfo{Limit::Silence, 2min};

    TurnRecord third = turnWith(u"Go on, but only with the pip cache."_s, second.id);
    ThinkingBlock thought;
    thought.text = u"Only pip."_s;
    thought.complete = true;
    thought.duration = 2s;
    add(third, thought);
    add(third,
        TextBlock{u"This removes downloaded packages older than 90 days. Installed programs "
                  "stay as they are."_s});
    ToolCallBlock asking =
        call("run_command",
             R"({"command":"find /home/mira/.cache/pip -type f -mtime +90 -print -delete"})",
             ToolState::Asking);
    asking.id = CallId(u"asking"_s);
    add(third, asking);
    return conversationOf({first, second, third});
}

ApprovalRequest approvalRequest()
{
    ApprovalRequest request;
    request.call = CallId(u"asking"_s);
    request.tool = u"run_command"_s;
    request.title = u"Run command"_s;
    request.question = u"Allow this command?"_s;
    request.exactText = u"find /home/mira/.cache/pip -type f -mtime +90 -print -delete"_s;
    request.facts = {{u"Folder"_s, u"/home/mira"_s},
                     {u"Access"_s, u"in the sandbox, without network"_s},
                     {u"Time limit"_s, u"2 min"_s}};
    request.alwaysPattern = request.exactText;
    return request;
}

Conversation allStates()
{
    TurnRecord first = turnWith(u"Show me everything that Markdown can do."_s);
    add(first,
        TextBlock{
            u"# A first heading\n\nText with **bold**, *italic*, ~~struck~~, `inline code` and a "
            "[link to the manual](https://doc.qt.io/qt-6/). A second sentence makes the "
            "paragraph long enough to be broken into two lines.\n\n"
            "## A second heading\n\n"
            "1. First item with a longer text that has to be broken, because it does not fit "
            "into one line of the column\n2. Second item\n   - a nested one\n   - another\n\n"
            "   and a paragraph in the item\n10. Tenth item\n\n"
            "- [x] a task that is done\n- [ ] one that is not\n\n"
            "> A quote with *emphasis*.\n>\n> Its second paragraph.\n\n"
            "### A third heading\n\n"
            "| Folder | Size | What it is |\n|:--|--:|:-:|\n| `~/.cache` | 9.4 GB | can go |\n"
            "| `~/.npm` | 7.2 GB | packages that were fetched once and are fetched again when "
            "they are needed |\n| Trash | 4.6 GB | [really](https://example.org) |\n\n"
            "---\n\n"
            "```cpp\n// Answers with the sum.\nint sum(const std::vector<int> &values)\n{\n"
            "    int total = 0; // a rather long comment that goes on behind the right edge of "
            "the block, so that it has to be scrolled\n"
            "    for (int value : values)\n        total += value;\n    return total * 0x2a;\n"
            "}\n```\n\n"
            "An image: ![a cat](file:///etc/passwd) and <b>raw HTML</b>.\n\n"
            "```python\ndef greet(name: str) -> None:\n    print(f\"Hello, {name}\")  # 42\n```\n"_s});
    first.outcome = finished(first, "13:20:05", 6100ms, 212);

    TurnRecord second =
        turnWith(u"Now run all the tools.\nAnd say in two lines what came of it."_s, first.id);
    add(second, call("run_command", R"({"command":"df -h"})", ToolState::Waiting));
    add(second, call("run_command", R"({"command":"find . -delete"})", ToolState::Asking));
    add(second, call("read_file", R"({"path":"notes.md"})", ToolState::Finished));
    add(second, call("run_command", R"({"command":"make test"})", ToolState::Interrupted, 4100ms));
    add(second, call("fetch_page", R"({"url":"example.org"})", ToolState::TimedOut, 30s));
    ToolCallBlock failed = call("run_command", R"({"command":"make docs"})", ToolState::Failed);
    failed.slot.exitStatus = 2;
    add(second, failed);
    add(second, call("write_file", R"({"path":"a.txt"})", ToolState::Denied));
    add(second, call("list_files", R"({"path":"src"})", ToolState::NotRun));
    second.cutByCrash = true;

    TurnRecord other = second;
    other.id = TurnId::create();
    add(other, TextBlock{u"The lock is from Thursday, and no process"_s});
    other.cutByCrash = false;
    other.outcome = finished(other, "12:40:58", 8s, 190);
    return conversationOf({first, second, other});
}

QString markdown(int number)
{
    QString text =
        u"## Answer %1\n\nSome **bold** words, *others*, and `code %1` in a paragraph that is "
        "long enough to be broken into lines by every width that a window has. It says "
        "nothing, but at length: the lock of the last run was not removed, the disk is "
        "nearly full, and the job ended with status %1.\n\n"_s.arg(number);
    switch (number % 4) {
    case 0:
        text +=
            u"- first item of %1\n- second item with a [link](https://example.org/%1)\n- third\n\n"_s
                .arg(number);
        break;
    case 1:
        text += u"```cpp\nint answer%1()\n{\n    return %1; // as it was asked\n}\n```\n\n"_s.arg(
            number);
        break;
    case 2:
        text += u"| name | value |\n|--|--:|\n| first | %1 |\n| second | 2 |\n\n"_s.arg(number);
        break;
    default:
        text += u"> A quote of %1, which is not very long.\n\n1. one\n2. two\n\n"_s.arg(number);
    }
    while (text.size() < 1000)
        text +=
            u"Another sentence of %1 that makes the message as long as most are. "_s.arg(number);
    return text + u"\n\n"_s;
}

Conversation longConversation(int turns)
{
    std::vector<TurnRecord> all;
    all.reserve(size_t(turns));
    TurnId parent;
    for (int i = 0; i < turns; ++i) {
        TurnRecord turn =
            turnWith(u"Question %1: what comes after that, and why?"_s.arg(i), parent);
        add(turn, TextBlock{markdown(i)});
        turn.outcome = finished(turn, "13:20:05", 6100ms, 212);
        parent = turn.id;
        all.push_back(std::move(turn));
    }
    return conversationOf(std::move(all));
}

Conversation running(const QString &text)
{
    TurnRecord turn = turnWith(u"Go on."_s);
    if (!text.isEmpty())
        add(turn, TextBlock{text});
    return conversationOf({turn});
}

} // namespace fermata::samples

// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/guideanswer.h"

#include "provider/chathistory.h"
#include "provider/guideintent.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostOutputLines = 20;
constexpr qsizetype MostOutputCharacters = 2000;

// A tool of ours by what it is for.
struct ToolUse
{
    QString name;
    QString argument; // takes the subject
    QString title;
};

ToolUse useOf(GuideToolWish::Kind kind)
{
    using Kind = GuideToolWish::Kind;
    switch (kind) {
    case Kind::RunCommand:
        return {u"run_command"_s, u"command"_s, u"Run command"_s};
    case Kind::ReadFile:
        return {u"read_file"_s, u"path"_s, u"Read file"_s};
    case Kind::ListFiles:
        return {u"list_directory"_s, u"path"_s, u"List files"_s};
    case Kind::SearchFiles:
        return {u"search_files"_s, u"text"_s, u"Search files"_s};
    case Kind::FetchPage:
        return {u"http_request"_s, u"url"_s, u"HTTP request"_s};
    }
    return {};
}

QString asCode(const QString &text)
{
    // A fence longer than any in the text, so that the text cannot end it.
    QString fence = u"```"_s;
    while (text.contains(fence))
        fence += u'`';
    return fence + u'\n' + text + u'\n' + fence;
}

QString inlineCode(const QString &text)
{
    const QString line = text.simplified();
    return line.contains(u'`') ? u'“' + line + u'”' : u'`' + line + u'`';
}

QString firstLines(const QString &output)
{
    const QString cut = output.left(MostOutputCharacters).trimmed();
    QStringList lines = cut.split(u'\n');
    const bool isWhole = lines.size() <= MostOutputLines && cut.size() == output.trimmed().size();
    lines = lines.first(std::min(lines.size(), MostOutputLines));
    if (!isWhole)
        lines.append(u"…"_s);
    return lines.join(u'\n');
}

QString subjectOf(const HistoryCall &call)
{
    const QJsonObject arguments = QJsonDocument::fromJson(call.arguments.toUtf8()).object();
    for (const QString &name : {u"command"_s, u"path"_s, u"url"_s, u"text"_s}) {
        const QString value = arguments.value(name).toString();
        if (!value.isEmpty())
            return value;
    }
    return call.name;
}

QString summaryOf(const HistoryCall &call, const HistoryResult &result)
{
    const QString what = inlineCode(subjectOf(call));
    const QString output = result.text.trimmed();
    if (!result.isError)
        return output.isEmpty()
            ? what + u" has finished and gave no output."_s
            : what + u" has finished. This is what it gave:\n\n"_s + asCode(firstLines(output));
    if (output.startsWith(u"Interrupted"))
        return what
            + u" was stopped before it ended. It may or may not have taken effect, so check before "
              u"you "
              "run it again."_s;
    if (output.startsWith(u"Not run"))
        return what + u" was not run, so nothing was changed."_s;
    return what + u" did not work. The tool says:\n\n"_s + asCode(firstLines(output));
}

class Answerer
{
public:
    Answerer(const ModelRequest &request, const GuideBook &book) : m_request(request), m_book(book)
    {
    }

    // To the messages up to `end`.
    GuideAnswer answerTo(size_t end) const
    {
        const History &history = m_request.history;
        if (end == 0)
            return {greeting(), {}};
        if (history[end - 1].role == HistoryRole::Tool)
            return {summary(end - 1), {}};
        QString text;
        for (const HistoryBlock &block : history[end - 1].blocks) {
            if (const auto *part = std::get_if<TextBlock>(&block))
                text += part->text + u'\n';
        }
        const GuideIntent intent = guideIntentOf(text);
        if (const auto *wish = std::get_if<GuideToolWish>(&intent))
            return toolAnswer(*wish, end);
        if (const auto *question = std::get_if<GuideQuestion>(&intent))
            return {found(question->text), {}};
        if (std::holds_alternative<GuideLongText>(intent))
            return {longText(), {}};
        return {greeting(), {}};
    }

private:
    QString topics() const
    {
        QString list;
        const QStringList pages = m_book.pages();
        for (const QString &page : pages)
            list += u"\n- "_s + page;
        return list;
    }

    QString greeting() const
    {
        return u"I am the Guide. I am not an AI: I search Fermata's user guide, and I run a tool "
               u"when you "
               "ask for one in plain words. So you can try Stop, time limits and approval without "
               "a "
               "model.\n\nTry one of these:\n\n- What happens when I press Stop?\n- Run “sleep 30” "
               "so "
               "that I can stop it\n- Write a long answer\n- List files\n\nThe guide has these pages:\n"_s
            + topics() + u"\n\nTo talk to a model, connect one in **Settings > Model**."_s;
    }

    QString found(const QString &question) const
    {
        const std::vector<const GuideSection *> hits = m_book.search(question, 3);
        if (hits.empty())
            return u"The user guide says nothing about that. I am the Guide, not an AI: I only "
                   u"find what "
                   "is written there. It has these pages:\n"_s
                + topics()
                + u"\n\nFor a real answer connect a model in **Settings > Model**, then choose **Retry**."_s;
        QString text = u"**"_s + hits.front()->heading + u"**\n\n"_s + hits.front()->text;
        QStringList more;
        for (size_t i = 1; i < hits.size(); ++i) {
            if (hits[i]->heading != hits.front()->page) // which is named anyway
                more.append(u"“"_s + hits[i]->heading + u"”"_s);
        }
        text += u"\n\n*From the user guide, page “%1”.*"_s.arg(hits.front()->page);
        if (!more.isEmpty())
            text += u" *See also %1.*"_s.arg(more.join(u" and "_s));
        return text;
    }

    QString longText() const
    {
        return u"This is the whole user guide, from the first page to the last. It is long on "
               u"purpose: "
               "press **Stop** or Esc whenever you like, then choose **Continue**, and it goes on "
               "exactly there.\n\n"_s
            + m_book.wholeText() + u"\n\nThat was the whole guide."_s;
    }

    GuideAnswer toolAnswer(const GuideToolWish &wish, size_t end) const
    {
        const ToolUse use = useOf(wish.kind);
        const bool isThere =
            std::any_of(m_request.tools.begin(), m_request.tools.end(),
                        [&](const ToolDefinition &tool) { return tool.name == use.name; });
        if (!isThere)
            return {
                u"The tool “%1” is not there, so I cannot do that. Look in **Settings > Tools**."_s
                    .arg(use.title),
                {}};
        QStringList subjects;
        GuideAnswer answer;
        for (const QString &subject : wish.subjects) {
            subjects.append(inlineCode(subject));
            const QJsonObject arguments{{use.argument, subject}};
            const QString seed = QString::number(end) + u'/' + QString::number(answer.calls.size());
            answer.calls.push_back({.wireId = u"guide_"_s + callIdFromSeed(seed + subject),
                                    .name = use.name,
                                    .arguments = QString::fromUtf8(
                                        QJsonDocument(arguments).toJson(QJsonDocument::Compact)),
                                    .extras = {}});
        }
        answer.text = u"I ask for the tool “%1”: "_s.arg(use.title) + subjects.join(u", "_s)
            + u". Where the tool asks you first, nothing runs before you allow it. While it runs, "
              "**Stop** ends the whole turn and **Stop tool** only the tool."_s;
        return answer;
    }

    QString summary(size_t results) const
    {
        const History &history = m_request.history;
        QStringList sentences;
        for (const HistoryBlock &block : history[results].blocks) {
            const auto *result = std::get_if<HistoryResult>(&block);
            if (!result || results == 0)
                continue;
            for (const HistoryBlock &other : history[results - 1].blocks) {
                const auto *call = std::get_if<HistoryCall>(&other);
                if (call && call->id == result->callId)
                    sentences.append(summaryOf(*call, *result));
            }
        }
        return sentences.join(u"\n\n"_s);
    }

    const ModelRequest &m_request;
    const GuideBook &m_book;
};

} // namespace

GuideAnswer guideAnswer(const ModelRequest &request, const GuideBook &book)
{
    const History &history = request.history;
    size_t end = history.size();
    QString begun;
    while (end > 0 && history[end - 1].role == HistoryRole::Assistant) {
        --end;
        QString text;
        for (const HistoryBlock &block : history[end].blocks) {
            if (const auto *part = std::get_if<TextBlock>(&block))
                text += part->text;
        }
        begun.prepend(text);
    }
    GuideAnswer answer = Answerer(request, book).answerTo(end);
    if (begun.isEmpty())
        return answer;
    if (answer.text.startsWith(begun)) {
        answer.text = answer.text.sliced(begun.size());
        if (answer.text.isEmpty() && answer.calls.empty())
            answer.text = u"\n\nThat was the whole answer."_s;
    } else {
        // Another provider began it.
        answer.text.prepend(u"\n\nI am the Guide, not an AI, and cannot finish what a model began. "
                            "Connect a model to continue, or read what the user guide has:\n\n"_s);
    }
    return answer;
}

} // namespace fermata

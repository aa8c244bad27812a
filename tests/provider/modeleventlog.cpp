// SPDX-License-Identifier: GPL-3.0-or-later
#include "modeleventlog.h"

#include <QJsonDocument>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

void addDelta(QStringList &lines, const QString &kind, const QString &text)
{
    if (!lines.isEmpty() && lines.last().startsWith(kind + u' '))
        lines.last() += text;
    else
        lines.append(kind + u' ' + text);
}

QString compact(const QJsonObject &json)
{
    return json.isEmpty()
        ? QString()
        : u' ' + QString::fromUtf8(QJsonDocument(json).toJson(QJsonDocument::Compact));
}

} // namespace

void ModelEventLog::add(const ModelEvent &event)
{
    if (const auto *text = std::get_if<TextDelta>(&event)) {
        addDelta(m_lines, u"Text"_s, text->text);
    } else if (const auto *leftOut = std::get_if<PartLeftOut>(&event)) {
        m_lines.append(u"LeftOut "_s + leftOut->text);
    } else if (const auto *thinking = std::get_if<ThinkingDelta>(&event)) {
        addDelta(m_lines, u"Thinking"_s, thinking->text);
    } else if (std::holds_alternative<ThinkingEnd>(event)) {
        m_lines.append(u"ThinkingEnd"_s);
    } else if (const auto *call = std::get_if<ToolCallReceived>(&event)) {
        m_lines.append(u"Call %1 %2 %3%4"_s.arg(call->wireId, call->name, call->arguments,
                                                compact(call->extras)));
    } else if (const auto *unknown = std::get_if<UnknownBlockReceived>(&event)) {
        m_lines.append(u"Unknown"_s + compact(unknown->raw));
    } else if (const auto *usage = std::get_if<UsageReported>(&event)) {
        m_lines.append(u"Usage %1 %2"_s.arg(usage->usage.input).arg(usage->usage.output));
    } else if (const auto *ended = std::get_if<AnswerEnded>(&event)) {
        m_lines.append(u"End %1 %2%3"_s.arg(toString(ended->stopReason), ended->providerStopReason,
                                            compact(ended->extras)));
    }
}

void ModelEventLog::add(const Error &error)
{
    m_lines.append(u"Error "_s + toString(error.code));
}

QString ModelEventLog::text() const
{
    QString text;
    for (const QString &line : m_lines) {
        if (line.startsWith(u"Text "))
            text += line.sliced(5);
    }
    return text;
}

ModelEventLog parsed(const std::vector<QByteArray> &pieces,
                     const std::optional<ContinuedAnswer> &continued)
{
    const ChatTarget target{
        .endpoint = QUrl(u"http://model.test/v1"_s), .model = u"m"_s, .hasKey = false};
    ChatAnswerParser parser(target, {}, continued);
    ModelEventLog log;
    const auto drain = [&] {
        while (const std::optional<ChatAnswerParser::Item> item = parser.next()) {
            if (const auto *event = std::get_if<ModelEvent>(&item->value))
                log.add(*event);
            else
                log.add(std::get<ChatFailure>(item->value).error);
        }
    };
    for (const QByteArray &piece : pieces) {
        parser.feed(piece);
        drain();
    }
    parser.finish();
    drain();
    return log;
}

QByteArray sseStream(const QStringList &objects)
{
    QByteArray bytes;
    for (const QString &object : objects)
        bytes += "data: " + object.toUtf8() + "\n\n";
    return bytes;
}

} // namespace fermata

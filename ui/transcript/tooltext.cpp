// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/tooltext.h"

#include "ui/text/durations.h"
#include "ui/transcript/displaytext.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStringList>

#include <array>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestTitle = 60;
constexpr qsizetype LongestSummary = 300;

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::ToolText", text);
}

QString capitalised(QString name)
{
    name.replace(u'_', u' ');
    name = name.simplified();
    if (!name.isEmpty())
        name[0] = name[0].toUpper();
    return name;
}

// The argument that names the thing a call is about.
QString mainKey(const QJsonObject &arguments)
{
    static constexpr std::array Keys{"command"_L1, "path"_L1,      "file"_L1,
                                     "url"_L1,     "query"_L1,     "pattern"_L1,
                                     "folder"_L1,  "directory"_L1, "name"_L1};
    for (const QLatin1StringView key : Keys) {
        if (arguments.value(key).isString())
            return key;
    }
    for (auto it = arguments.begin(); it != arguments.end(); ++it) {
        if (it->isString())
            return it.key();
    }
    return {};
}

QString valueText(const QJsonValue &value)
{
    if (value.isString())
        return value.toString();
    if (value.isObject())
        return QString::fromUtf8(QJsonDocument(value.toObject()).toJson(QJsonDocument::Compact));
    if (value.isArray())
        return QString::fromUtf8(QJsonDocument(value.toArray()).toJson(QJsonDocument::Compact));
    if (value.isNull())
        return u"null"_s;
    return value.toVariant().toString();
}

QJsonObject objectOf(const QString &arguments)
{
    return QJsonDocument::fromJson(arguments.toUtf8()).object();
}

void appendMarked(QStringList &lines, const QString &mark, const QString &text)
{
    if (text.isEmpty())
        return;
    const auto parts = QStringView(text).split(u'\n');
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (i + 1 < parts.size() || !parts[i].isEmpty()) // the last line break ends a line
            lines << mark + parts[i].toString();
    }
}

} // namespace

QString toolTitle(const QString &name)
{
    const QString shown = withControlsNamed(name).left(LongestTitle);
    const qsizetype split = shown.indexOf("__"_L1);
    if (split > 0)
        return u"%1 (%2)"_s.arg(capitalised(shown.mid(split + 2)), shown.left(split));
    // As the tools of Fermata call themselves where they are asked for and set.
    if (name == "list_directory"_L1)
        return tr("List files");
    if (name == "http_request"_L1)
        return tr("HTTP request");
    return capitalised(shown);
}

bool isTextChange(const QString &arguments)
{
    const QJsonObject object = objectOf(arguments);
    return object.value("old_text"_L1).isString() && object.value("new_text"_L1).isString();
}

QString toolArguments(const QString &arguments)
{
    const QJsonObject object = objectOf(arguments);
    if (object.isEmpty())
        return arguments.simplified() == u"{}" ? QString() : arguments;
    const QString main = mainKey(object);
    const bool isChange = isTextChange(arguments);
    QStringList lines;
    if (!main.isEmpty())
        lines << object.value(main).toString();
    for (auto it = object.begin(); it != object.end(); ++it) {
        if (it.key() == main
            || (isChange && (it.key() == "old_text"_L1 || it.key() == "new_text"_L1)))
            continue;
        const QString value = valueText(*it);
        lines << (value.contains(u'\n') ? u"%1:\n%2"_s : u"%1: %2"_s).arg(it.key(), value);
    }
    if (isChange) {
        appendMarked(lines, u"- "_s, object.value("old_text"_L1).toString());
        appendMarked(lines, u"+ "_s, object.value("new_text"_L1).toString());
    }
    return lines.join(u'\n');
}

QString toolSummary(const QString &arguments)
{
    const QJsonObject object = objectOf(arguments);
    const QString main = mainKey(object);
    QString text = main.isEmpty() ? toolArguments(arguments) : object.value(main).toString();
    text.truncate(LongestSummary);
    text.replace(u'\n', u' ');
    // Named, a character takes the place of eight.
    return withControlsNamed(text).simplified().left(LongestSummary);
}

Mark toolMark(const ToolSlot &slot)
{
    if (slot.undoneAt.isValid())
        return Mark::Denied;
    switch (slot.state) {
    case ToolState::Waiting:
    case ToolState::NotRun:
        return Mark::Waiting;
    case ToolState::Asking:
        return Mark::Asking;
    case ToolState::Running:
    case ToolState::StillRunning:
        return Mark::Running;
    case ToolState::Finished:
        return Mark::Finished;
    case ToolState::Failed:
        return Mark::Failed;
    case ToolState::Denied:
        return Mark::Denied;
    case ToolState::Interrupted:
        return Mark::Stopped;
    case ToolState::TimedOut:
        return Mark::Limit;
    }
    return Mark::None;
}

QString toolStateText(const ToolSlot &slot, const QDateTime &now)
{
    if (slot.undoneAt.isValid())
        return tr("undone by you");
    switch (slot.state) {
    case ToolState::Waiting:
        return tr("waiting");
    case ToolState::Asking:
        return tr("asks you");
    case ToolState::Running:
        return slot.startedAt.isValid()
            ? elapsedText(std::chrono::milliseconds(slot.startedAt.msecsTo(now)))
            : QString();
    case ToolState::Finished:
        return spentText(slot.duration);
    case ToolState::Failed:
        return slot.exitStatus ? tr("failed, exit status %1").arg(*slot.exitStatus) : tr("failed");
    case ToolState::Denied:
        return tr("denied by you");
    case ToolState::Interrupted:
        return tr("stopped after %1").arg(spentText(slot.duration));
    case ToolState::TimedOut:
        return tr("limit of %1").arg(roundedText(slot.duration));
    case ToolState::NotRun:
        return tr("not started");
    case ToolState::StillRunning:
        return tr("still running");
    }
    return {};
}

QString toolWarning(ToolState state)
{
    switch (state) {
    case ToolState::Interrupted:
    case ToolState::TimedOut:
    case ToolState::StillRunning:
        return tr("It may or may not have taken effect. Check before you run it again.");
    default:
        return {};
    }
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/readfile.h"

#include "tool/builtin/toolschema.h"
#include "tool/outputbuffer.h"

#include <algorithm>
#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype MostBytes = 64 * 1024;
constexpr qint64 MostLines = 10'000'000;

ToolSpec makeSpec()
{
    ToolSpec spec;
    spec.name = u"read_file"_s;
    spec.title = u"Read file"_s;
    spec.description = u"Returns the text of a file in the workspace, at most 64 KB at a time. For "
                       "longer files give start_line and line_count."_s;
    spec.parameters = objectSchema(
        {{u"path"_s, stringProperty(u"Relative to the workspace."_s)},
         {u"start_line"_s, integerProperty(u"First line, counted from 1."_s, 1, MostLines)},
         {u"line_count"_s, integerProperty(u"How many lines. Default: all."_s, 1, MostLines)}},
        {u"path"_s});
    spec.access = ToolAccess::ReadOnly;
    spec.asksByDefault = false;
    return spec;
}

// The part that was asked for, whole lines as far as they fit.
QString excerpt(const QByteArray &content, qint64 startLine, qint64 lineCount)
{
    qsizetype begin = 0;
    qint64 line = 1;
    while (line < startLine) {
        const qsizetype next = content.indexOf('\n', begin);
        if (next < 0)
            return u"[The file has %1 lines]"_s.arg(line - (begin == content.size() ? 1 : 0));
        begin = next + 1;
        ++line;
    }
    qsizetype end = begin;
    qint64 taken = 0;
    while (end < content.size() && taken < lineCount) {
        const qsizetype next = content.indexOf('\n', end);
        const qsizetype lineEnd = next < 0 ? content.size() : next + 1;
        if (lineEnd - begin > MostBytes)
            break;
        end = lineEnd;
        ++taken;
    }
    if (taken == 0 && begin < content.size()) {
        OutputBuffer longLine(MostBytes / 2, MostBytes / 2);
        const qsizetype next = content.indexOf('\n', begin);
        longLine.append(
            QByteArrayView(content).sliced(begin, (next < 0 ? content.size() : next) - begin));
        return longLine.text() + u"\n[Line %1 is too long to be shown whole]"_s.arg(line);
    }
    const CleanText clean =
        cleaned(QString::fromUtf8(QByteArrayView(content).sliced(begin, end - begin)));
    const QString text = clean.withNote();
    if (end == content.size() || taken == lineCount)
        return text;
    return text + (clean.invisible > 0 ? u"\n"_s : QString())
        + u"[The file goes on: read from start_line %1]"_s.arg(startLine + taken);
}

} // namespace

ReadFile::ReadFile(FileServices services)
    : FileLookTool(std::move(services), makeSpec(), u"Allow reading this file?"_s)
{
}

Result<ToolResult> ReadFile::run(const QJsonObject &arguments, ToolContext &context)
{
    if (auto live = context.token().check(TurnPhase::ToolCalls); !live)
        return live.error();
    auto file = openFile(arguments, context.workspace(), services());
    if (!file)
        return file.error();
    if (!file->content) {
        // Else a file that the user has removed could never be written again.
        services().seen->forget(context.workspace(), file->relative);
        return Error(ErrorCode::NotFound, u"“%1” does not exist."_s.arg(file->relative));
    }
    services().seen->setSeen(context.workspace(), file->relative, *file->content);
    const QByteArray &content = *file->content;
    if (looksBinary(content)) {
        return ToolResult{
            u"“%1” is not text (%2 bytes)."_s.arg(file->relative, QString::number(content.size())),
            true,
            std::nullopt,
            {}};
    }
    if (content.isEmpty())
        return ToolResult{u"[The file is empty]"_s, false, std::nullopt, {}};
    return ToolResult{excerpt(content, arguments.value("start_line"_L1).toInteger(1),
                              arguments.value("line_count"_L1).toInteger(MostLines)),
                      false,
                      std::nullopt,
                      {}};
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/editfile.h"

#include "tool/builtin/toolschema.h"

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

ToolSpec makeSpec()
{
    ToolSpec spec;
    spec.name = u"edit_file"_s;
    spec.title = u"Edit file"_s;
    spec.description = u"Replaces old_text, which must be in the file exactly once, by new_text. "
                       "The user sees the change as a diff."_s;
    spec.parameters =
        objectSchema({{u"path"_s, stringProperty(u"Relative to the workspace."_s)},
                      {u"old_text"_s,
                       stringProperty(u"The exact text to replace, with enough around it to be "
                                      "unique."_s)},
                      {u"new_text"_s, stringProperty(u"What stands there afterwards."_s)},
                      {u"replace_all"_s, booleanProperty(u"Replace it wherever it is."_s)}},
                     {u"path"_s, u"old_text"_s, u"new_text"_s});
    return spec;
}

QByteArray withCrLf(QByteArray text)
{
    return text.replace("\r\n", "\n").replace("\n", "\r\n");
}

// The new content, or what is wrong with the call.
Result<QByteArray> edited(const QJsonObject &arguments, const WorkspaceFile &file)
{
    if (!file.content)
        return Error(ErrorCode::NotFound, u"“%1” does not exist."_s.arg(file.relative));
    const QByteArray &content = *file.content;
    QByteArray oldText = arguments.value("old_text"_L1).toString().toUtf8();
    QByteArray newText = arguments.value("new_text"_L1).toString().toUtf8();
    if (oldText.isEmpty())
        return Error(ErrorCode::InvalidArgument, u"old_text is empty."_s);
    if (oldText == newText)
        return Error(ErrorCode::InvalidArgument, u"old_text and new_text are the same."_s);
    // Line breaks are shown to the model as LF whatever they are.
    if (!content.contains(oldText) && content.contains(withCrLf(oldText))) {
        oldText = withCrLf(oldText);
        newText = withCrLf(newText);
    }
    const qsizetype count = content.count(oldText);
    if (count == 0) {
        return Error(ErrorCode::InvalidArgument,
                     u"old_text is not in “%1”. Read the file and copy the text exactly."_s.arg(
                         file.relative));
    }
    if (count > 1 && !arguments.value("replace_all"_L1).toBool()) {
        return Error(ErrorCode::InvalidArgument,
                     u"old_text is in “%1” %2 times. Give more of what is around it, or set "
                     "replace_all."_s.arg(file.relative, QString::number(count)));
    }
    return QByteArray(content).replace(oldText, newText);
}

} // namespace

EditFile::EditFile(FileServices services) : FileChangeTool(std::move(services), makeSpec()) { }

Result<FileChangeTool::Change> EditFile::change(const QJsonObject &arguments,
                                                const WorkspaceFile &file) const
{
    auto content = edited(arguments, file);
    if (!content)
        return content.error();
    return Change{std::move(content).value(), u"“%1” was changed."_s.arg(file.relative)};
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/writefile.h"

#include "tool/builtin/toolschema.h"

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

ToolSpec makeSpec()
{
    ToolSpec spec;
    spec.name = u"write_file"_s;
    spec.title = u"Write file"_s;
    spec.description = u"Makes a file in the workspace, or replaces its whole content. The user "
                       "sees the change as a diff. To change a part of a file use edit_file."_s;
    spec.parameters = objectSchema({{u"path"_s, stringProperty(u"Relative to the workspace."_s)},
                                    {u"content"_s, stringProperty(u"The whole new text."_s)}},
                                   {u"path"_s, u"content"_s});
    return spec;
}

} // namespace

WriteFile::WriteFile(FileServices services) : FileChangeTool(std::move(services), makeSpec()) { }

Result<FileChangeTool::Change> WriteFile::change(const QJsonObject &arguments,
                                                 const WorkspaceFile &file) const
{
    const QByteArray content = arguments.value("content"_L1).toString().toUtf8();
    const QString done = file.content
        ? u"“%1” was replaced: %2 bytes."_s.arg(file.relative, QString::number(content.size()))
        : u"“%1” was made: %2 bytes."_s.arg(file.relative, QString::number(content.size()));
    return Change{content, done};
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/listdirectory.h"

#include "base/visibletext.h"
#include "tool/builtin/toolschema.h"

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostEntries = 2000;

ToolSpec makeSpec()
{
    ToolSpec spec;
    spec.name = u"list_directory"_s;
    spec.title = u"List files"_s;
    spec.description = u"Lists a folder in the workspace: folders end with /, links with @, files "
                       "are followed by their size in bytes."_s;
    spec.parameters = objectSchema(
        {{u"path"_s, stringProperty(u"Relative to the workspace. Default: the workspace."_s)}}, {});
    spec.access = ToolAccess::ReadOnly;
    spec.asksByDefault = false;
    return spec;
}

QString lineOf(const FolderEntry &entry)
{
    const QString name = withControlsNamed(entry.name, TextUse::Asked);
    switch (entry.kind) {
    case FolderEntry::Kind::Folder:
        return name + u"/\n"_s;
    case FolderEntry::Kind::Link:
        return name + u"@\n"_s;
    case FolderEntry::Kind::File:
        return name + u"  %1\n"_s.arg(entry.size);
    case FolderEntry::Kind::Other:
        return name + u"  (no file)\n"_s;
    }
    Q_UNREACHABLE();
}

} // namespace

ListDirectory::ListDirectory(FileServices services)
    : FileLookTool(std::move(services), makeSpec(), u"Allow listing this folder?"_s)
{
}

Result<ToolResult> ListDirectory::run(const QJsonObject &arguments, ToolContext &context)
{
    if (auto live = context.token().check(TurnPhase::ToolCalls); !live)
        return live.error();
    auto relative = pathInWorkspace(pathOf(arguments), context.workspace());
    if (!relative)
        return relative.error();
    auto folder = WorkspaceFolder::open(context.workspace(), services().protectedPaths);
    if (!folder)
        return folder.error();
    auto entries = folder->list(relative.value(), MostEntries);
    if (!entries)
        return entries.error();
    QString text;
    for (const FolderEntry &entry : entries.value())
        text += lineOf(entry);
    if (entries->empty())
        text = u"[The folder is empty]"_s;
    else if (int(entries->size()) == MostEntries)
        text += u"[Only the first %1 entries that were found]"_s.arg(MostEntries);
    return ToolResult{text, false, std::nullopt, {}};
}

} // namespace fermata

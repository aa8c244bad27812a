// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/workspacepath.h"

#include "base/visibletext.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>
#include <climits>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestName = 255;
constexpr int MostLinks = 40; // as the kernel has it

// Start files, keys and what is started with the desktop, below the home folder.
constexpr QLatin1StringView HomePaths[] = {
    ".ssh"_L1,
    ".gnupg"_L1,
    ".bashrc"_L1,
    ".bash_profile"_L1,
    ".bash_login"_L1,
    ".bash_logout"_L1,
    ".bash_aliases"_L1,
    ".profile"_L1,
    ".zshrc"_L1,
    ".zshenv"_L1,
    ".zprofile"_L1,
    ".zlogin"_L1,
    ".xprofile"_L1,
    ".xsessionrc"_L1,
    ".xinitrc"_L1,
    ".pam_environment"_L1,
    ".gitconfig"_L1,
    ".config/git"_L1,
    ".config/autostart"_L1,
    ".config/systemd"_L1,
    ".config/environment.d"_L1,
    ".config/fish"_L1,
    ".local/share/applications"_L1,
    ".local/share/systemd"_L1,
    ".local/bin"_L1,
    ".local/share/keyrings"_L1,
    ".netrc"_L1,
    ".aws"_L1,
    ".kube"_L1,
    ".docker"_L1,
};

// Where it is, or would be, after all links.
QString realPath(const QString &path)
{
    QString known = QDir::cleanPath(path);
    QString rest;
    for (int links = 0; known.size() > 1;) {
        const QFileInfo info(known);
        if (const QString real = info.canonicalFilePath(); !real.isEmpty())
            return rest.isEmpty() ? real : QDir::cleanPath(real + rest);
        // A link to what is not there yet leads to where it will be.
        if (info.isSymLink() && ++links < MostLinks) {
            known = QDir::cleanPath(info.symLinkTarget());
            continue;
        }
        rest.prepend(u'/' + info.fileName());
        known = info.path();
    }
    return rest.isEmpty() ? known : rest;
}

bool hasControl(const QString &text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) {
        return c.category() == QChar::Other_Control || c.category() == QChar::Separator_Line
            || c.category() == QChar::Separator_Paragraph;
    });
}

Error refused(const QString &path, const QString &why, const QString &workspace)
{
    return {
        ErrorCode::InvalidArgument,
        u"“%1” %2. Files can only be used inside of the workspace %3: give a path relative to it."_s
            .arg(withControlsNamed(path, TextUse::Asked), why, workspace)};
}

} // namespace

bool isInFolder(const QString &path, const QString &folder)
{
    return path == folder || path.startsWith(folder.endsWith(u'/') ? folder : folder + u'/');
}

Result<QString> pathInWorkspace(const QString &path, const QString &workspace)
{
    if (path.isEmpty())
        return refused(path, u"is not a path"_s, workspace);
    if (hasControl(path))
        return refused(path, u"holds control characters"_s, workspace);
    if (QString::fromUtf8(path.toUtf8()) != path)
        return refused(path, u"is not valid text"_s, workspace);
    if (path.toUtf8().size() >= PATH_MAX)
        return refused(path.left(80) + u'…', u"is too long"_s, workspace);

    QString rest = path;
    if (path.startsWith(u'/')) {
        if (!isInFolder(path, workspace))
            return refused(path, u"is outside of the workspace"_s, workspace);
        rest = path.mid(workspace.size());
    } else if (path.startsWith(u'~')) {
        return refused(path, u"is outside of the workspace"_s, workspace);
    }
    QStringList parts;
    for (const QString &part : rest.split(u'/', Qt::SkipEmptyParts)) {
        // With links about, ".." is not the folder that the words before it seem to say.
        if (part == ".."_L1)
            return refused(path, u"holds “..”"_s, workspace);
        if (part.toUtf8().size() > LongestName)
            return refused(path.left(80) + u'…', u"holds a name that is too long"_s, workspace);
        if (part != "."_L1)
            parts << part;
    }
    return parts.isEmpty() ? u"."_s : parts.join(u'/');
}

ProtectedPaths::ProtectedPaths(QStringList own, const QString &home) : m_paths(std::move(own))
{
    for (const auto path : HomePaths)
        m_paths << home + u'/' + path;
    for (QString &path : m_paths)
        path = QDir::cleanPath(path);
}

QStringList ProtectedPaths::inside(const QString &workspace) const
{
    const QString named = QDir::cleanPath(workspace);
    const QString real = realPath(workspace);
    QStringList paths;
    for (const QString &path : m_paths) {
        for (const QString &place : {path, realPath(path)}) {
            for (const QString &root : {named, real}) {
                if (place != root && isInFolder(place, root))
                    paths << QDir::cleanPath(named + u'/' + place.mid(root.size()));
            }
        }
    }
    paths.removeDuplicates();
    return paths;
}

bool ProtectedPaths::isHook(const QString &path)
{
    const QStringList parts = path.toLower().split(u'/', Qt::SkipEmptyParts);
    return parts.contains(".git"_L1) || parts.contains(".gitmodules"_L1);
}

} // namespace fermata

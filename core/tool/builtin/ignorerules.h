// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QRegularExpression>
#include <QString>

#include <vector>

namespace fermata {

// The rules of one .gitignore, with git's meaning of them.
class IgnoreRules final
{
public:
    IgnoreRules() = default;
    explicit IgnoreRules(const QByteArray &file);

    enum class Verdict { NoRule, Ignored, Kept };
    enum class Kind { File, Folder };
    // `path` is relative to the folder of the .gitignore. The last rule that fits decides.
    Verdict judge(const QString &path, Kind kind) const;

private:
    struct Rule
    {
        QRegularExpression pattern;
        bool keeps = false;
        bool foldersOnly = false;
    };
    std::vector<Rule> m_rules;
};

} // namespace fermata

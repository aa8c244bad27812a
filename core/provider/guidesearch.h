// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>

#include <vector>

namespace fermata {

struct GuideSection
{
    QString page; // title of its page
    QString heading; // the page's title for what stands before its first heading
    QString text; // Markdown
};

// The user guide, cut into sections and searched by words. Immutable once filled; then thread-safe.
class GuideBook final
{
public:
    // All *.md files of a folder, in the order of their names.
    static GuideBook fromFolder(const QString &folder);

    // Markdown: one "# Title", sections by "## Heading". Comment lines are no text; "<!-- keywords: a, b -->" adds words to
    // the section it stands in.
    void addPage(const QString &markdown);

    bool isEmpty() const { return m_sections.empty(); }
    QStringList pages() const;
    // The sections that say most about `question`, best first; none if nothing fits.
    std::vector<const GuideSection *> search(const QString &question, size_t most) const;
    // Everything, for who wants to read on.
    QString wholeText() const;

private:
    struct Entry
    {
        GuideSection section;
        QHash<QString, double> weights; // word: how much the section is about it
    };

    void addSection(const QString &page, const QString &heading, const QStringList &lines,
                    const QString &keywords);

    std::vector<Entry> m_sections;
};

// The words of a text as the search compares them: lower case, without endings and without those that say nothing.
QStringList searchWords(const QString &text);

} // namespace fermata

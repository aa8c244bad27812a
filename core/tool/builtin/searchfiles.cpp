// SPDX-License-Identifier: GPL-3.0-or-later
#include "tool/builtin/searchfiles.h"

#include "base/visibletext.h"
#include "tool/builtin/ignorerules.h"
#include "tool/builtin/toolschema.h"
#include "tool/outputbuffer.h"

#include <QRegularExpression>

#include <utility>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int MostHits = 200;
constexpr int MostFiles = 200'000;
constexpr int MostEntriesPerFolder = 50'000;
constexpr int MostDepth = 40;
constexpr auto StepLimit = "(*LIMIT_MATCH=200000)"_L1; // ends a search that a pattern makes endless
constexpr qsizetype LongestShownLine = 300;
constexpr qsizetype LongestSearchedLine = 64 * 1024;

ToolSpec makeSpec()
{
    ToolSpec spec;
    spec.name = u"search_files"_s;
    spec.title = u"Search files"_s;
    spec.description =
        u"Searches the workspace by file name, by content, or both. Gives paths, or "
        "path:line: text for hits in the content. Files that .gitignore leaves out, hidden git "
        "data and files that are not text are skipped."_s;
    spec.parameters = objectSchema(
        {{u"name"_s, stringProperty(u"File name pattern with * and ?, for example *.cpp."_s)},
         {u"text"_s, stringProperty(u"What a line must contain."_s)},
         {u"regex"_s, booleanProperty(u"True if text is a regular expression."_s)},
         {u"case_sensitive"_s, booleanProperty(u"Default: false."_s)},
         {u"path"_s,
          stringProperty(u"Folder to search, relative to the workspace. Default: all of it."_s)}},
        {});
    spec.access = ToolAccess::ReadOnly;
    spec.asksByDefault = false;
    return spec;
}

struct Query
{
    QString folder;
    std::optional<QRegularExpression> name;
    std::optional<QRegularExpression> text;
};

Result<Query> parse(const QJsonObject &arguments, const QString &workspace)
{
    auto folder = pathInWorkspace(arguments.value("path"_L1).toString(u"."_s), workspace);
    if (!folder)
        return folder.error();
    Query query;
    query.folder = folder.value();
    const auto sensitivity = arguments.value("case_sensitive"_L1).toBool()
        ? QRegularExpression::NoPatternOption
        : QRegularExpression::CaseInsensitiveOption;
    const QString name = arguments.value("name"_L1).toString();
    const QString text = arguments.value("text"_L1).toString();
    if (name.isEmpty() && text.isEmpty())
        return Error(ErrorCode::InvalidArgument, u"Give a name, a text, or both."_s);
    if (!name.isEmpty()) {
        query.name = QRegularExpression(
            StepLimit + QRegularExpression::wildcardToRegularExpression(name), sensitivity);
        if (!query.name->isValid())
            return Error(ErrorCode::InvalidArgument, u"The name pattern is not valid."_s);
    }
    if (!text.isEmpty()) {
        query.text = QRegularExpression(arguments.value("regex"_L1).toBool()
                                            ? StepLimit + text
                                            : QRegularExpression::escape(text),
                                        sensitivity);
        if (!query.text->isValid()) {
            return Error(
                ErrorCode::InvalidArgument,
                u"The regular expression is not valid: %1."_s.arg(query.text->errorString()));
        }
    }
    return query;
}

class Search final
{
public:
    Search(const WorkspaceFolder &folder, Query query, ToolContext &context)
        : m_folder(folder), m_query(std::move(query)), m_context(context)
    {
    }

    Result<QString> run()
    {
        if (!m_folder.isFolder(m_query.folder))
            return Error(ErrorCode::NotFound, u"“%1” is not a folder."_s.arg(m_query.folder));
        // The rules of the folders above count as well.
        QString above;
        if (m_query.folder != "."_L1) {
            enterRules({});
            QStringList parts = m_query.folder.split(u'/');
            parts.removeLast(); // visit() enters those of the folder itself
            for (const QString &part : std::as_const(parts)) {
                above += (above.isEmpty() ? u""_s : u"/"_s) + part;
                enterRules(above);
            }
        }
        visit(m_query.folder == "."_L1 ? QString() : m_query.folder, 0);
        if (auto live = m_context.token().check(TurnPhase::ToolCalls); !live)
            return live.error();
        if (m_hits == 0)
            m_found = u"[Nothing was found in %1 files]"_s.arg(m_files);
        else if (m_hits >= MostHits)
            m_found += u"[Only the first %1 hits]"_s.arg(MostHits);
        if (m_incomplete)
            m_found += u"[Not everything was searched: some of it is too large or too much]"_s;
        return m_found;
    }

private:
    struct Rules
    {
        QString folder; // "" or "a/b/"
        IgnoreRules rules;
    };

    bool isOver()
    {
        if (m_files >= MostFiles)
            m_incomplete = true;
        return m_hits >= MostHits || m_files >= MostFiles || m_context.token().isCancelled();
    }

    void enterRules(const QString &folder)
    {
        const QString prefix = folder.isEmpty() ? QString() : folder + u'/';
        const auto file = m_folder.read(prefix + u".gitignore"_s);
        m_rules.push_back({prefix, file && *file ? IgnoreRules(**file) : IgnoreRules()});
    }

    bool isIgnored(const QString &path, IgnoreRules::Kind kind) const
    {
        for (auto rules = m_rules.rbegin(); rules != m_rules.rend(); ++rules) {
            const auto verdict = rules->rules.judge(path.mid(rules->folder.size()), kind);
            if (verdict != IgnoreRules::Verdict::NoRule)
                return verdict == IgnoreRules::Verdict::Ignored;
        }
        return false;
    }

    void visit(const QString &folder, int depth)
    {
        if (depth > MostDepth) {
            m_incomplete = true;
            return;
        }
        const auto entries =
            m_folder.list(folder.isEmpty() ? u"."_s : folder, MostEntriesPerFolder);
        if (!entries)
            return;
        m_incomplete = m_incomplete || int(entries->size()) == MostEntriesPerFolder;
        enterRules(folder);
        for (const FolderEntry &entry : *entries) {
            if (isOver())
                break;
            const QString path = folder.isEmpty() ? entry.name : folder + u'/' + entry.name;
            if (entry.kind == FolderEntry::Kind::Folder) {
                if (entry.name != ".git"_L1 && !isIgnored(path, IgnoreRules::Kind::Folder))
                    visit(path, depth + 1);
            } else if (entry.kind == FolderEntry::Kind::File
                       && !isIgnored(path, IgnoreRules::Kind::File)) {
                visitFile(path, entry.name);
            }
        }
        m_rules.pop_back();
    }

    bool matches(const QRegularExpression &pattern, const QString &text)
    {
        const auto match = pattern.match(text);
        m_incomplete = m_incomplete || !match.isValid(); // it took too many steps
        return match.hasMatch();
    }

    void visitFile(const QString &path, const QString &name)
    {
        ++m_files;
        if (m_query.name && !matches(*m_query.name, name))
            return;
        if (!m_query.text) {
            addHit(withControlsNamed(path, TextUse::Asked) + u'\n');
            return;
        }
        const auto content = m_folder.read(path);
        if (!content)
            m_incomplete = m_incomplete || content.error().code == ErrorCode::TooLarge;
        else if (*content && !looksBinary(**content))
            searchLines(path, **content);
    }

    void searchLines(const QString &path, const QByteArray &content)
    {
        int number = 0;
        for (qsizetype start = 0; start < content.size() && !isOver();) {
            const qsizetype next = content.indexOf('\n', start);
            const qsizetype end = next < 0 ? content.size() : next;
            ++number;
            const QString line = QString::fromUtf8(
                QByteArrayView(content).sliced(start, std::min(end - start, LongestSearchedLine)));
            start = end + 1;
            const auto match = m_query.text->match(line);
            m_incomplete = m_incomplete || !match.isValid();
            if (!match.hasMatch())
                continue;
            const qsizetype from =
                std::max<qsizetype>(0, match.capturedStart() - LongestShownLine / 3);
            addHit(u"%1:%2: %3\n"_s.arg(
                withControlsNamed(path, TextUse::Asked), QString::number(number),
                withControlsNamed(line.mid(from, LongestShownLine).trimmed(), TextUse::Asked)));
        }
    }

    void addHit(const QString &line)
    {
        ++m_hits;
        m_found += line;
        m_context.reportOutput(line.toUtf8());
    }

    const WorkspaceFolder &m_folder;
    const Query m_query;
    ToolContext &m_context;
    std::vector<Rules> m_rules;
    QString m_found;
    int m_hits = 0;
    int m_files = 0;
    bool m_incomplete = false;
};

} // namespace

SearchFiles::SearchFiles(FileServices services)
    : m_services(std::move(services)), m_spec(makeSpec())
{
}

Result<ApprovalRequest> SearchFiles::describe(const QJsonObject &arguments,
                                              const QString &workspace) const
{
    auto query = parse(arguments, workspace);
    if (!query)
        return query.error();
    ApprovalRequest request;
    request.tool = m_spec.name;
    request.title = m_spec.title;
    request.question = u"Allow this search?"_s;
    request.exactText = withControlsNamed(summary(arguments), TextUse::Asked);
    request.facts = {{u"Workspace"_s, workspace},
                     {u"Folder"_s, withControlsNamed(query->folder, TextUse::Asked)}};
    request.fingerprint = approvalFingerprint(m_spec.name, arguments, workspace.toUtf8());
    return request;
}

QString SearchFiles::summary(const QJsonObject &arguments) const
{
    const QString name = arguments.value("name"_L1).toString();
    const QString text = arguments.value("text"_L1).toString();
    QStringList parts;
    if (!text.isEmpty())
        parts << u"“%1”"_s.arg(withControlsNamed(text, TextUse::Asked));
    if (!name.isEmpty())
        parts << withControlsNamed(name, TextUse::Asked);
    return parts.join(u" in "_s);
}

Result<ToolResult> SearchFiles::run(const QJsonObject &arguments, ToolContext &context)
{
    auto query = parse(arguments, context.workspace());
    if (!query)
        return query.error();
    auto folder = WorkspaceFolder::open(context.workspace(), m_services.protectedPaths);
    if (!folder)
        return folder.error();
    auto found = Search(*folder, std::move(query).value(), context).run();
    if (!found)
        return found.error();
    return ToolResult{found.value(), false, std::nullopt, {}};
}

} // namespace fermata

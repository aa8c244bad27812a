// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/codehighlight.h"

#include <QHash>
#include <QSet>

#include <algorithm>

namespace fermata {

namespace {

using namespace Qt::StringLiterals;

// What a tokeniser has to know of a family of languages.
struct Family
{
    QString lineComment;
    QString blockBegin;
    QString blockEnd;
    QString quotes;
    bool tripleQuotes = false;
    bool isShell = false; // the first word of a command is what it calls
    bool ignoresCase = false;
    bool hasCalls = true;
    QSet<QString> words;
};

QSet<QString> wordSet(const char *words)
{
    const QStringList list = QString::fromLatin1(words).split(u' ', Qt::SkipEmptyParts);
    return QSet<QString>(list.begin(), list.end());
}

const Family &cFamily()
{
    static const Family family{
        u"//"_s,
        u"/*"_s,
        u"*/"_s,
        u"\"'`"_s,
        false,
        false,
        false,
        true,
        wordSet(
            "abstract any as async auto await bool boolean break byte case catch char class "
            "co_await co_return co_yield const consteval constexpr continue crate debugger "
            "default defer delete do double dyn else enum explicit export extends extern false "
            "final finally float fn for from func function go goto if impl implements import in "
            "inline instanceof int interface internal is let long loop match mod module mut "
            "mutable namespace new nil noexcept none null nullptr object of operator override "
            "package private protected pub public range ref return self short signed sizeof "
            "static str string struct super switch template this throw throws trait true try "
            "type typedef typename typeof undefined union unsafe unsigned use using val var "
            "virtual void volatile when where while yield")};
    return family;
}

const Family &pythonFamily()
{
    static const Family family{
        u"#"_s,
        {},
        {},
        u"\"'"_s,
        true,
        false,
        false,
        true,
        wordSet("False None True and as assert async await begin break case class continue def del "
                "do elif else elsif end ensure except false finally for from global if import in "
                "is lambda let match module mut nil nonlocal not or pass raise require rescue "
                "return self then true try undef unless until when while with yield")};
    return family;
}

const Family &shellFamily()
{
    static const Family family{
        u"#"_s,
        {},
        {},
        u"\"'"_s,
        false,
        true,
        false,
        false,
        wordSet("case do done elif else esac export fi for function if in local readonly return "
                "select set shift source then time trap unset until while")};
    return family;
}

const Family &configFamily()
{
    static const Family family{u"#"_s,
                               {},
                               {},
                               u"\"'"_s,
                               false,
                               false,
                               false,
                               false,
                               wordSet("true false null yes no on off FROM RUN COPY ENV CMD "
                                       "ENTRYPOINT WORKDIR EXPOSE ARG ADD USER LABEL VOLUME")};
    return family;
}

const Family &sqlFamily()
{
    static const Family family{
        u"--"_s,
        u"/*"_s,
        u"*/"_s,
        u"'\""_s,
        false,
        false,
        true,
        true,
        wordSet("add all alter and as asc begin between by case check column commit constraint "
                "create cross default delete desc distinct drop else end exists foreign from full "
                "function group having if in index inner insert into is join key left like limit "
                "local not null offset on or order outer primary references returning right "
                "rollback select set table then trigger union unique update using values view when "
                "where with while do return nil repeat until elseif")};
    return family;
}

const Family &jsonFamily()
{
    static const Family family{
        u"//"_s, {}, {}, u"\""_s, false, false, false, false, wordSet("true false null")};
    return family;
}

const Family &markupFamily()
{
    static const Family family{{}, u"<!--"_s, u"-->"_s, u"\""_s, false, false, false, false, {}};
    return family;
}

const Family *familyOf(const QString &language)
{
    static const QHash<QString, const Family *> families = [] {
        QHash<QString, const Family *> byName;
        const auto add = [&byName](const Family &family, const char *names) {
            for (const QString &name : QString::fromLatin1(names).split(u' '))
                byName.insert(name, &family);
        };
        add(cFamily(),
            "c h cc cpp c++ cxx hpp java js javascript mjs jsx ts typescript tsx go rust "
            "rs swift kotlin kt cs csharp c# php scala dart qml zig objc proto glsl");
        add(pythonFamily(), "python py python3 ruby rb perl elixir r julia");
        add(shellFamily(), "bash sh zsh shell console fish");
        add(configFamily(),
            "yaml yml toml ini conf cfg dockerfile make makefile cmake nix "
            "properties desktop systemd");
        add(sqlFamily(), "sql sqlite postgresql mysql lua haskell ada");
        add(jsonFamily(), "json json5 jsonc");
        add(markupFamily(), "html xml svg xhtml");
        return byName;
    }();
    return families.value(language.toLower(), nullptr);
}

bool isWordStart(QChar c)
{
    return c.isLetter() || c == u'_';
}

bool isWordPart(QChar c)
{
    return c.isLetterOrNumber() || c == u'_';
}

class Tokeniser final
{
public:
    Tokeniser(const Family &family, const QString &code) : m_family(family), m_code(code) { }

    std::vector<CodeSpan> run()
    {
        while (m_at < m_code.size())
            step();
        return std::move(m_spans);
    }

private:
    bool startsWith(const QString &text) const
    {
        return !text.isEmpty() && QStringView(m_code).mid(m_at).startsWith(text);
    }
    void emitUpTo(qsizetype end, CodeColor color)
    {
        m_spans.push_back({int(m_at), int(end - m_at), color});
        m_at = end;
    }
    void step();
    void string(QChar quote);
    void word();
    void number();

    const Family &m_family;
    const QString &m_code;
    qsizetype m_at = 0;
    bool m_commandStart = true;
    std::vector<CodeSpan> m_spans;
};

void Tokeniser::step()
{
    const QChar c = m_code[m_at];
    const bool commentMayBegin =
        m_family.lineComment != "#"_L1 || m_at == 0 || m_code[m_at - 1].isSpace();
    if (commentMayBegin && startsWith(m_family.lineComment)) {
        const qsizetype end = m_code.indexOf(u'\n', m_at);
        emitUpTo(end < 0 ? m_code.size() : end, CodeColor::Comment);
    } else if (startsWith(m_family.blockBegin)) {
        const qsizetype end = m_code.indexOf(m_family.blockEnd, m_at + m_family.blockBegin.size());
        emitUpTo(end < 0 ? m_code.size() : end + m_family.blockEnd.size(), CodeColor::Comment);
    } else if (m_family.quotes.contains(c)) {
        string(c);
        m_commandStart = false;
    } else if (isWordStart(c)) {
        word();
    } else if (c.isDigit() && (m_at == 0 || !isWordPart(m_code[m_at - 1]))) {
        number();
        m_commandStart = false;
    } else {
        if (c == u'\n' || c == u'|' || c == u';' || c == u'&' || c == u'(')
            m_commandStart = true;
        else if (!c.isSpace() && c != u'$')
            m_commandStart = m_commandStart && c == u'!';
        ++m_at;
    }
}

void Tokeniser::string(QChar quote)
{
    const QString triple(3, quote);
    if (m_family.tripleQuotes && startsWith(triple)) {
        const qsizetype end = m_code.indexOf(triple, m_at + 3);
        emitUpTo(end < 0 ? m_code.size() : end + 3, CodeColor::String);
        return;
    }
    qsizetype end = m_at + 1;
    while (end < m_code.size() && m_code[end] != quote) {
        // A string that is not closed on its line is none: an apostrophe, a lifetime.
        if (m_code[end] == u'\n' && quote != u'`') {
            ++m_at;
            return;
        }
        end += m_code[end] == u'\\' && end + 1 < m_code.size() ? 2 : 1;
    }
    emitUpTo(std::min(end + 1, m_code.size()), CodeColor::String);
}

void Tokeniser::word()
{
    qsizetype end = m_at;
    while (end < m_code.size()
           && (isWordPart(m_code[end])
               || (m_family.isShell && (m_code[end] == u'-' || m_code[end] == u'.'))))
        ++end;
    const QString word = m_code.mid(m_at, end - m_at);
    const bool known = m_family.words.contains(m_family.ignoresCase ? word.toLower() : word);
    const bool assigns = end < m_code.size() && m_code[end] == u'=';
    if (known) {
        emitUpTo(end, CodeColor::Word);
        return; // after "then" and "do" a command begins
    }
    if (m_family.isShell && m_commandStart && !assigns) {
        emitUpTo(end, CodeColor::Function);
    } else if (m_family.hasCalls && end < m_code.size() && m_code[end] == u'(') {
        emitUpTo(end, CodeColor::Function);
    } else {
        m_at = end;
    }
    m_commandStart = false;
}

void Tokeniser::number()
{
    qsizetype end = m_at;
    while (end < m_code.size() && (isWordPart(m_code[end]) || m_code[end] == u'.'))
        ++end;
    emitUpTo(end, CodeColor::Number);
}

std::vector<CodeSpan> diffSpans(const QString &code)
{
    std::vector<CodeSpan> spans;
    for (qsizetype at = 0; at < code.size();) {
        qsizetype end = code.indexOf(u'\n', at);
        if (end < 0)
            end = code.size();
        const QStringView line = QStringView(code).mid(at, end - at);
        if (line.startsWith(u"+++") || line.startsWith(u"---") || line.startsWith(u"@@"))
            spans.push_back({int(at), int(line.size()), CodeColor::Comment});
        else if (line.startsWith(u'+'))
            spans.push_back({int(at), int(line.size()), CodeColor::Added});
        else if (line.startsWith(u'-'))
            spans.push_back({int(at), int(line.size()), CodeColor::Removed});
        at = end + 1;
    }
    return spans;
}

} // namespace

std::vector<CodeSpan> highlightCode(const QString &language, const QString &code)
{
    if (code.size() > MostHighlighted)
        return {};
    if (language.compare("diff"_L1, Qt::CaseInsensitive) == 0
        || language.compare("patch"_L1, Qt::CaseInsensitive) == 0)
        return diffSpans(code);
    const Family *family = familyOf(language);
    return family ? Tokeniser(*family, code).run() : std::vector<CodeSpan>();
}

} // namespace fermata

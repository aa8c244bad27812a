// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/openexternal.h"

#include "ui/transcript/displaytext.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPushButton>
#include <QUrlQuery>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype LongestAddress = 2048;

QString tr(const char *text)
{
    return QCoreApplication::translate("fermata::OpenExternal", text);
}

bool hasInvisible(const QString &text)
{
    for (qsizetype i = 0; i < text.size();) {
        const char32_t c = nextCharacter(text, i);
        if (c == U'\n' || c == U'\t' || isInvisible(c, TextUse::Exact))
            return true;
    }
    return false;
}

// The host that a label seems to name, if it looks like an address at all.
QString hostOfLabel(const QString &label)
{
    const QString text = label.trimmed();
    if (text.isEmpty() || text.contains(u' ') || !text.contains(u'.'))
        return {};
    const bool hasScheme = text.contains("://"_L1);
    const QUrl url(hasScheme ? text : "https://"_L1 + text, QUrl::TolerantMode);
    const QString host = url.host(QUrl::FullyEncoded).toLower();
    // "readme.md" and "v1.2" look like hosts: without a scheme only what has a path or "www." is taken for one, or
    // what ends like a name that people know.
    static const QStringList known{u"com"_s, u"org"_s, u"net"_s, u"io"_s, u"dev"_s,
                                   u"gov"_s, u"edu"_s, u"de"_s,  u"uk"_s, u"eu"_s};
    if (!hasScheme && !text.startsWith("www."_L1) && !known.contains(host.section(u'.', -1)))
        return {};
    return host;
}

QString withoutWww(const QString &host)
{
    return host.startsWith("www."_L1) ? host.mid(4) : host;
}

LinkCheck checkMail(LinkCheck check)
{
    // Nothing but an address and words: "attach" and its like would make a mail program read files.
    QUrlQuery kept;
    for (const auto &[key, value] : QUrlQuery(check.url).queryItems(QUrl::FullyDecoded)) {
        const QString name = key.toLower();
        if (name == "subject"_L1 || name == "body"_L1 || name == "cc"_L1)
            kept.addQueryItem(key, value);
        else
            check.warning = tr("Parts of this mail address were left out: %1")
                                .arg(withControlsNamed(key).left(40));
    }
    check.url.setQuery(kept);
    check.host = withControlsNamed(check.url.path(QUrl::FullyDecoded));
    check.verdict =
        check.host.contains(u'@') ? LinkCheck::Verdict::Ask : LinkCheck::Verdict::Refused;
    return check;
}

} // namespace

LinkCheck checkLink(const QString &address, const QString &label)
{
    LinkCheck check;
    check.address = withControlsNamed(address.left(LongestAddress));
    if (address.size() > LongestAddress || hasInvisible(address))
        return check;
    check.url = QUrl(address, QUrl::StrictMode);
    if (!check.url.isValid())
        return check;
    const QString scheme = check.url.scheme().toLower();
    if (scheme == "mailto"_L1)
        return checkMail(check);
    check.host = check.url.host(QUrl::FullyEncoded);
    if ((scheme != "http"_L1 && scheme != "https"_L1) || check.host.isEmpty())
        return check;
    check.verdict = LinkCheck::Verdict::Ask;
    check.address = withControlsNamed(QString::fromLatin1(check.url.toEncoded()));

    const QString named = hostOfLabel(label);
    if (!check.url.userInfo().isEmpty()) {
        check.warning =
            tr("What stands before the @ is not the host. The link leads to %1.").arg(check.host);
        check.url.setUserInfo(QString());
    } else if (!named.isEmpty() && withoutWww(named) != withoutWww(check.host.toLower())) {
        check.warning = tr("The text of the link names %1, but it leads to %2.")
                            .arg(withControlsNamed(named), check.host);
    } else if (check.host.contains("xn--"_L1)) {
        check.warning = tr("This host has letters of another script, which may look like others.");
    }
    return check;
}

void openExternal(QWidget *parent, const QString &address, const QString &label)
{
    const LinkCheck check = checkLink(address, label);
    const bool asks = check.verdict == LinkCheck::Verdict::Ask;
    auto *box = new QMessageBox(parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setWindowTitle(tr("Open link"));
    box->setIcon(check.warning.isEmpty() && asks ? QMessageBox::NoIcon : QMessageBox::Warning);
    box->setText(asks ? tr("Open %1?").arg(check.host)
                      : tr("Fermata opens only web and mail addresses, and not this one."));
    box->setInformativeText(check.warning.isEmpty() ? check.address
                                                    : check.warning + u"\n\n"_s + check.address);
    QPushButton *copy = box->addButton(tr("Copy address"), QMessageBox::ActionRole);
    QPushButton *stay =
        box->addButton(asks ? tr("Stay here") : tr("Close"), QMessageBox::RejectRole);
    QObject::connect(copy, &QPushButton::clicked, box,
                     [address] { QGuiApplication::clipboard()->setText(address); });
    if (asks) {
        QPushButton *open = box->addButton(tr("Open link"), QMessageBox::AcceptRole);
        QObject::connect(open, &QPushButton::clicked, box,
                         [url = check.url] { QDesktopServices::openUrl(url); });
        box->setDefaultButton(check.warning.isEmpty() ? open : stay);
    }
    box->setEscapeButton(stay);
    box->open();
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/firststartpage.h"

#include "ui/style/metrics.h"
#include "ui/text/modeltext.h"
#include "ui/widgets/card.h"
#include "ui/widgets/textlabel.h"
#include "ui/window/cardrow.h"

#include <QHBoxLayout>
#include <QIcon>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

constexpr int SignSize = 64; // of the picture; its square is 56
constexpr int SignOverhang = 4; // what the picture leaves free at each side

class Sign final : public QWidget
{
public:
    Sign() : m_icon(u":/fermata.svg"_s) { setFixedSize(SignSize - SignOverhang, SignSize); }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        m_icon.paint(&painter, QRect(-SignOverhang, 0, SignSize, SignSize));
    }

private:
    QIcon m_icon;
};

TextLabel *smallTitle(const QString &text)
{
    return new TextLabel(text, metrics::FontStep::Small, TextLabel::Tone::Text2);
}

QString hostAndPort(const QUrl &url)
{
    return url.port() < 0 ? url.host() : u"%1:%2"_s.arg(url.host()).arg(url.port());
}

} // namespace

FirstStartPage::FirstStartPage(QWidget *parent)
    : QWidget(parent), m_welcome(new QWidget),
      m_title(new TextLabel(tr("Welcome to Fermata"), metrics::FontStep::Welcome)),
      m_words(
          new TextLabel(tr("No model is connected yet, so the built-in Guide answers. The Guide "
                           "is not an AI: it searches the user guide and runs tools when you "
                           "ask, so that you can try Stop, time limits and approval now."),
                        metrics::FontStep::Reading, TextLabel::Tone::Text2)),
      m_offers(new Card)
{
    m_words->setWordWrap(true);
    auto *prompts = new Card;
    for (const QString &prompt :
         {tr("What happens when I press Stop?"), tr("Run “sleep 30” so that I can stop it"),
          tr("How do I set a time limit for a turn?")}) {
        auto *row = new PromptRow(prompt);
        prompts->addRow(row);
        connect(row, &QAbstractButton::clicked, this,
                [this, prompt] { emit promptChosen(prompt); });
    }
    auto *other = new OfferRow(Icon::Plug, tr("Another server or a cloud service"),
                               tr("An address and, where needed, a key"), tr("Connect a model…"));
    connect(other, &OfferRow::accepted, this, &FirstStartPage::connectRequested);
    m_offers->addRow(other);

    auto *column = new QVBoxLayout(m_welcome);
    // The empty status line below is not seen: in the middle of what is, it stands lower.
    column->setContentsMargins(0, metrics::Space16 + metrics::Space32, 0, metrics::Space16);
    column->setSpacing(0);
    column->addWidget(new Sign, 0, Qt::AlignLeading);
    column->addSpacing(metrics::Space16);
    column->addWidget(m_title);
    column->addSpacing(metrics::Space8);
    column->addWidget(m_words);
    column->addSpacing(metrics::Space24);
    column->addWidget(smallTitle(tr("Try one of these")));
    column->addSpacing(metrics::Space8);
    column->addWidget(prompts);
    column->addSpacing(metrics::Space24);
    column->addWidget(smallTitle(tr("Or connect a model")));
    column->addSpacing(metrics::Space8);
    column->addWidget(m_offers);
    m_welcome->setMaximumWidth(metrics::FirstStartWidth);

    auto *holder = new QWidget;
    auto *across = new QHBoxLayout(holder);
    across->setContentsMargins(metrics::ColumnMargin, 0, metrics::ColumnMargin, 0);
    across->addStretch();
    across->addWidget(m_welcome, 100, Qt::AlignVCenter);
    across->addStretch();
    auto *area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->viewport()->setBackgroundRole(QPalette::Base);
    area->setWidget(holder);
    holder->setAutoFillBackground(false);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(area);
}

void FirstStartPage::setAnswerer(const Profile *profile)
{
    m_welcome->setVisible(!profile || profile->kind == "guide"_L1);
}

void FirstStartPage::clearOffers()
{
    for (QWidget *row : m_offerRows) {
        row->hide();
        row->deleteLater();
    }
    m_offerRows.clear();
    m_offeredEndpoints.clear();
}

void FirstStartPage::addServer(const DiscoveredServer &server)
{
    const QUrl endpoint = server.profile.endpoint;
    // Environment and discovery may name the same server.
    if (std::count(m_offeredEndpoints.begin(), m_offeredEndpoints.end(), endpoint) > 0)
        return;
    m_offeredEndpoints.push_back(endpoint);
    const qsizetype count = server.models.size();
    const QString models = count == 1 ? tr("1 model") : tr("%1 models").arg(count);
    auto *row =
        new OfferRow(Icon::Server, tr("Found on this computer: %1 (%2)").arg(server.name, models),
                     hostAndPort(endpoint), tr("Use %1").arg(server.name));
    Profile profile = server.profile;
    if (profile.model.isEmpty() && !server.models.isEmpty())
        profile.model = server.models.first();
    connect(row, &OfferRow::accepted, this, [this, profile] { emit profileOffered(profile); });
    addOffer(row);
}

void FirstStartPage::addEnvironmentProfile(const Profile &profile)
{
    if (std::count(m_offeredEndpoints.begin(), m_offeredEndpoints.end(), profile.endpoint) > 0)
        return;
    m_offeredEndpoints.push_back(profile.endpoint);
    const QString source = profile.keyVariable.isEmpty()
        ? hostAndPort(profile.endpoint)
        : tr("%1, with the key of %2").arg(hostAndPort(profile.endpoint), profile.keyVariable);
    auto *row = new OfferRow(Icon::Server, tr("Set in the environment: %1").arg(profile.name),
                             source, tr("Use %1").arg(profile.name));
    connect(row, &OfferRow::accepted, this, [this, profile] { emit profileOffered(profile); });
    addOffer(row);
}

void FirstStartPage::addOffer(OfferRow *row)
{
    m_offers->insertRow(int(m_offerRows.size()), row);
    m_offerRows.push_back(row);
}

} // namespace fermata

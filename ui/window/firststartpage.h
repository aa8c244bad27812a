// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "session/modelcatalog.h"

#include <QWidget>

#include <vector>

namespace fermata {

class Card;
class OfferRow;
class TextLabel;

// What an empty conversation shows: what can be asked at once, and what could answer.
class FirstStartPage final : public QWidget
{
    Q_OBJECT

public:
    explicit FirstStartPage(QWidget *parent = nullptr);

    // Without a model that is connected it welcomes and offers; with one it stays out of the way.
    void setAnswerer(const Profile *profile);
    void clearOffers();
    void addServer(const DiscoveredServer &server);
    void addEnvironmentProfile(const Profile &profile);

signals:
    void promptChosen(const QString &text);
    void profileOffered(const fermata::Profile &profile); // the user wants it
    void connectRequested();

private:
    void addOffer(OfferRow *row);

    QWidget *m_welcome;
    TextLabel *m_title;
    TextLabel *m_words;
    Card *m_offers;
    std::vector<QWidget *> m_offerRows;
    std::vector<QUrl> m_offeredEndpoints;
};

} // namespace fermata

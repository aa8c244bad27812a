// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "provider/guidesearch.h"
#include "provider/modelprovider.h"

namespace fermata {

// The offline provider, which is no AI and says so: it answers from the user guide and runs tools on request, so that
// everything around a model can be tried without one. It goes on exactly where it was cut.
class GuideProvider final : public ModelProvider
{
public:
    explicit GuideProvider(GuideBook book, const Clock &clock = steadyClock());

    std::unique_ptr<ModelStream> start(const ModelRequest &request,
                                       const CancellationToken &token) override;
    QString kind() const override { return QStringLiteral("guide"); }
    bool isLocal() const override { return true; }
    bool canContinueAnswer(const QString &) const override { return true; }

private:
    const GuideBook m_book;
    const Clock &m_clock;
};

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "provider/guideprovider.h"

#include "provider/guidestream.h"

#include <utility>

namespace fermata {

GuideProvider::GuideProvider(GuideBook book, const Clock &clock)
    : m_book(std::move(book)), m_clock(clock)
{
}

std::unique_ptr<ModelStream> GuideProvider::start(const ModelRequest &request,
                                                  const CancellationToken &token)
{
    return std::make_unique<GuideStream>(guideAnswer(request, m_book), token, m_clock);
}

} // namespace fermata

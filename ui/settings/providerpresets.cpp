// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/providerpresets.h"

#include "settings/profile.h"

#include <QCoreApplication>

namespace fermata {

using namespace Qt::StringLiterals;

const std::vector<ProviderPreset> &providerPresets()
{
    static const std::vector<ProviderPreset> presets{
        {u"Ollama"_s, u"http://localhost:11434/v1"_s, false},
        {u"LM Studio"_s, u"http://localhost:1234/v1"_s, false},
        {u"llama.cpp"_s, u"http://localhost:8080/v1"_s, false},
        {u"vLLM"_s, u"http://localhost:8000/v1"_s, false},
        {u"OpenAI"_s, u"https://api.openai.com/v1"_s, true},
        {u"Anthropic"_s, u"https://api.anthropic.com/v1"_s, true},
        {u"Google Gemini"_s, u"https://generativelanguage.googleapis.com/v1beta/openai"_s, true},
        {u"Mistral"_s, u"https://api.mistral.ai/v1"_s, true},
        {u"DeepSeek"_s, u"https://api.deepseek.com/v1"_s, true},
        {u"Groq"_s, u"https://api.groq.com/openai/v1"_s, true},
        {u"OpenRouter"_s, u"https://openrouter.ai/api/v1"_s, true},
        {QCoreApplication::translate("fermata::Presets", "Another server"), QString(), false},
    };
    return presets;
}

int presetFor(const QString &address)
{
    const std::vector<ProviderPreset> &presets = providerPresets();
    const QString origin = originOf(QUrl(address));
    for (std::size_t i = 0; i + 1 < presets.size(); ++i) {
        if (originOf(QUrl(presets[i].address)) == origin)
            return int(i);
    }
    return int(presets.size()) - 1;
}

} // namespace fermata

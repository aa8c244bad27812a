// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/systemprompt.h"

namespace fermata {

using namespace Qt::StringLiterals;

QString systemPrompt(const Conversation &conversation, const QString &workspace)
{
    return uR"(You are a helpful assistant in Fermata, a desktop chat. Answer in the language of the user, in Markdown.
The conversation began on %1.
You can use the tools you are given. Commands and files live in the folder %2; you cannot write anywhere else. The user sees every call and may refuse or stop it. A result that begins with "Not run:" means that nothing was done; one that begins with "Interrupted:" means that the call may or may not have taken effect: check before you repeat it.)"_s
        .arg(conversation.createdAt.date().toString(Qt::ISODate), workspace);
}

} // namespace fermata

// SPDX-License-Identifier: GPL-3.0-or-later
// How a TranscriptView hangs on a session; by itself it knows conversations and events only.
#include "ui/transcript/transcriptview.h"

#include "session/conversationsession.h"

namespace fermata {

void TranscriptView::setSession(ConversationSession *session)
{
    if (m_session == session && session)
        return;
    if (m_session) {
        disconnect(m_session, nullptr, this, nullptr);
        disconnect(this, nullptr, m_session, nullptr);
    }
    m_session = session;
    setConversation(session ? &session->conversation() : nullptr);
    if (!session)
        return;

    connect(session, &ConversationSession::eventsApplied, this, &TranscriptView::apply);
    connect(session, &ConversationSession::stopRequested, this, &TranscriptView::setStopping);
    connect(session, &ConversationSession::branchChanged, m_model.get(), &TranscriptModel::reset);
    connect(session, &QObject::destroyed, this, [this] { setConversation(nullptr); });
    connect(this, &TranscriptView::approvalAnswered, session, &ConversationSession::answerApproval);
    connect(this, &TranscriptView::stopToolRequested, session, &ConversationSession::stopTool);
    connect(this, &TranscriptView::undoRequested, session, &ConversationSession::undo);
    connect(this, &TranscriptView::versionRequested, session, [session](const TurnId &turn) {
        session->activate(session->conversation().leafBelow(turn));
    });
    setApproval(session->openApproval());
    if (session->isStopping())
        setStopping();
    refreshNow();
}

} // namespace fermata

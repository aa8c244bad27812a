// SPDX-License-Identifier: GPL-3.0-or-later
// What the plan does to its running turn.
#include "plannedturn.h"

namespace fermata {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using turnplan::Deed;

void PlannedTurn::answer(const ApprovalRequest &request)
{
    const auto &approval = m_plan.approvals[size_t(m_approvals++) % m_plan.approvals.size()];
    using Kind = turnplan::PlannedApproval::Kind;
    if (approval.kind == Kind::AllowOnce || approval.kind == Kind::AllowInConversation)
        m_log->allowed(request.call);
    doOn(approval.onAnotherThread, ApprovalFor{approval, request});
}

void PlannedTurn::answerNow(const ApprovalFor &work)
{
    using Kind = turnplan::PlannedApproval::Kind;
    const auto send = [&](ApprovalDecision decision) {
        m_control->answerApproval(work.request.call, decision, work.request.fingerprint);
    };
    if (work.approval.wrongFirst)
        m_control->answerApproval(work.request.call, ApprovalDecision::AllowAlways, "another");
    switch (work.approval.kind) {
    case Kind::AllowOnce:
        send(ApprovalDecision::AllowOnce);
        break;
    case Kind::AllowInConversation:
        send(ApprovalDecision::AllowInConversation);
        break;
    case Kind::Deny:
        send(ApprovalDecision::Deny);
        break;
    case Kind::StopTurn:
        stop(CancellationCause::User);
        break;
    case Kind::SkipCall:
        m_stoppedAlone = true;
        m_control->stopTool(work.request.call);
        break;
    case Kind::NoAnswer:
        break;
    }
}

void PlannedTurn::doOn(bool anotherThread, Work work)
{
    // While a question is open, it would be an answer like any other.
    if (const auto *deed = std::get_if<DeedFor>(&work);
        deed && deed->deed == Deed::AnswerNoQuestion && (anotherThread || m_questionIsOpen))
        return;
    const auto perform = [this](const Work &item) {
        if (const auto *deed = std::get_if<DeedFor>(&item))
            doNow(*deed);
        else
            answerNow(std::get<ApprovalFor>(item));
    };
    if (!anotherThread) {
        perform(work);
        return;
    }
    if (!m_otherThread.joinable()) {
        m_otherThread = std::thread([this, perform] {
            for (auto item = m_work.receive(); item.value; item = m_work.receive())
                perform(*item.value);
        });
    }
    m_work.send(std::move(work));
}

void PlannedTurn::stop(CancellationCause cause)
{
    if (m_control->stop({cause, {}, {}, {}}))
        ++m_stopsWon;
}

void PlannedTurn::doNow(const DeedFor &work)
{
    switch (work.deed) {
    case Deed::Stop:
        stop(CancellationCause::User);
        break;
    case Deed::StopTwice:
        stop(CancellationCause::User);
        stop(CancellationCause::WindowClosed);
        break;
    case Deed::StopAgainLater:
        stop(CancellationCause::User);
        m_clock.advance(milliseconds(500));
        stop(CancellationCause::User);
        break;
    case Deed::Force:
        m_control->force();
        break;
    case Deed::StopTool:
    case Deed::StopToolTwice:
        m_stoppedAlone = true;
        m_control->stopTool(work.call);
        if (work.deed == Deed::StopToolTwice)
            m_control->stopTool(work.call);
        break;
    case Deed::CancelExternal:
        m_external.cancel(CancellationCause::User, u"from outside"_s);
        break;
    case Deed::CancelParent:
        m_parent.cancel(CancellationCause::User);
        break;
    case Deed::RequestStop:
        m_externalStop.request_stop();
        break;
    case Deed::ExtendTurn:
        m_control->extend(Limit::Turn, milliseconds(5000));
        break;
    case Deed::ExtendTool:
        m_control->extend(Limit::Tool, milliseconds(5000));
        break;
    case Deed::Pause:
        m_control->pause();
        break;
    case Deed::Resume:
        m_control->resume();
        break;
    case Deed::AnswerNoQuestion:
        m_control->answerQuestion(true);
        break;
    case Deed::AnswerNoApproval:
        m_control->answerApproval(work.call, ApprovalDecision::AllowOnce, "another");
        break;
    }
}

} // namespace fermata

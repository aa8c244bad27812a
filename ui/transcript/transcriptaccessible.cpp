// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/transcript/transcriptaccessible.h"

#include "ui/text/foottext.h"
#include "ui/transcript/transcriptview.h"
#include "ui/widgets/readonlytext.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QHash>
#include <QPointer>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

// Interfaces without an object of their own, by a key; deleted together.
class InterfaceCache final
{
public:
    InterfaceCache() = default;
    ~InterfaceCache()
    {
        for (const QAccessible::Id id : std::as_const(m_ids))
            QAccessible::deleteAccessibleInterface(id);
    }
    Q_DISABLE_COPY_MOVE(InterfaceCache)

    template <typename Make>
    QAccessibleInterface *get(int key, Make make)
    {
        const auto found = m_ids.constFind(key);
        if (found != m_ids.constEnd()) {
            if (QAccessibleInterface *known = QAccessible::accessibleInterface(*found))
                return known;
        }
        QAccessibleInterface *made = make();
        m_ids.insert(key, QAccessible::registerAccessibleInterface(made));
        return made;
    }

private:
    QHash<int, QAccessible::Id> m_ids;
};

constexpr int TargetStride = 1 << 12; // targets are keyed by part and number

// Something in a message that can be pressed.
class TargetInterface final : public QAccessibleInterface, public QAccessibleActionInterface
{
public:
    TargetInterface(TranscriptView *view, int row, int part, int target)
        : m_view(view), m_row(row), m_part(part), m_target(target)
    {
    }

    bool isValid() const override { return target().has_value(); }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    QAccessibleInterface *child(int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QAccessibleInterface *parent() const override
    {
        QAccessibleInterface *list =
            m_view ? QAccessible::queryAccessibleInterface(m_view) : nullptr;
        return list ? list->child(m_row) : nullptr;
    }
    QString text(QAccessible::Text kind) const override
    {
        const auto here = target();
        return here && kind == QAccessible::Name ? here->name : QString();
    }
    void setText(QAccessible::Text, const QString &) override { }
    QRect rect() const override
    {
        const auto here = target();
        if (!here || here->rects.empty())
            return {};
        const QRect part = m_view->layoutOfRows().partRect(m_row, m_part);
        const QRect row = m_view->rowRect(m_row);
        const int offset = part.top() - m_view->layoutOfRows().rowTop(m_row);
        const QRect inView =
            here->rects.front().toAlignedRect().translated(row.left(), row.top() + offset);
        return QRect(m_view->viewport()->mapToGlobal(inView.topLeft()), inView.size());
    }
    QAccessible::Role role() const override
    {
        const auto here = target();
        return here && here->kind == PartTarget::Kind::Link ? QAccessible::Link
                                                            : QAccessible::Button;
    }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.focusable = true;
        return state;
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::ActionInterface
            ? static_cast<QAccessibleActionInterface *>(this)
            : nullptr;
    }
    QStringList actionNames() const override { return {pressAction()}; }
    void doAction(const QString &name) override
    {
        const auto here = target();
        if (here && name == pressAction())
            m_view->activateTarget(m_row, m_part, *here);
    }
    QStringList keyBindingsForAction(const QString &) const override { return {}; }

private:
    std::optional<PartTarget> target() const
    {
        RowContent *content = m_view ? m_view->layoutOfRows().existingContent(m_row) : nullptr;
        if (!content || size_t(m_part) >= content->parts().size())
            return {};
        const auto targets = content->parts()[size_t(m_part)].part->targets();
        if (size_t(m_target) >= targets.size())
            return {};
        return targets[size_t(m_target)];
    }

    QPointer<TranscriptView> m_view;
    int m_row;
    int m_part;
    int m_target;
};

class MessageInterface final : public QAccessibleInterface, public ReadOnlyText
{
public:
    MessageInterface(TranscriptView *view, int row) : m_view(view), m_row(row) { }

    int row() const { return m_row; }
    bool isValid() const override { return m_view && m_row < m_view->model().rowCount(); }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        for (int i = 0; i < childCount(); ++i) {
            QAccessibleInterface *target = child(i);
            if (target && target->rect().contains(x, y))
                return target;
        }
        return nullptr;
    }
    QAccessibleInterface *parent() const override
    {
        return m_view ? QAccessible::queryAccessibleInterface(m_view) : nullptr;
    }
    QAccessibleInterface *child(int index) const override
    {
        const auto keys = targetKeys();
        if (index < 0 || index >= int(keys.size()))
            return nullptr;
        const int key = keys[size_t(index)];
        return m_targets.get(key, [this, key] {
            return new TargetInterface(m_view, m_row, key / TargetStride, key % TargetStride);
        });
    }
    int childCount() const override { return int(targetKeys().size()); }
    int indexOfChild(const QAccessibleInterface *wanted) const override
    {
        for (int i = 0; i < childCount(); ++i) {
            if (child(i) == wanted)
                return i;
        }
        return -1;
    }
    QString text(QAccessible::Text kind) const override
    {
        if (!isValid())
            return {};
        switch (kind) {
        case QAccessible::Name:
        case QAccessible::Value:
            return message();
        case QAccessible::Description:
            return description();
        default:
            return {};
        }
    }
    // Whose message it is, what was noted about it, and how it ended.
    QString description() const
    {
        if (m_view->model().row(m_row).kind == TranscriptRow::Kind::User)
            return QCoreApplication::translate("fermata::TranscriptView", "Your message");
        QStringList parts{QCoreApplication::translate("fermata::TranscriptView", "Answer")};
        const TurnRecord &record = m_view->model().record(m_row);
        for (const TranscriptNotice &notice : m_view->model().notices(record.id))
            parts << notice.text;
        const FootText foot = footText(record);
        for (const QString &part : {foot.line, foot.linkText, foot.ledger}) {
            if (!part.isEmpty())
                parts << part;
        }
        return parts.join(u'\n');
    }
    void setText(QAccessible::Text, const QString &) override { }
    QRect rect() const override
    {
        if (!isValid())
            return {};
        const QRect inView = m_view->rowRect(m_row);
        return QRect(m_view->viewport()->mapToGlobal(inView.topLeft()), inView.size());
    }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.readOnly = true;
        state.multiLine = true;
        state.offscreen =
            isValid() && !m_view->rowRect(m_row).intersects(m_view->viewport()->rect());
        return state;
    }
    void *interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TextInterface ? static_cast<QAccessibleTextInterface *>(this)
                                                  : nullptr;
    }

    QString text(int from, int to) const override { return ReadOnlyText::text(from, to); }
    QString shownText() const override { return message(); }
    QRect shownRect() const override { return rect(); }
    void scrollToSubstring(int, int) override
    {
        if (isValid())
            m_view->showTurn(m_view->model().row(m_row).turn);
    }

private:
    QString message() const { return isValid() ? m_view->model().messageText(m_row) : QString(); }
    // Of what is laid out: what is not near the view has nothing that could be pressed.
    std::vector<int> targetKeys() const
    {
        std::vector<int> keys;
        const RowContent *content =
            isValid() ? m_view->layoutOfRows().existingContent(m_row) : nullptr;
        if (!content)
            return keys;
        for (size_t part = 0; part < content->parts().size(); ++part) {
            if (!content->parts()[part].part->isLaidOut())
                continue;
            const size_t count = content->parts()[part].part->targets().size();
            for (size_t i = 0; i < count && i < size_t(TargetStride); ++i)
                keys.push_back(int(part) * TargetStride + int(i));
        }
        return keys;
    }

    QPointer<TranscriptView> m_view;
    int m_row;
    mutable InterfaceCache m_targets;
};

class TranscriptInterface final : public QAccessibleWidget
{
public:
    explicit TranscriptInterface(TranscriptView *view)
        : QAccessibleWidget(view, QAccessible::List), m_view(view)
    {
    }

    // The messages, and behind them the viewport with the buttons that are laid over them.
    int childCount() const override { return messageCount() + 1; }
    QAccessibleInterface *child(int index) const override
    {
        if (index < 0 || index > messageCount() || !m_view)
            return nullptr;
        if (index == messageCount())
            return QAccessible::queryAccessibleInterface(m_view->viewport());
        return m_messages.get(index, [this, index] { return new MessageInterface(m_view, index); });
    }
    int indexOfChild(const QAccessibleInterface *wanted) const override
    {
        if (!m_view || !wanted)
            return -1;
        if (wanted->object() == m_view->viewport())
            return messageCount();
        const auto *message = dynamic_cast<const MessageInterface *>(wanted);
        return message ? message->row() : -1;
    }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        if (!m_view)
            return nullptr;
        const QPoint inView = m_view->viewport()->mapFromGlobal(QPoint(x, y));
        if (!m_view->viewport()->rect().contains(inView))
            return nullptr;
        if (m_view->viewport()->childAt(inView))
            return QAccessible::queryAccessibleInterface(m_view->viewport());
        return child(m_view->rowAt(inView));
    }

private:
    int messageCount() const { return m_view ? m_view->model().rowCount() : 0; }

    QPointer<TranscriptView> m_view;
    mutable InterfaceCache m_messages;
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<TranscriptView *>(object);
    return view ? new TranscriptInterface(view) : nullptr;
}

} // namespace

void installTranscriptAccessible()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(installed)
}

void notifyRowsAdded(TranscriptView *view, int first, int last)
{
    if (!QAccessible::isActive())
        return;
    QAccessibleInterface *list = QAccessible::queryAccessibleInterface(view);
    for (int row = first; list && row <= last; ++row) {
        if (QAccessibleInterface *item = list->child(row)) {
            QAccessibleEvent event(item, QAccessible::ObjectCreated);
            QAccessible::updateAccessibility(&event);
        }
    }
}

void notifyRowChanged(TranscriptView *view, int row)
{
    if (!QAccessible::isActive() || row < 0)
        return;
    QAccessibleInterface *list = QAccessible::queryAccessibleInterface(view);
    QAccessibleInterface *item = list ? list->child(row) : nullptr;
    if (item) {
        QAccessibleEvent event(item, QAccessible::NameChanged);
        QAccessible::updateAccessibility(&event);
    }
}

} // namespace fermata

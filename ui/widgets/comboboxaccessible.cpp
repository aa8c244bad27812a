// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/comboboxaccessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QComboBox>

namespace fermata {

using namespace Qt::StringLiterals;

namespace {

class ComboBoxAccessible final : public QAccessibleWidget
{
public:
    explicit ComboBoxAccessible(QComboBox *box) : QAccessibleWidget(box, QAccessible::ComboBox) { }

    // There is no other field for the chosen text that reaches a screen reader.
    QString text(QAccessible::Text kind) const override
    {
        const QString name = box()->accessibleName();
        if (kind == QAccessible::Name)
            return name.isEmpty() ? box()->currentText()
                                  : u"%1: %2"_s.arg(name, box()->currentText());
        if (kind == QAccessible::Value)
            return box()->currentText();
        return QAccessibleWidget::text(kind);
    }

    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        state.expandable = true;
        state.hasPopup = true;
        return state;
    }

    QStringList actionNames() const override
    {
        QStringList names = QAccessibleWidget::actionNames();
        if (box()->isEnabled())
            names.prepend(showMenuAction());
        return names;
    }

    void doAction(const QString &name) override
    {
        if (name == showMenuAction())
            box()->showPopup();
        else
            QAccessibleWidget::doAction(name);
    }

private:
    QComboBox *box() const { return static_cast<QComboBox *>(widget()); }
};

QAccessibleInterface *make(const QString &, QObject *object)
{
    auto *box = qobject_cast<QComboBox *>(object);
    return box ? new ComboBoxAccessible(box) : nullptr;
}

} // namespace

void installComboBoxAccessible()
{
    [[maybe_unused]] static const bool isInstalled = [] {
        QAccessible::installFactory(make);
        return true;
    }();
}

} // namespace fermata

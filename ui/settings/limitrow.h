// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/limits.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QSpinBox;
class QVBoxLayout;

namespace fermata {

class TextLabel;

// One limit of the table: its name and what it does, value, unit and "never". A value that is not taken is said below
// the sentence. With "never" the value stays visible, for when it is wanted again.
class LimitRow final : public QWidget
{
    Q_OBJECT

public:
    enum class Unit { Time, Calls };

    static constexpr int ValueWidth = 96;
    static constexpr int UnitWidth = 104;
    static constexpr int NeverWidth = 72;

    LimitRow(const QString &name, const QString &sentence, const QString &link, Unit unit,
             QWidget *parent = nullptr);

    // Without a value "never" is ticked, and `shown` stands in the disabled field.
    void setTime(LimitValue value, std::chrono::milliseconds shown);
    LimitValue time() const;
    void setCalls(std::optional<int> value, int shown);
    std::optional<int> calls() const;
    void setProblem(const QString &problem); // empty: none
    QString problem() const;

signals:
    void edited();
    void linkActivated();

private:
    void showNever();

    QSpinBox *m_value;
    QComboBox *m_unit = nullptr;
    QCheckBox *m_never;
    TextLabel *m_problem;
};

} // namespace fermata

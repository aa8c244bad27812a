// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/limitrow.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"
#include "ui/widgets/textlabel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

namespace fermata {

using std::chrono::milliseconds;

namespace {

constexpr int LeastHeight = 67; // and a hairline
constexpr int MostValue = 100'000;
constexpr int UnitPadding = 12; // words without a field stand where the words in a field do

struct TimeUnit
{
    const char *name;
    milliseconds one;
};
constexpr TimeUnit Units[] = {
    {QT_TRANSLATE_NOOP("fermata::LimitRow", "seconds"), std::chrono::seconds(1)},
    {QT_TRANSLATE_NOOP("fermata::LimitRow", "minutes"), std::chrono::minutes(1)},
    {QT_TRANSLATE_NOOP("fermata::LimitRow", "hours"), std::chrono::hours(1)},
};

// The largest unit that shows the value exactly.
int unitFor(milliseconds value)
{
    if (value >= std::chrono::hours(2) && value % std::chrono::hours(1) == milliseconds::zero())
        return 2;
    if (value >= std::chrono::minutes(1) && value % std::chrono::minutes(1) == milliseconds::zero())
        return 1;
    return 0;
}

} // namespace

LimitRow::LimitRow(const QString &name, const QString &sentence, const QString &link, Unit unit,
                   QWidget *parent)
    : QWidget(parent), m_value(new QSpinBox), m_never(new QCheckBox(tr("never"))),
      m_problem(new TextLabel({}, metrics::FontStep::Small, TextLabel::Tone::Problem))
{
    setMinimumHeight(LeastHeight);
    auto *words = new QVBoxLayout;
    words->setSpacing(2);
    words->addStretch();
    words->addWidget(new TextLabel(name, metrics::FontStep::ControlBold));
    if (link.isEmpty()) {
        auto *label = new TextLabel(sentence, metrics::FontStep::Small, TextLabel::Tone::Text2);
        label->setWordWrap(true);
        words->addWidget(label);
    } else {
        auto *label = new LinkLabel(sentence, link, metrics::FontStep::Small);
        label->setWordWrap(true);
        words->addWidget(label);
        connect(label, &QLabel::linkActivated, this, &LimitRow::linkActivated);
    }
    m_problem->setWordWrap(true);
    m_problem->hide();
    words->addWidget(m_problem);
    words->addStretch();

    m_value->setRange(0, MostValue);
    m_value->setFixedWidth(ValueWidth);
    m_value->setKeyboardTracking(false);
    m_value->setAccessibleName(tr("%1, value").arg(name));
    m_never->setFixedWidth(NeverWidth);
    m_never->setAccessibleName(tr("%1, never").arg(name));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(metrics::Space16, metrics::Space12, metrics::Space16,
                               metrics::Space12);
    layout->setSpacing(metrics::Space12);
    layout->addLayout(words, 1);
    layout->addWidget(m_value);
    if (unit == Unit::Time) {
        m_unit = new QComboBox;
        for (const TimeUnit &u : Units)
            m_unit->addItem(tr(u.name));
        m_unit->setFixedWidth(UnitWidth);
        m_unit->setAccessibleName(tr("%1, unit").arg(name));
        layout->addWidget(m_unit);
        connect(m_unit, &QComboBox::currentIndexChanged, this, &LimitRow::edited);
    } else {
        auto *label =
            new TextLabel(tr("calls"), metrics::FontStep::Control, TextLabel::Tone::Text2);
        label->setFixedWidth(UnitWidth);
        label->setIndent(UnitPadding);
        layout->addWidget(label);
    }
    layout->addWidget(m_never);
    connect(m_value, &QSpinBox::valueChanged, this, &LimitRow::edited);
    connect(m_never, &QCheckBox::toggled, this, [this] {
        showNever();
        emit edited();
    });
}

void LimitRow::setTime(LimitValue value, milliseconds shown)
{
    const milliseconds time = value.value_or(shown);
    const int unit = unitFor(time);
    const QSignalBlocker blockers[] = {QSignalBlocker(m_value), QSignalBlocker(m_unit),
                                       QSignalBlocker(m_never)};
    m_unit->setCurrentIndex(unit);
    m_value->setValue(int(time / Units[unit].one));
    m_never->setChecked(!value);
    showNever();
}

LimitValue LimitRow::time() const
{
    if (m_never->isChecked())
        return std::nullopt;
    return m_value->value() * Units[m_unit->currentIndex()].one;
}

void LimitRow::setCalls(std::optional<int> value, int shown)
{
    const QSignalBlocker blockers[] = {QSignalBlocker(m_value), QSignalBlocker(m_never)};
    m_value->setValue(value.value_or(shown));
    m_never->setChecked(!value);
    showNever();
}

std::optional<int> LimitRow::calls() const
{
    return m_never->isChecked() ? std::nullopt : std::optional(m_value->value());
}

void LimitRow::setProblem(const QString &problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    const FieldState state = problem.isEmpty() ? FieldState::Valid : FieldState::Invalid;
    setFieldState(m_value, state);
    m_value->setAccessibleDescription(problem);
}

QString LimitRow::problem() const
{
    return m_problem->text();
}

void LimitRow::showNever()
{
    m_value->setEnabled(!m_never->isChecked());
    if (m_unit)
        m_unit->setEnabled(!m_never->isChecked());
}

} // namespace fermata

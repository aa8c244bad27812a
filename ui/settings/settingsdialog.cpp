// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings/settingsdialog.h"

#include "ui/settings/appearancepage.h"
#include "ui/settings/datapage.h"
#include "ui/settings/limitspage.h"
#include "ui/settings/modelpage.h"
#include "ui/settings/pagelistdelegate.h"
#include "ui/settings/shortcutspage.h"
#include "ui/settings/toolspage.h"
#include "ui/style/fermatastyle.h"
#include "ui/style/icons.h"
#include "ui/style/metrics.h"
#include "ui/widgets/textlabel.h"
#include "ui/window/windowcontext.h"

#include <QHBoxLayout>
#include <QListView>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace fermata {

namespace {

constexpr int ListWidth = 216;
constexpr int MostPageWidth = 760;
constexpr int FootHeight = 64;
constexpr QSize StartSize{960, 720};

} // namespace

SettingsDialog::SettingsDialog(const WindowContext &context, QWidget *parent)
    : QDialog(parent), m_list(new QListView), m_names(new QStandardItemModel(this)),
      m_pages(new QStackedWidget),
      m_model(new ModelPage(context.settings, context.catalog, context.secrets)),
      m_limits(new LimitsPage(context.settings)),
      m_restore(new QPushButton(tr("Restore defaults"))),
      m_problem(new TextLabel({}, metrics::FontStep::Small, TextLabel::Tone::Problem))
{
    setWindowTitle(tr("Settings — Fermata"));
    setModal(false);
    m_pages->setBackgroundRole(QPalette::Base);
    m_pages->setAutoFillBackground(true);
    resize(StartSize);
    m_list->setFixedWidth(ListWidth - 2 * metrics::Space12 - 1);
    m_list->setModel(m_names);
    m_list->setItemDelegate(new PageListDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAccessibleName(tr("Pages"));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setMouseTracking(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->viewport()->setAutoFillBackground(false);

    auto *toolsPage = new ToolsPage(context.settings, context.library, context.tools,
                                    context.sandboxState ? context.sandboxState() : QString());
    auto *dataPage = new DataPage(context.settings, context.dataFolder);
    addPage(m_model, tr("Model"), int(Icon::Model));
    addPage(m_limits, tr("Limits"), int(Icon::Limits));
    addPage(toolsPage, tr("Tools"), int(Icon::Tools));
    addPage(new AppearancePage(context.settings), tr("Appearance"), int(Icon::Appearance));
    addPage(new ShortcutsPage(context.settings), tr("Shortcuts"), int(Icon::Keyboard));
    addPage(dataPage, tr("Data"), int(Icon::Data));

    auto *right = new QVBoxLayout;
    right->setSpacing(0);
    right->addWidget(m_pages, 1);
    right->addWidget(buildFoot());
    auto *left = new QVBoxLayout;
    left->setContentsMargins(metrics::Space12, metrics::Space16, metrics::Space12,
                             metrics::Space12);
    left->addWidget(m_list);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(left);
    layout->addSpacing(1);
    layout->addLayout(right, 1);

    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &current) { select(current.row()); });
    connect(m_limits, &LimitsPage::perToolRequested, this, [this] { showPage(Page::Tools); });
    connect(dataPage, &DataPage::exportRequested, this, &SettingsDialog::exportRequested);
    connect(dataPage, &DataPage::importRequested, this, &SettingsDialog::importRequested);
    connect(dataPage, &DataPage::deleteRequested, this, &SettingsDialog::deleteRequested);
    showPage(Page::Model);
}

void SettingsDialog::addPage(SettingsPage *page, const QString &name, int iconOfPage)
{
    page->setMaximumWidth(MostPageWidth + 2 * metrics::Space24);
    auto *holder = new QWidget;
    holder->setBackgroundRole(QPalette::Base);
    holder->setAutoFillBackground(true);
    auto *centre = new QHBoxLayout(holder);
    centre->setContentsMargins(0, 0, 0, 0);
    centre->addStretch();
    centre->addWidget(page, 100);
    centre->addStretch();
    auto *area = new QScrollArea;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setBackgroundRole(QPalette::Base);
    area->viewport()->setBackgroundRole(QPalette::Base);
    area->setWidget(holder);
    m_pages->addWidget(area);
    m_all.push_back(page);
    auto *item = new QStandardItem(name);
    item->setData(iconOfPage, PageListDelegate::IconRole);
    m_names->appendRow(item);
    connect(page, &SettingsPage::saveFailed, this,
            [this](const QString &message) { m_problem->setText(message); });
}

QWidget *SettingsDialog::buildFoot()
{
    auto *foot = new QWidget;
    foot->setFixedHeight(FootHeight);
    auto *close = new QPushButton(tr("Close"));
    for (QPushButton *button : {m_restore, close}) {
        setButtonKind(button, ButtonKind::Normal);
        button->setAutoDefault(false);
    }
    close->setMinimumWidth(84);
    m_problem->setWordWrap(true);
    auto *layout = new QHBoxLayout(foot);
    layout->setContentsMargins(metrics::Space24, 0, metrics::Space24, 0);
    layout->setSpacing(metrics::Space12);
    layout->addWidget(m_restore);
    layout->addWidget(m_problem, 1);
    layout->addWidget(close);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_restore, &QPushButton::clicked, this,
            [this] { m_all[std::size_t(m_pages->currentIndex())]->restoreDefaults(); });
    return foot;
}

void SettingsDialog::select(int row)
{
    if (row < 0 || row >= m_pages->count())
        return;
    m_pages->setCurrentIndex(row);
    m_restore->setVisible(m_all[std::size_t(row)]->canRestoreDefaults());
    m_problem->setText({});
}

void SettingsDialog::showPage(Page page)
{
    m_list->setCurrentIndex(m_names->index(int(page), 0));
    select(int(page));
}

void SettingsDialog::showLimit(Limit limit)
{
    showPage(Page::Limits);
    m_limits->focusLimit(limit);
}

void SettingsDialog::addProfile()
{
    showPage(Page::Model);
    m_model->addProfile();
}

void SettingsDialog::paintEvent(QPaintEvent *)
{
    const Theme &theme = themeOf(this);
    QPainter painter(this);
    painter.fillRect(rect(), theme.window);
    const qreal line = metrics::hairline(devicePixelRatioF());
    const bool rightToLeft = layoutDirection() == Qt::RightToLeft;
    painter.fillRect(QRectF(rightToLeft ? width() - ListWidth : ListWidth - 1, 0, line, height()),
                     theme.line);
    const int left = rightToLeft ? 0 : ListWidth;
    painter.fillRect(QRectF(left, height() - FootHeight, width() - ListWidth, line), theme.line);
}

} // namespace fermata

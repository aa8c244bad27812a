// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/detailswindow.h"

#include "ui/style/fermatastyle.h"
#include "ui/style/metrics.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace fermata {

DetailsWindow::DetailsWindow(const QString &details, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Details — Fermata"));
    setModal(false);
    resize(640, 320);
    auto *text = new QPlainTextEdit(details);
    text->setReadOnly(true);
    text->setFont(metrics::fixedFont(metrics::FixedStep::Output));
    text->setAccessibleName(tr("Details"));
    text->setFrameShape(QFrame::NoFrame);
    text->setLayoutDirection(Qt::LeftToRight);
    auto *copy = new QPushButton(tr("Copy"));
    auto *close = new QPushButton(tr("Close"));
    for (QPushButton *button : {copy, close}) {
        setButtonKind(button, ButtonKind::Normal);
        button->setAutoDefault(false);
    }
    auto *buttons = new QHBoxLayout;
    buttons->setSpacing(metrics::Space8);
    buttons->addStretch();
    buttons->addWidget(copy);
    buttons->addWidget(close);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(metrics::Space16, metrics::Space16, metrics::Space16,
                               metrics::Space16);
    layout->setSpacing(metrics::Space12);
    layout->addWidget(text, 1);
    layout->addLayout(buttons);
    connect(copy, &QPushButton::clicked, this,
            [details] { QGuiApplication::clipboard()->setText(details); });
    connect(close, &QPushButton::clicked, this, &QDialog::close);
}

} // namespace fermata

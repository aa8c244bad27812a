// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QUrl>

class QWidget;

namespace fermata {

// What is to be known of a link before it is opened. Pure, so that it can be tested without a window.
struct LinkCheck
{
    enum class Verdict {
        Ask, // may be opened, if the user says so
        Refused, // is never opened
    };

    Verdict verdict = Verdict::Refused;
    QUrl url; // what would be opened
    QString host; // in ASCII, as it goes to the name server; of a mail address the address
    QString address; // the whole address, every character visible
    QString warning; // what looks wrong; empty if nothing does
};

// Only http, https and mailto. `label` is the text that the reader saw; a label that names another place is warned of.
LinkCheck checkLink(const QString &address, const QString &label);

// The one place that opens anything outside of the program: asks first, with the host. Returns at once.
void openExternal(QWidget *parent, const QString &address, const QString &label);

} // namespace fermata

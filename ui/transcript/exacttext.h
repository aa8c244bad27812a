// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/transcript/monotext.h"

#include <QAbstractScrollArea>

namespace fermata {

// A well with text that must be seen exactly as it is: every character visible, wrapped and never cut. What has more
// than MostOpen lines scrolls inside, and endReached() tells when all of it was seen.
class ExactText final : public QAbstractScrollArea
{
    Q_OBJECT

public:
    static constexpr int MostOpen = 40;

    explicit ExactText(QWidget *parent = nullptr);

    enum class Kind { Plain, Diff };
    void setText(const QString &text, Kind kind);
    bool isWhollyVisible() const; // without scrolling
    bool wasEndReached() const { return m_endReached; }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

signals:
    void endReached();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    void layOut(int width) const;
    void checkEnd();
    void applyFont();

    mutable MonoText m_text;
    bool m_endReached = false;
};

} // namespace fermata

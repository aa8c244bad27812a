// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/status/statusline.h"
#include "ui/style/fermatastyle.h"

#include <QAccessible>
#include <QApplication>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace fermata;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

StatusText writing()
{
    TurnProgress progress;
    progress.stage.stage = TurnStage::Writing;
    progress.elapsed = 6'400ms;
    progress.tokens = 212;
    progress.tokensPerSecond = 41;
    progress.now = Instant(1h);
    progress.limits = {{Limit::Silence, 2min, progress.now + 118s}};
    return statusText(progress);
}

QPushButton *extendButton(const StatusLine &line)
{
    for (auto *button : line.findChildren<QPushButton *>()) {
        if (button->accessibleName() == u"Extend limit")
            return button;
    }
    return nullptr;
}

} // namespace

class StatusLineTest final : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(new FermataStyle(lightTheme())); }
    void tellsItsWholeTextToAssistiveTechnology();
    void extendAsksForTheLimitThatIsShown();
    void withoutALimitThereIsNothingToExtend();
    void keepsItsHeightInEveryState();
    void hiddenQuestionIsOffered();
    void wordsOfTheServerAreNoMarkup();
    void fitsIntoANarrowWindow_data();
    void fitsIntoANarrowWindow();
};

void StatusLineTest::tellsItsWholeTextToAssistiveTechnology()
{
    StatusLine line;
    line.setText(writing());
    QCOMPARE(line.accessibleName(), u"Turn status"_s);
    QCOMPARE(line.accessibleDescription(),
             u"Writing, 6.4 s, 212 tokens, 41 tokens/s, Silence limit in 1:58"_s);
    QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(&line);
    QVERIFY(interface);
    QCOMPARE(interface->role(), QAccessible::StaticText);
    QCOMPARE(interface->text(QAccessible::Name), u"Turn status"_s);
    QCOMPARE(interface->text(QAccessible::Value), line.accessibleDescription());
}

void StatusLineTest::extendAsksForTheLimitThatIsShown()
{
    // behaviours: 155
    StatusLine line;
    line.show();
    line.setText(writing());
    QPushButton *extend = extendButton(line);
    QVERIFY(extend);
    QVERIFY(extend->isVisible());
    QCOMPARE(extend->text(), u"Extend +5 min"_s);
    Limit asked = Limit::Turn;
    int count = 0;
    connect(&line, &StatusLine::extendRequested, this, [&](Limit limit) {
        asked = limit;
        ++count;
    });
    extend->click();
    QCOMPARE(count, 1);
    QCOMPARE(asked, Limit::Silence);
}

void StatusLineTest::withoutALimitThereIsNothingToExtend()
{
    StatusLine line;
    line.show();
    line.setText(writing());
    StatusText text = writing();
    text.limit.clear();
    text.which.reset();
    line.setText(text);
    QVERIFY(!extendButton(line)->isVisible());
}

void StatusLineTest::keepsItsHeightInEveryState()
{
    StatusLine line;
    const int height = line.sizeHint().height();
    line.setText(writing());
    QCOMPARE(line.sizeHint().height(), height);
    line.setText({});
    QCOMPARE(line.sizeHint().height(), height);
}

void StatusLineTest::hiddenQuestionIsOffered()
{
    StatusLine line;
    line.show();
    line.setQuestionHidden(true);
    const QSignalSpy asked(&line, &StatusLine::showQuestionRequested);
    for (auto *button : line.findChildren<QPushButton *>()) {
        if (button->text() == u"Show question") {
            QVERIFY(button->isVisible());
            button->click();
        }
    }
    QCOMPARE(asked.size(), 1);
}

void StatusLineTest::wordsOfTheServerAreNoMarkup()
{
    StatusLine line;
    StatusText text = writing();
    text.reason = u"busy <img src=\"file:///etc/hostname\">"_s;
    line.setText(text);
    QCOMPARE(line.toolTip(), u"<qt>busy &lt;img src=&quot;file:///etc/hostname&quot;&gt;</qt>"_s);
}

void StatusLineTest::fitsIntoANarrowWindow_data()
{
    QTest::addColumn<int>("width");
    for (const int width : {1, 60, 200, 360, 520, 640, 1016, 4000})
        QTest::addRow("%d", width) << width;
}

void StatusLineTest::fitsIntoANarrowWindow()
{
    QFETCH(int, width);
    StatusLine line;
    line.setText(writing());
    line.resize(width, 40);
    QCOMPARE(line.grab().isNull(), false);
    QVERIFY(extendButton(line)->geometry().right() <= std::max(width, 200));
}

QTEST_MAIN(StatusLineTest)
#include "tst_statusline.moc"

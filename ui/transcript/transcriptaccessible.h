// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fermata {

class TranscriptView;

// What assistive technology sees of a TranscriptView: a list with one item for each message, whose name and text are
// the message; what can be pressed in a message is a child of its item. Messages far away have no widgets and no
// layout, and are items all the same. May be called more than once.
void installTranscriptAccessible();

void notifyRowsAdded(TranscriptView *view, int first, int last);
// The message is whole. Not for each token: nobody wants them read out.
void notifyRowChanged(TranscriptView *view, int row);

} // namespace fermata

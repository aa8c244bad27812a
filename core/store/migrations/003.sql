-- SPDX-License-Identifier: GPL-3.0-or-later
-- What the model was told before a message, in the middle of a turn.
ALTER TABLE messages ADD COLUMN instruction TEXT NOT NULL DEFAULT '';

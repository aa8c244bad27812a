-- SPDX-License-Identifier: GPL-3.0-or-later
-- What a tool needs to take the effect of a call back, as JSON, and when the user had that done.
ALTER TABLE slots ADD COLUMN undo TEXT;

ALTER TABLE slots ADD COLUMN undone_at INTEGER;

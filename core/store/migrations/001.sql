-- SPDX-License-Identifier: GPL-3.0-or-later
-- Statements end with a semicolon at the end of a line.

CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    created_at INTEGER,        -- times are milliseconds since 1970, UTC, for display only
    updated_at INTEGER,
    deleted_at INTEGER,
    active_turn TEXT,
    draft TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE INDEX conversations_by_time ON conversations (updated_at, number);

-- The order of turns is by number.
CREATE TABLE turns (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
    parent TEXT,
    kind TEXT NOT NULL,
    user_text TEXT NOT NULL,
    created_at INTEGER,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'ended', 'cut')),
    status TEXT,               -- of the outcome, for the list
    sent INTEGER,
    outcome TEXT,
    indexed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX turns_by_conversation ON turns (conversation, number);

CREATE INDEX turns_running ON turns (number) WHERE state = 'running';

CREATE TABLE messages (
    turn INTEGER NOT NULL REFERENCES turns (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    extras TEXT NOT NULL,
    PRIMARY KEY (turn, position)
) STRICT, WITHOUT ROWID;

-- data is the JSON of the block without its long text, which is text followed by the block's segments.
-- The long text of a call is its output.
CREATE TABLE blocks (
    number INTEGER PRIMARY KEY,
    turn INTEGER NOT NULL,
    message INTEGER NOT NULL,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (turn, message, position),
    FOREIGN KEY (turn, message) REFERENCES messages (turn, position) ON DELETE CASCADE
) STRICT;

-- What a running turn has added since; folded into the block when it ends.
CREATE TABLE segments (
    block INTEGER NOT NULL REFERENCES blocks (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (block, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE slots (
    block INTEGER PRIMARY KEY REFERENCES blocks (number) ON DELETE CASCADE,
    state TEXT NOT NULL,
    note TEXT NOT NULL,
    exit_status INTEGER,
    started_at INTEGER,
    duration_ms INTEGER NOT NULL
) STRICT;

CREATE VIEW searchable AS
    SELECT turns.number AS number, turns.user_text AS user_text,
           (SELECT group_concat(part.text, ' ')
              FROM (SELECT blocks.text AS text FROM blocks
                     WHERE blocks.turn = turns.number AND blocks.kind = 'text'
                     ORDER BY blocks.message, blocks.position) AS part) AS answer
      FROM turns;

-- A turn is in it once it has ended. Its texts stay in their tables.
CREATE VIRTUAL TABLE search_index USING fts5 (
    user_text, answer, content = 'searchable', content_rowid = 'number',
    tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
);

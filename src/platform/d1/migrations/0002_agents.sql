-- Agents that registered, for the publisher to see. Neither a key nor its signature. Scopes are those that the publisher granted.
CREATE TABLE agents (
  agent TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  platform TEXT,
  contact TEXT,
  key_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  rotated_at_ms INTEGER,
  granted_scopes TEXT NOT NULL DEFAULT '',
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX agents_by_expiry ON agents (expires_at_ms);
CREATE INDEX agents_by_registration ON agents (created_at_ms);

-- Keys that are refused. Numbers rise in the order in which rows are stored and are never given twice, so that whoever has read
-- up to one number finds everything later above it. Without a serial number all keys of the agent are meant that were issued up
-- to the minute.
CREATE TABLE revocations (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  agent TEXT NOT NULL,
  serial INTEGER,
  issued_minute INTEGER NOT NULL,
  effective_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX revocations_by_agent ON revocations (agent);
CREATE INDEX revocations_by_expiry ON revocations (expires_at_ms);

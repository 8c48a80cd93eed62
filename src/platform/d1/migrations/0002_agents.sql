-- Registered agents, for the publisher, without keys or signatures. Scopes are those that the publisher granted.
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

-- Revoked keys. Sequence numbers rise in the order of storage and are never reused, so that a reader of all rows up to a number finds later
-- rows above it. Without a serial number a row revokes all keys of the agent that were issued up to the minute.
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

-- Sign-ins to the dashboard, until they expire or the publisher signs out. The cookie holds the id; its digest alone is stored.
CREATE TABLE admin_sessions (
  id_sha256 TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the publisher did, in the dashboard or with a command. An entry is stored before its action, so that none is missing: without an
-- outcome, the action was interrupted.
CREATE TABLE audit_log (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  is_done INTEGER NOT NULL DEFAULT 0,
  outcome TEXT
) STRICT;

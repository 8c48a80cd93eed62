-- What was taken of exact quotas: one row for each subject and window. A network stands here only as a keyed digest.
-- The end of the window comes first, so that rows whose window is over lie together.
CREATE TABLE quotas (
  ends_at_ms INTEGER NOT NULL,
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ends_at_ms, name, subject)
) STRICT, WITHOUT ROWID;

-- Usage of exact quotas: one row for each subject and window. A network is stored only as a keyed digest.
-- The key begins with the end of the window, so that rows of ended windows are adjacent.
CREATE TABLE quotas (
  ends_at_ms INTEGER NOT NULL,
  name TEXT NOT NULL,
  subject TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (ends_at_ms, name, subject)
) STRICT, WITHOUT ROWID;

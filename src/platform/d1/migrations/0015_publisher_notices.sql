-- What the publisher is told by webhook or mail, once for each event and channel. Nothing in it is personal data.
CREATE TABLE publisher_notices (
  id TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('webhook', 'mail')),
  kind TEXT NOT NULL,
  data TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  fault TEXT,
  PRIMARY KEY (id, channel)
) STRICT, WITHOUT ROWID;

CREATE INDEX publisher_notices_due ON publisher_notices (due_at_ms) WHERE state = 'due';

-- 2592000000 milliseconds are 30 days.
CREATE TRIGGER publisher_notices_added AFTER INSERT ON publisher_notices
BEGIN
  DELETE FROM publisher_notices WHERE state <> 'due' AND created_at_ms <= NEW.created_at_ms - 2592000000;
END;

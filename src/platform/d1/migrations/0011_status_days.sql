-- Checks of the service by the companion, and how many of them failed, by day in UTC. The status page shows 90 days.
CREATE TABLE status_days (
  day_ms INTEGER PRIMARY KEY,
  checks INTEGER NOT NULL,
  failures INTEGER NOT NULL
) STRICT;

-- 7776000000 milliseconds are 90 days.
CREATE TRIGGER status_days_added AFTER INSERT ON status_days
BEGIN
  DELETE FROM status_days WHERE day_ms <= NEW.day_ms - 7776000000;
END;

-- What is asked, counted by day in UTC: see src/gateway/insights.ts. Nothing names who asked. The kind `total` has the rows written on a day.
CREATE TABLE insights (
  day_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day_ms, kind, name)
) STRICT, WITHOUT ROWID;

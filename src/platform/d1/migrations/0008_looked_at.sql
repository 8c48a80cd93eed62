-- Currency of a payment event, and when the publisher reviewed an event that could not be applied.
ALTER TABLE processor_events ADD COLUMN currency TEXT;
ALTER TABLE processor_events ADD COLUMN looked_at_ms INTEGER;

CREATE INDEX processor_events_looked_at ON processor_events (looked_at_ms) WHERE looked_at_ms IS NOT NULL;

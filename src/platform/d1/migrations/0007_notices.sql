-- Indexes for sending webhooks and for deleting old rows.
CREATE INDEX order_notices_of_order ON order_notices (order_id) WHERE state = 'due';
CREATE INDEX order_notices_sent ON order_notices (created_at_ms) WHERE state = 'sent';
CREATE INDEX processor_events_handled ON processor_events (received_at_ms) WHERE outcome IN ('applied', 'duplicate', 'ignored');
CREATE INDEX processor_events_unsettled ON processor_events (payment_reference) WHERE outcome NOT IN ('applied', 'duplicate', 'ignored');

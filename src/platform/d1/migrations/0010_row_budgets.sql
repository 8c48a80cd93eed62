-- Row counts of tables that anonymous requests fill, so that checking their bound reads one row. Triggers keep them exact.
CREATE TABLE row_counts (
  name TEXT PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO row_counts (name, count) VALUES
  ('agents', (SELECT count(*) FROM agents)),
  ('receipts', (SELECT count(*) FROM receipts)),
  -- Sessions without an order, and invoice requests that wait for the publisher.
  ('checkout_sessions', (SELECT count(*) FROM checkout_sessions WHERE state <> 'completed')),
  ('invoice_requests', (SELECT count(*) FROM invoice_requests WHERE state = 'new')),
  ('free_orders', (SELECT count(*) FROM orders WHERE total_minor = 0));

CREATE TRIGGER agents_added AFTER INSERT ON agents
BEGIN
  UPDATE row_counts SET count = count + 1 WHERE name = 'agents';
END;
CREATE TRIGGER agents_removed AFTER DELETE ON agents
BEGIN
  UPDATE row_counts SET count = count - 1 WHERE name = 'agents';
END;
CREATE TRIGGER receipts_added AFTER INSERT ON receipts
BEGIN
  UPDATE row_counts SET count = count + 1 WHERE name = 'receipts';
END;
CREATE TRIGGER receipts_removed AFTER DELETE ON receipts
BEGIN
  UPDATE row_counts SET count = count - 1 WHERE name = 'receipts';
END;
CREATE TRIGGER checkout_sessions_added AFTER INSERT ON checkout_sessions WHEN NEW.state <> 'completed'
BEGIN
  UPDATE row_counts SET count = count + 1 WHERE name = 'checkout_sessions';
END;
CREATE TRIGGER checkout_sessions_removed AFTER DELETE ON checkout_sessions WHEN OLD.state <> 'completed'
BEGIN
  UPDATE row_counts SET count = count - 1 WHERE name = 'checkout_sessions';
END;
CREATE TRIGGER checkout_sessions_completed AFTER UPDATE OF state ON checkout_sessions WHEN OLD.state <> 'completed' AND NEW.state = 'completed'
BEGIN
  UPDATE row_counts SET count = count - 1 WHERE name = 'checkout_sessions';
END;
CREATE TRIGGER invoice_requests_added AFTER INSERT ON invoice_requests WHEN NEW.state = 'new'
BEGIN
  UPDATE row_counts SET count = count + 1 WHERE name = 'invoice_requests';
END;
CREATE TRIGGER invoice_requests_removed AFTER DELETE ON invoice_requests WHEN OLD.state = 'new'
BEGIN
  UPDATE row_counts SET count = count - 1 WHERE name = 'invoice_requests';
END;
CREATE TRIGGER invoice_requests_changed AFTER UPDATE OF state ON invoice_requests WHEN (OLD.state = 'new') <> (NEW.state = 'new')
BEGIN
  UPDATE row_counts SET count = count + (NEW.state = 'new') - (OLD.state = 'new') WHERE name = 'invoice_requests';
END;

CREATE TRIGGER free_orders_added AFTER INSERT ON orders WHEN NEW.total_minor = 0
BEGIN
  UPDATE row_counts SET count = count + 1 WHERE name = 'free_orders';
END;
CREATE TRIGGER free_orders_removed AFTER DELETE ON orders WHEN OLD.total_minor = 0
BEGIN
  UPDATE row_counts SET count = count - 1 WHERE name = 'free_orders';
END;

-- Old invoice requests, free orders and failed payments are deleted.
CREATE INDEX invoice_requests_by_age ON invoice_requests (updated_at_ms);
CREATE INDEX free_orders_by_age ON orders (created_at_ms) WHERE total_minor = 0;
CREATE INDEX payments_failed ON payments (claimed_at_ms) WHERE state = 'failed';

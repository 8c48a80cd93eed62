-- Checkout sessions. A change raises the revision by one and stores a mark; its other statements, in the same transaction, apply only where
-- the mark is.
CREATE TABLE checkout_sessions (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  channel TEXT NOT NULL CHECK (channel IN ('acp', 'ucp', 'page')),
  state TEXT NOT NULL CHECK (state IN ('open', 'charging', 'completed', 'canceled')),
  currency TEXT NOT NULL,
  total_minor INTEGER NOT NULL CHECK (total_minor >= 0),
  content TEXT NOT NULL,
  revision INTEGER NOT NULL,
  mark TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX checkout_sessions_by_expiry ON checkout_sessions (expires_at_ms) WHERE state <> 'completed';

-- One order for each completed session.
CREATE TABLE orders (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  receipt TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL UNIQUE REFERENCES checkout_sessions (id),
  total_minor INTEGER NOT NULL,
  refunded_minor INTEGER NOT NULL DEFAULT 0 CHECK (refunded_minor BETWEEN 0 AND total_minor),
  payment_reference TEXT,
  content TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX orders_by_payment ON orders (payment_reference) WHERE payment_reference IS NOT NULL;

-- Log of sessions and orders, append-only.
CREATE TABLE order_log (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  detail TEXT NOT NULL
) STRICT;

CREATE INDEX order_log_by_session ON order_log (session_id, number);

CREATE TRIGGER order_log_stays_as_it_is BEFORE UPDATE ON order_log
BEGIN
  SELECT RAISE(ABORT, 'the log of orders is only added to');
END;

-- Events of the payment processor, each handled once.
CREATE TABLE processor_events (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  session_id TEXT,
  payment_reference TEXT,
  amount_minor INTEGER,
  is_refund INTEGER NOT NULL,
  outcome TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX processor_events_by_payment ON processor_events (payment_reference) WHERE is_refund = 1;
CREATE INDEX processor_events_to_look_at ON processor_events (received_at_ms) WHERE outcome NOT IN ('applied', 'duplicate', 'ignored');

-- Webhook deliveries.
CREATE TABLE order_notices (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  order_id TEXT NOT NULL,
  url TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('order_create', 'order_update')),
  state TEXT NOT NULL DEFAULT 'due' CHECK (state IN ('due', 'sent', 'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER NOT NULL,
  fault TEXT,
  created_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX order_notices_due ON order_notices (due_at_ms) WHERE state = 'due';

-- Invoice requests, each with a receipt.
CREATE TABLE invoice_requests (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  receipt TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'answered', 'closed')),
  created_at_ms INTEGER NOT NULL,
  updated_at_ms INTEGER NOT NULL
) STRICT;

-- Counts by day and offer, without personal data.
CREATE TABLE commerce_counts (
  day TEXT NOT NULL,
  event TEXT NOT NULL,
  offer_id TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (day, event, offer_id)
) STRICT, WITHOUT ROWID;

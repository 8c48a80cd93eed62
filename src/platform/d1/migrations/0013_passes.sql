-- What paid orders open, and until when; NULL for good. See src/gateway/commerce/cart/passes.ts. The order says whether it was refunded or withdrawn.
CREATE TABLE passes (
  order_id TEXT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
  opens TEXT NOT NULL,
  agent TEXT,
  ends_at_ms INTEGER,
  PRIMARY KEY (order_id, opens)
) STRICT, WITHOUT ROWID;

CREATE INDEX passes_by_agent ON passes (agent, opens) WHERE agent IS NOT NULL;

-- When the publisher withdrew what an order delivers.
ALTER TABLE orders ADD COLUMN withdrawn_at_ms INTEGER;

-- An agent buys one pass at a time.
CREATE INDEX checkout_sessions_charging ON checkout_sessions (owner) WHERE state = 'charging';

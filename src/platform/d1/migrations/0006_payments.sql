-- Payments for capsules: one row for each authorization and what it buys. No payment is settled without a row.
-- "signed" is the authorization of the buyer, which can pay only the publisher; a payment with an unknown outcome is settled with it again.
CREATE TABLE payments (
  network TEXT NOT NULL,
  asset TEXT NOT NULL,
  payer TEXT NOT NULL,
  nonce TEXT NOT NULL,
  identifier TEXT,
  resource TEXT NOT NULL,
  capsule_id TEXT NOT NULL,
  version TEXT NOT NULL,
  amount TEXT NOT NULL,
  pay_to TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  is_secret INTEGER NOT NULL,
  signed TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('settling', 'settled', 'failed')),
  attempt INTEGER NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  tx TEXT NOT NULL DEFAULT '',
  claimed_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER,
  PRIMARY KEY (network, asset, payer, nonce)
) STRICT, WITHOUT ROWID;

CREATE INDEX payments_by_identifier ON payments (payer, identifier) WHERE identifier IS NOT NULL;
CREATE INDEX payments_by_age ON payments (claimed_at_ms);

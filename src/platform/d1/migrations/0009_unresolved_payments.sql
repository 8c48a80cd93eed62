-- A payment with an unknown outcome waits for the publisher as 'unresolved'. SQLite cannot change a CHECK, so the table is recreated with its
-- rows. "tx" of an unsettled payment is the transaction that the facilitator named, if any.
CREATE TABLE payments_new (
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
  state TEXT NOT NULL CHECK (state IN ('settling', 'unresolved', 'settled', 'failed')),
  attempt INTEGER NOT NULL,
  lease_until_ms INTEGER NOT NULL,
  tx TEXT NOT NULL DEFAULT '',
  claimed_at_ms INTEGER NOT NULL,
  settled_at_ms INTEGER,
  reviewed_at_ms INTEGER,
  PRIMARY KEY (network, asset, payer, nonce)
) STRICT, WITHOUT ROWID;

INSERT INTO payments_new SELECT network, asset, payer, nonce, identifier, resource, capsule_id, version, amount, pay_to, fingerprint, is_secret, signed, state, attempt, lease_until_ms, tx, claimed_at_ms, settled_at_ms, NULL FROM payments;

DROP TABLE payments;

ALTER TABLE payments_new RENAME TO payments;

CREATE INDEX payments_by_identifier ON payments (payer, identifier) WHERE identifier IS NOT NULL;
CREATE INDEX payments_by_age ON payments (claimed_at_ms);
CREATE INDEX payments_unsettled ON payments (claimed_at_ms) WHERE state IN ('settling', 'unresolved');

-- Responses that can be replayed under an Idempotency-Key, for every operation that stores something.
CREATE TABLE idempotency (
  caller TEXT NOT NULL,
  route TEXT NOT NULL,
  key_sha256 TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  status INTEGER NOT NULL,
  response TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (caller, route, key_sha256)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_by_expiry ON idempotency (expires_at_ms);

-- Proposals, each stored once for all agents that sent it, with the decision of the publisher.
CREATE TABLE proposals (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  sha256 TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('capsule', 'correction')),
  capsule_id TEXT NOT NULL,
  body TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'accepted', 'rejected')),
  decided_at_ms INTEGER,
  reason TEXT
) STRICT;

CREATE INDEX proposals_that_wait ON proposals (received_at_ms) WHERE state = 'pending';
CREATE INDEX proposals_by_decision ON proposals (decided_at_ms) WHERE decided_at_ms IS NOT NULL;

-- One row for each agent and proposal, with the response that the agent received.
CREATE TABLE receipts (
  proposal_sha256 TEXT NOT NULL,
  agent TEXT NOT NULL,
  receipt TEXT NOT NULL UNIQUE,
  note TEXT,
  response TEXT NOT NULL,
  received_at_ms INTEGER NOT NULL,
  PRIMARY KEY (proposal_sha256, agent)
) STRICT, WITHOUT ROWID;

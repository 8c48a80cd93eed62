-- Registrations that can be replayed under an Idempotency-Key, with the payload of the API key, never the key or its MAC.
CREATE TABLE registrations (
  idempotency_key_sha256 TEXT PRIMARY KEY,
  body_sha256 TEXT NOT NULL,
  key_payload TEXT NOT NULL,
  agent_name TEXT NOT NULL,
  platform TEXT,
  contact TEXT,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX registrations_by_expiry ON registrations (expires_at_ms);

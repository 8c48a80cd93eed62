-- Scopes of the newest key of an agent, so that nobody grants what it has; NULL where the key was made before they were recorded.
ALTER TABLE agents ADD COLUMN key_scopes TEXT;

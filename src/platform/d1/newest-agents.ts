/** Agents that registered last, `?1` of them at most, the last one first: the end of a statement that reads them. */
export const NEWEST_AGENTS = 'FROM agents ORDER BY created_at_ms DESC, agent LIMIT ?1';

/** Prefix of ids of checkout sessions. */
export const SESSION_ID_PREFIX = 'cs_';

/** Pattern of ids of checkout sessions. Without zod, which the companion does without. */
export const SESSION_ID_PATTERN = `^${SESSION_ID_PREFIX}[0-9a-f]{32}$`;

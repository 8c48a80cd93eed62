export const SESSION_ID_PREFIX = 'cs_';

/** Pattern of ids of checkout sessions. Plain text, because the companion Worker imports it and must not bundle zod. */
export const SESSION_ID_PATTERN = `^${SESSION_ID_PREFIX}[0-9a-f]{32}$`;

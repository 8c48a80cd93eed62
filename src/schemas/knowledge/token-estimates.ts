export const TOKEN_RULE = 'UTF-8 bytes divided by 4, rounded up';

/**
 * Name of the token estimate of all limits and counts, by {@link TOKEN_RULE}. It depends on no model, so that callers compute the same
 * number. Another estimate needs another name.
 */
export const TOKEN_ESTIMATOR = 'utf8-bytes/4';

export function estimateTokens(text: string): number {
  return tokensOfBytes(utf8Length(text));
}

/** Estimated tokens of a text with this many bytes in UTF-8. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Bytes of a text in UTF-8. ASCII, the usual case, needs no encoding. */
export function utf8Length(text: string): number {
  return /[^\x00-\x7f]/.test(text) ? new TextEncoder().encode(text).length : text.length;
}

export const TOKEN_RULE = 'UTF-8 bytes divided by 4, rounded up';

/** Name of the estimate of all limits and counts, {@link TOKEN_RULE}, which callers can compute, whatever their model. Another needs another name. */
export const TOKEN_ESTIMATOR = 'utf8-bytes/4';

export function estimateTokens(text: string): number {
  return tokensOfBytes(utf8Length(text));
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Bytes of a text in UTF-8. ASCII, the usual case, needs no encoding. */
export function utf8Length(text: string): number {
  return /[^\x00-\x7f]/.test(text) ? new TextEncoder().encode(text).length : text.length;
}

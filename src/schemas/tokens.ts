/**
 * Name of the estimate of tokens that all bounds and counts of tokens are in: bytes of the UTF-8 form, divided by 4, rounded up. It
 * depends on no model and no vocabulary, so that a caller works out the same number. An estimate of another kind gets another name.
 */
export const TOKEN_ESTIMATOR = 'utf8-bytes/4';

/** Tokens of a text by {@link TOKEN_ESTIMATOR}. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

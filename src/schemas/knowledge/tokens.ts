import * as z from 'zod';
import { LIMITS } from '../limits.ts';

/** The rule by which tokens are estimated, in words. */
export const TOKEN_RULE = 'UTF-8 bytes divided by 4, rounded up';

/**
 * Name of the estimate of tokens that all bounds and counts of tokens are in, by {@link TOKEN_RULE}. It
 * depends on no model and no vocabulary, so that a caller works out the same number. An estimate of another kind gets another name.
 */
export const TOKEN_ESTIMATOR = 'utf8-bytes/4';

/** Says in an answer how its tokens were counted. */
export const TokenEstimator = z.literal(TOKEN_ESTIMATOR).describe(`Estimate that tokens are counted by: of the JSON, ${TOKEN_RULE}.`);

/** Most tokens that the items of an answer may cost together. */
export function tokenBudgetOf(item: 'result' | 'capsule') {
  return z
    .int()
    .min(LIMITS.tokenBudgetMin)
    .default(LIMITS.tokenBudgetMax)
    .describe(
      `Most tokens that the ${item}s together may cost, by the estimate ${TOKEN_ESTIMATOR}: of each ${item} as JSON, ${TOKEN_RULE}. It is never exceeded. Numbers above ${LIMITS.tokenBudgetMax} are lowered to it, and meta.clamped says so.`,
    );
}

/** Tokens of a text by {@link TOKEN_ESTIMATOR}. */
export function estimateTokens(text: string): number {
  return tokensOfBytes(utf8Length(text));
}

/** Tokens of a text that has so many bytes as UTF-8. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** Bytes of a text as UTF-8. Most texts are ASCII alone, which need not be encoded for it. */
export function utf8Length(text: string): number {
  return /[^\x00-\x7f]/.test(text) ? new TextEncoder().encode(text).length : text.length;
}

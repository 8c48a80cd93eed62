import * as z from 'zod';
import { LIMITS } from '../limits.ts';

export const TOKEN_RULE = 'UTF-8 bytes divided by 4, rounded up';

/**
 * Name of the token estimate of all limits and counts, by {@link TOKEN_RULE}. It depends on no model, so that callers compute the same
 * number. Another estimate needs another name.
 */
export const TOKEN_ESTIMATOR = 'utf8-bytes/4';

export const TokenEstimator = z.literal(TOKEN_ESTIMATOR).describe(`Token estimate: of the JSON, ${TOKEN_RULE}.`);

export function tokenBudgetOf(item: 'result' | 'capsule') {
  return z
    .int()
    .min(LIMITS.tokenBudgetMin)
    .default(LIMITS.tokenBudgetMax)
    .describe(
      `Most tokens of all ${item}s together, by the estimate ${TOKEN_ESTIMATOR}: of each ${item} as JSON, ${TOKEN_RULE}. Never exceeded. Numbers above ${LIMITS.tokenBudgetMax} are lowered to it, as meta.clamped reports.`,
    );
}

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

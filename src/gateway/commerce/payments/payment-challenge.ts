import { type Refusal, refuse } from '../../result.ts';
import type { PaidResource } from './paid-resource.ts';
import type { PaymentClaim } from './payment-ports.ts';
import type { ChallengeReason, ChallengeSource, PaymentScheme } from './payment-scheme.ts';

/** The response 402 with the challenge of every scheme; clients of all of them pay the same terms. */
export async function challengeRefusal(
  reason: ChallengeReason,
  resource: PaidResource,
  source: ChallengeSource,
): Promise<{ readonly ok: false; readonly refusal: Refusal }> {
  const challenges = await Promise.all(source.schemes.map((scheme) => scheme.challenge(reason, resource, source)));
  return refuse(reason.code, reason.detail, {
    members: merged(challenges.map(({ members = {} }) => members)),
    headers: merged(challenges.map(({ headers }) => headers)),
  });
}

/** Headers with the receipts of every scheme; shared caches must not keep what was paid for. */
export function receiptHeaders(claim: PaymentClaim, schemes: readonly PaymentScheme[]): Record<string, string> {
  return { ...merged(schemes.map((scheme) => scheme.receipt(claim))), 'Cache-Control': 'private, no-store' };
}

function merged<T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}

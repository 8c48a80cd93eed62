import type { AskedPayment, Facilitator, Settled, Verified } from '../gateway/commerce/payments/payment-ports.ts';
import type { Timers } from '../gateway/ports.ts';
import { SettleAnswer, TransactionHash, VerifyAnswer, X402_VERSION } from '../protocols/x402/schemas.ts';
import { DeadlineError } from './deadline.ts';
import { type Fetch, postJson, ResponseError, systemFetch } from './post-json.ts';

/** Longest time that a facilitator may take to look at a payment, and to settle it and wait for its network, in milliseconds. */
const VERIFY_DEADLINE_MS = 6_000;
const SETTLE_DEADLINE_MS = 20_000;

/** The network has taken the transaction and not confirmed it (@x402/evm since 2.23; the second is the name in its specification). */
const PENDING: readonly string[] = ['settlement_pending', 'settle_pending'];

/**
 * A facilitator over HTTP (x402 version 2, section 7). Redirects are not followed: whoever answers for the facilitator could say that
 * anything was paid. An answer that is late, too long, no JSON, or of another shape counts as none.
 *
 * @param address Without a slash at the end.
 */
export function httpFacilitator(address: string, timers: Timers, fetch: Fetch = systemFetch): Facilitator {
  const ask = async (path: '/verify' | '/settle', payment: AskedPayment, ms: number): Promise<unknown> => {
    try {
      return await postJson(address + path, bodyOf(payment), ms, `the facilitator's ${path}`, timers, fetch);
    } catch (error) {
      const reason = error instanceof DeadlineError || error instanceof ResponseError ? error.message : String(error);
      console.error(JSON.stringify({ level: 'error', what: 'facilitator', path, reason }));
      return undefined;
    }
  };
  return {
    verify: async (payment) => verifiedBy(await ask('/verify', payment, VERIFY_DEADLINE_MS)),
    settle: async (payment) => settledBy(await ask('/settle', payment, SETTLE_DEADLINE_MS)),
  };
}

function bodyOf({ signed, requirements, resource, extensions }: AskedPayment): object {
  return {
    x402Version: X402_VERSION,
    paymentPayload: { x402Version: X402_VERSION, resource, accepted: requirements, payload: signed, extensions },
    paymentRequirements: requirements,
  };
}

function verifiedBy(answer: unknown): Verified {
  const parsed = VerifyAnswer.safeParse(answer);
  if (!parsed.success) return { kind: 'unknown' };
  return parsed.data.isValid ? { kind: 'valid' } : { kind: 'invalid', reason: parsed.data.invalidReason ?? '' };
}

/** A success names its transaction (x402 version 2, section 5.3, `transaction`); one that does not shows nothing. */
function settledBy(answer: unknown): Settled {
  const parsed = SettleAnswer.safeParse(answer);
  if (!parsed.success) return { kind: 'unknown' };
  const { success, errorReason } = parsed.data;
  const hash = TransactionHash.safeParse(parsed.data.transaction);
  if (success) return hash.success ? { kind: 'settled', transaction: hash.data } : { kind: 'unknown' };
  const reason = errorReason ?? '';
  const named = hash.success ? { transaction: hash.data } : {};
  return PENDING.includes(reason) ? { kind: 'pending', ...named } : { kind: 'refused', reason, ...named };
}

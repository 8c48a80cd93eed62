import type { AskedPayment, Facilitator, Settled, Verified } from '../gateway/payments/payment-ports.ts';
import type { Timers } from '../gateway/ports.ts';
import { SettleAnswer, VerifyAnswer, X402_VERSION } from '../schemas/x402.ts';
import { DeadlineError, withinDeadline } from './deadline.ts';

/** Longest time that a facilitator may take to look at a payment, and to settle it and wait for its network, in milliseconds. */
const VERIFY_DEADLINE_MS = 6_000;
const SETTLE_DEADLINE_MS = 20_000;

/** Largest answer of a facilitator that is read, in bytes. */
const ANSWER_MAX_BYTES = 65_536;

/** The network has taken the transaction and not confirmed it (@x402/evm since 2.23; the second is the name in its specification). */
const PENDING: readonly string[] = ['settlement_pending', 'settle_pending'];

/** What is asked of the world: one request over HTTP. */
export type Fetch = (address: string, init: RequestInit) => Promise<Response>;

/**
 * A facilitator over HTTP (x402 version 2, section 7). Redirects are not followed: whoever answers for the facilitator could say that
 * anything was paid. An answer that is late, too long, no JSON, or of another shape counts as none.
 *
 * @param address Without a slash at the end.
 */
export function httpFacilitator(address: string, timers: Timers, fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Facilitator {
  const ask = async (path: '/verify' | '/settle', payment: AskedPayment, ms: number): Promise<unknown> => {
    const abort = new AbortController();
    try {
      return await withinDeadline(
        () => post(fetch, address + path, bodyOf(payment), abort.signal),
        ms,
        `the facilitator's ${path}`,
        timers,
      );
    } catch (error) {
      abort.abort();
      const reason = error instanceof DeadlineError || error instanceof AnswerError ? error.message : String(error);
      console.error(JSON.stringify({ level: 'error', what: 'facilitator', path, reason }));
      return undefined;
    }
  };
  return {
    verify: async (payment) => verifiedBy(await ask('/verify', payment, VERIFY_DEADLINE_MS)),
    settle: async (payment) => settledBy(await ask('/settle', payment, SETTLE_DEADLINE_MS)),
  };
}

/** An answer that is none. */
class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

function bodyOf({ signed, requirements, resource, extensions }: AskedPayment): string {
  return JSON.stringify({
    x402Version: X402_VERSION,
    paymentPayload: { x402Version: X402_VERSION, resource, accepted: requirements, payload: signed, extensions },
    paymentRequirements: requirements,
  });
}

async function post(fetch: Fetch, address: string, body: string, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body,
    redirect: 'manual',
    signal,
  });
  const text = await boundedText(response);
  // Facilitators say no with 400 or 402 too, and in the same shape.
  if (response.status >= 500 || (response.status >= 300 && response.status < 400) || response.status === 429)
    throw new AnswerError(`the facilitator answered ${response.status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new AnswerError(`the facilitator answered ${response.status} without JSON`);
  }
}

async function boundedText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    size += value.length;
    if (size > ANSWER_MAX_BYTES) {
      await reader?.cancel();
      throw new AnswerError('the facilitator answered too much');
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(bytes);
}

function verifiedBy(answer: unknown): Verified {
  const parsed = VerifyAnswer.safeParse(answer);
  if (!parsed.success) return { kind: 'unknown' };
  return parsed.data.isValid ? { kind: 'valid' } : { kind: 'invalid', reason: parsed.data.invalidReason ?? '' };
}

function settledBy(answer: unknown): Settled {
  const parsed = SettleAnswer.safeParse(answer);
  if (!parsed.success) return { kind: 'unknown' };
  const { success, transaction, errorReason } = parsed.data;
  if (success) return { kind: 'settled', transaction: transaction ?? '' };
  const reason = errorReason ?? '';
  return PENDING.includes(reason) ? { kind: 'pending' } : { kind: 'refused', reason, transaction: transaction ?? '' };
}

import { Stripe } from 'stripe';
import type { Missing } from '../../gateway/commerce/sessions/commerce-dependencies.ts';

/** Version of Stripe's API that is spoken: the one that the types of the library describe. */
const API_VERSION = '2026-10-28.endive';

/**
 * Longest time for one attempt at a request, in milliseconds, and how often it is repeated. For the three requests that a charge takes
 * at the most (made, looked up, given up), with the pauses of the library between attempts, that is shorter than the time after which a
 * payment counts as forgotten (complete-session.ts). An attempt that comes too early meets the same payment by its idempotency key.
 */
const TIMEOUT_MS = 6_000;
const RETRIES = 2;

/** Where Stripe is, and with which key. */
export interface StripeSettings {
  readonly secretKey: string;
  /** Address of a stand-in, such as `http://127.0.0.1:12111`; Stripe itself without one. */
  readonly apiBase: string | undefined;
}

/**
 * Reads the secrets.
 *
 * @param place A stand-in for Stripe is taken on a loopback address (`local`) only.
 * @returns The settings, or why there are none.
 */
export function readStripeSettings(
  secretKey: string | undefined,
  apiBase: string | undefined,
  place: 'local' | 'live',
): StripeSettings | Missing {
  const key = secretKey?.trim() ?? '';
  if (key === '') return { missing: 'This deployment has no key of the payment processor, so it can charge nothing.' };
  if (!/^(sk|rk)_(live|test)_[A-Za-z0-9_]{8,255}$/.test(key))
    return { missing: 'The key of the payment processor does not have the form of one.' };
  if (apiBase === undefined || place === 'live') return { secretKey: key, apiBase: undefined };
  if (!/^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}$/.test(apiBase))
    return { missing: 'The stand-in for the payment processor is not on this machine.' };
  return { secretKey: key, apiBase };
}

/** Whether a key is one of live mode, by its beginning (docs.stripe.com/keys); one of a test mode moves no money. */
export function takesRealMoney({ secretKey }: StripeSettings): boolean {
  return /^(sk|rk)_live_/.test(secretKey);
}

/** Gives a client of Stripe, made when it is asked for first. */
export function stripeClient({ secretKey, apiBase }: StripeSettings): () => Stripe {
  let client: Stripe | undefined;
  return () => {
    const base = apiBase === undefined ? undefined : new URL(apiBase);
    client ??= new Stripe(secretKey, {
      apiVersion: API_VERSION,
      httpClient: Stripe.createFetchHttpClient(),
      maxNetworkRetries: RETRIES,
      timeout: TIMEOUT_MS,
      telemetry: false,
      ...(base === undefined ? {} : { host: base.hostname, port: base.port, protocol: 'http' as const }),
    });
    return client;
  };
}

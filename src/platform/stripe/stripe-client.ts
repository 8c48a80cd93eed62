import { Stripe } from 'stripe';
import type { NotConfigured } from '../../gateway/commerce/orders/order-ports.ts';

/** Version of Stripe's API that is spoken: the one that the types of the library describe. */
const API_VERSION = '2026-10-28.endive';

/**
 * Timeout of one attempt at a request, in milliseconds, and number of retries. For the three requests that a charge takes at most
 * (create, retrieve, cancel), with the library's pauses between attempts, that is shorter than the lease of a charge
 * (complete-session.ts). An attempt that comes too early finds the same payment by its idempotency key.
 */
const TIMEOUT_MS = 6_000;
const RETRIES = 2;

/** Address and key of Stripe. */
export interface StripeSettings {
  readonly secretKey: string;
  /** Address of a mock, such as `http://127.0.0.1:12111`; `undefined` for Stripe itself. */
  readonly apiBase: string | undefined;
}

/**
 * Reads the settings of Stripe.
 *
 * @param place A mock of Stripe is accepted on a loopback address (`local`) only.
 * @returns The settings, or why they cannot be used.
 */
export function readStripeSettings(
  secretKey: string | undefined,
  apiBase: string | undefined,
  place: 'local' | 'live',
): StripeSettings | NotConfigured {
  const key = secretKey?.trim() ?? '';
  if (key === '') return { missing: 'This deployment has no key for its payment processor, so it cannot charge.' };
  if (!/^(sk|rk)_(live|test)_[A-Za-z0-9_]{8,255}$/.test(key))
    return { missing: 'The Stripe key of this deployment does not have the form of one.' };
  if (apiBase === undefined || place === 'live') return { secretKey: key, apiBase: undefined };
  if (!/^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}$/.test(apiBase))
    return { missing: 'The address of the Stripe mock is not on this machine.' };
  return { secretKey: key, apiBase };
}

/** Whether a key is a live mode key, by its prefix (docs.stripe.com/keys); test mode keys move no money. */
export function takesRealMoney({ secretKey }: StripeSettings): boolean {
  return /^(sk|rk)_live_/.test(secretKey);
}

/** A Stripe client, created on first use. */
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

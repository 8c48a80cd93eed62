import type { Stripe } from 'stripe';
import type { ChargeOutcome, Line, PaymentProcessor } from '../../gateway/commerce/cart/checkout-ports.ts';
import { LruCache } from '../../gateway/memory-caches.ts';
import type { NotConfigured } from '../../gateway/platform-ports.ts';
import { minorDigits } from '../../schemas/commerce/currency-and-availability.ts';
import type { Deployment } from '../../schemas/deployment.ts';

const API_VERSION = '2026-10-28.endive';

/**
 * Timeout of one attempt, in milliseconds, and number of retries, which find the same payment by its idempotency key. The three requests that a
 * charge takes at most, with the library's pauses, are shorter than its lease (complete-session.ts).
 */
const TIMEOUT_MS = 6_000;
const RETRIES = 2;

export interface StripeSettings {
  readonly secretKey: string;
  /** Address of a mock, such as `http://127.0.0.1:12111`; `undefined` for Stripe itself. */
  readonly apiBase: string | undefined;
}

export function readStripeSettings(
  secretKey: string | undefined,
  apiBase: string | undefined,
  place: 'local' | 'live',
): StripeSettings | NotConfigured {
  const key = secretKey?.trim() ?? '';
  if (key === '') return { missing: 'This deployment has no key for its payment processor (STRIPE_SECRET_KEY), so it cannot charge.' };
  if (!/^(sk|rk)_(live|test)_[A-Za-z0-9_]{8,255}$/.test(key)) return { missing: 'The Stripe key of this deployment has the wrong form.' };
  if (apiBase === undefined || place === 'live') return { secretKey: key, apiBase: undefined };
  if (!/^http:\/\/(127\.0\.0\.1|localhost):\d{1,5}$/.test(apiBase))
    return { missing: 'The address of the Stripe mock is not on this machine.' };
  return { secretKey: key, apiBase };
}

/** The processor of a deployment, by its secrets. */
export function stripeOf(
  {
    STRIPE_SECRET_KEY,
    STRIPE_API_BASE,
  }: { readonly STRIPE_SECRET_KEY?: string | undefined; readonly STRIPE_API_BASE?: string | undefined },
  keyPrefix: Deployment['keyPrefix'],
): PaymentProcessor | NotConfigured {
  const settings = readStripeSettings(STRIPE_SECRET_KEY, STRIPE_API_BASE, keyPrefix === 'akg_live_' ? 'live' : 'local');
  return 'missing' in settings ? settings : stripeProcessor(stripeClient(settings), takesRealMoney(settings));
}

/** Whether a key is a live mode key, by its prefix (docs.stripe.com/keys); test mode keys move no money. */
export function takesRealMoney({ secretKey }: StripeSettings): boolean {
  return /^(sk|rk)_live_/.test(secretKey);
}

/** A client of Stripe, made when it is first used: its library is large, optional, and needed by the few requests that charge. */
export function stripeClient({ secretKey, apiBase }: StripeSettings): () => Promise<Stripe> {
  let client: Promise<Stripe> | undefined;
  const open = async (): Promise<Stripe> => {
    // A failure is handled, so that bundlers do without the package where it is not installed.
    const { Stripe } = await import('stripe').catch((error: unknown) => {
      throw new Error('the package stripe is not part of this build', { cause: error });
    });
    const base = apiBase === undefined ? undefined : new URL(apiBase);
    return new Stripe(secretKey, {
      apiVersion: API_VERSION,
      httpClient: Stripe.createFetchHttpClient(),
      maxNetworkRetries: RETRIES,
      timeout: TIMEOUT_MS,
      telemetry: false,
      ...(base === undefined ? {} : { host: base.hostname, port: base.port, protocol: 'http' as const }),
    });
  };
  return () => {
    client ??= open();
    return client;
  };
}

/** With shared payment tokens, which no general version has (docs.stripe.com/agentic-commerce/concepts/shared-payment-tokens). */
const TOKEN_API_VERSION = '2026-07-29.preview';

/** Decline codes that are hidden from buyers (docs.stripe.com/declines/codes): they get a generic decline. */
const HIDDEN_REASONS: readonly string[] = ['fraudulent', 'lost_card', 'merchant_blacklist', 'stolen_card'];

/** Codes of requests that Stripe does not understand: the account or this service is in error, not the token. */
const OWN_ERRORS = /^parameter_/;

/** Checkouts that one isolate caches, so that reloading a page sends no request to Stripe. */
const KNOWN_CHECKOUTS_MAX = 1_000;

type CheckoutRequest = Parameters<PaymentProcessor['openCheckout']>[0];

/** A payment with a token. The types of the library lack the token, so the request is sent raw. */
type TokenIntentParameters = Omit<Stripe.PaymentIntentCreateParams, 'payment_method_data'> & {
  readonly payment_method_data: { readonly shared_payment_granted_token: string };
};

/** Payments with Stripe. An unknown outcome is thrown, and logged without secrets. */
export function stripeProcessor(client: () => Stripe | Promise<Stripe>, takesRealMoney: boolean): PaymentProcessor {
  const knownCheckouts = new LruCache<string, string>(KNOWN_CHECKOUTS_MAX);
  return {
    takesRealMoney,
    charge: async (request) => {
      const stripe = await client();
      return logged('charge', async () => {
        const created = await createIntent(stripe, request);
        return 'kind' in created ? created : outcomeOf(stripe, created);
      });
    },
    openCheckout: async (request) => {
      const known = knownCheckouts.get(request.idempotencyKey);
      if (known !== undefined) return known;
      const stripe = await client();
      return logged('checkout', async () => {
        const { url } = await stripe.checkout.sessions.create(checkoutParameters(request), { idempotencyKey: request.idempotencyKey });
        if (url === null) throw new TypeError('a hosted checkout has no address');
        knownCheckouts.set(request.idempotencyKey, url);
        return url;
      });
    },
  };
}

async function createIntent(
  stripe: Stripe,
  request: Parameters<PaymentProcessor['charge']>[0],
): Promise<Stripe.PaymentIntent | ChargeOutcome> {
  const { metadata, token, amountMinor, currency, idempotencyKey } = request;
  const parameters: TokenIntentParameters = {
    amount: toStripeAmount(amountMinor, currency),
    currency: currency.toLowerCase(),
    payment_method_data: { shared_payment_granted_token: token },
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    // There is no person who could confirm a payment.
    error_on_requires_action: true,
    metadata,
  };
  try {
    const options = { idempotencyKey, apiVersion: TOKEN_API_VERSION };
    return (await stripe.rawRequest('POST', '/v1/payment_intents', parameters, options)) as Stripe.PaymentIntent;
  } catch (error) {
    const outcome = provenOutcome(error, stripe);
    if (outcome === undefined) throw error;
    return outcome;
  }
}

/** The outcome of a payment. An unsettled one may be the replayed response of an earlier request, so its current state is retrieved. */
async function outcomeOf(stripe: Stripe, created: Stripe.PaymentIntent): Promise<ChargeOutcome> {
  const intent = created.status === 'succeeded' ? created : await stripe.paymentIntents.retrieve(created.id);
  const { id, status, amount_received, currency } = intent;
  if (status === 'succeeded') {
    const amountMinor = fromStripeAmount(amount_received, currency);
    return { kind: 'paid', paymentReference: id, amountMinor, currency: currency.toUpperCase() };
  }
  if (status === 'processing') return { kind: 'pending', paymentReference: id };
  const reason = intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code ?? 'authentication_required';
  // Otherwise it could still be paid later.
  if (status !== 'canceled') await stripe.paymentIntents.cancel(id);
  return { kind: 'declined', reason: reasonOf(reason) };
}

function provenOutcome(error: unknown, { errors }: Stripe): ChargeOutcome | undefined {
  if (error instanceof errors.StripeCardError) return { kind: 'declined', reason: reasonOf(error.decline_code ?? error.code) };
  if (error instanceof errors.StripeInvalidRequestError && !OWN_ERRORS.test(error.code ?? 'parameter_'))
    return { kind: 'declined', reason: reasonOf(error.code) };
  const isOwnError =
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    error instanceof errors.StripeRateLimitError;
  if (!isOwnError) return undefined;
  logError('charge', error);
  return { kind: 'unavailable' };
}

function reasonOf(code: string | undefined): string {
  if (code === undefined || !/^[a-z0-9_]{1,64}$/.test(code) || HIDDEN_REASONS.includes(code)) return 'generic_decline';
  return code;
}

async function logged<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    logError(what, error);
    throw error;
  }
}

/** Logs the type of an error and Stripe's request id, without its message, which may quote the request. */
function logError(what: string, error: unknown): void {
  const { type, code, requestId } = error as { type?: unknown; code?: unknown; requestId?: unknown };
  console.error(JSON.stringify({ level: 'error', what: `processor: ${what}`, type, code, request_id: requestId }));
}

const INTERVALS: Readonly<Partial<Record<Line['cadence'], 'month' | 'year'>>> = { monthly: 'month', annual: 'year' };

/** Metadata names the session in every event. There is no expiry: it would have to be the same in every repetition (Stripe's is 24 hours). */
function checkoutParameters({ sessionId, lines, currency, email, returnUrl }: CheckoutRequest): Stripe.Checkout.SessionCreateParams {
  const metadata = { checkout_session_id: sessionId };
  const isRecurring = lines.some(({ cadence }) => INTERVALS[cadence] !== undefined);
  return {
    ...(isRecurring ? { mode: 'subscription', subscription_data: { metadata } } : { mode: 'payment', payment_intent_data: { metadata } }),
    line_items: lines.map((line) => lineItem(line, currency)),
    client_reference_id: sessionId,
    metadata,
    success_url: returnUrl,
    cancel_url: returnUrl,
    ...(email === undefined ? {} : { customer_email: email }),
  };
}

function lineItem({ name, offerId, unitMinor, quantity, cadence }: Line, currency: string): Stripe.Checkout.SessionCreateParams.LineItem {
  const interval = INTERVALS[cadence];
  return {
    quantity,
    price_data: {
      currency: currency.toLowerCase(),
      unit_amount: toStripeAmount(unitMinor, currency),
      product_data: { name, metadata: { offer_id: offerId } },
      ...(interval === undefined ? {} : { recurring: { interval } }),
    },
  };
}

/** Decimals of currencies that Stripe counts otherwise than ISO 4217 (docs.stripe.com/currencies#special-cases). */
const STRIPE_DIGITS: ReadonlyMap<string, number> = new Map([
  ['ISK', 2],
  ['UGX', 2],
  ['MGA', 0],
]);

/** How many times as large an amount is at Stripe as in minor units of ISO 4217. */
function scaleOf(currency: string): number {
  const code = currency.toUpperCase();
  return 10 ** ((STRIPE_DIGITS.get(code) ?? minorDigits(code)) - minorDigits(code));
}

export function toStripeAmount(amountMinor: number, currency: string): number {
  return Math.round(amountMinor * scaleOf(currency));
}

export function fromStripeAmount(amount: number, currency: string): number {
  return Math.round(amount / scaleOf(currency));
}

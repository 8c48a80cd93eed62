import type { Stripe } from 'stripe';
import type { ChargeOutcome, PaymentProcessor } from '../../gateway/commerce/orders/order-ports.ts';
import { LruCache } from '../../gateway/lru-cache.ts';
import { checkoutParameters } from './checkout-parameters.ts';

/**
 * Version of Stripe's API that knows payments with shared payment tokens, which the general ones do not yet
 * (docs.stripe.com/agentic-commerce/concepts/shared-payment-tokens, docs.stripe.com/changelog/dahlia/2026-07-29).
 */
const TOKEN_API_VERSION = '2026-07-29.preview';

/** Decline codes that a buyer is not told (docs.stripe.com/declines/codes); to them it is declined, and no more. */
const HIDDEN_REASONS: readonly string[] = ['fraudulent', 'lost_card', 'merchant_blacklist', 'stolen_card'];

/** Codes of requests that Stripe does not understand: the fault is that of the account or of this service, not of the token. */
const OWN_FAULTS = /^parameter_/;

/** Checkouts that one isolate remembers, so that a page that is loaded again asks Stripe nothing. */
const KNOWN_CHECKOUTS_MAX = 1_000;

type ChargeRequest = Parameters<PaymentProcessor['charge']>[0];

/** A payment with a token. No type of the library has the token yet, so the request is one of those that it does not check. */
type TokenIntentParameters = Omit<Stripe.PaymentIntentCreateParams, 'payment_method_data'> & {
  readonly payment_method_data: { readonly shared_payment_granted_token: string };
};

/** Payments with Stripe. What cannot be said to have happened or not is thrown; its reason is in the log, without anything secret. */
export function stripeProcessor(client: () => Stripe, takesRealMoney: boolean): PaymentProcessor {
  const knownCheckouts = new LruCache<string, { readonly reference: string; readonly url: string }>(KNOWN_CHECKOUTS_MAX);
  return {
    takesRealMoney,
    charge: async (request) => {
      const stripe = client();
      return logged('charge', async () => {
        const begun = await createIntent(stripe, request);
        return 'kind' in begun ? begun : settledIntent(stripe, begun);
      });
    },
    openCheckout: async (request) => {
      const known = knownCheckouts.get(request.idempotencyKey);
      if (known !== undefined) return known;
      const stripe = client();
      return logged('checkout', async () => {
        const { id, url } = await stripe.checkout.sessions.create(checkoutParameters(request), { idempotencyKey: request.idempotencyKey });
        if (url === null) throw new TypeError('a hosted checkout has no address');
        const made = { reference: id, url };
        knownCheckouts.set(request.idempotencyKey, made);
        return made;
      });
    },
  };
}

async function createIntent(stripe: Stripe, request: ChargeRequest): Promise<Stripe.PaymentIntent | ChargeOutcome> {
  const { sessionId, token, amountMinor, currency, idempotencyKey } = request;
  const parameters: TokenIntentParameters = {
    amount: amountMinor,
    currency: currency.toLowerCase(),
    payment_method_data: { shared_payment_granted_token: token },
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
    // Nobody is there who could confirm a payment by hand.
    error_on_requires_action: true,
    metadata: { checkout_session_id: sessionId, attempt: idempotencyKey },
  };
  try {
    const intent: Stripe.PaymentIntent = await stripe.rawRequest('POST', '/v1/payment_intents', parameters, {
      idempotencyKey,
      apiVersion: TOKEN_API_VERSION,
    });
    return intent;
  } catch (error) {
    const outcome = refusedOutcome(error, stripe);
    if (outcome === undefined) throw error;
    return outcome;
  }
}

/** What became of a payment. One that is not settled may be the answer of an earlier request: Stripe is asked how it is now. */
async function settledIntent(stripe: Stripe, begun: Stripe.PaymentIntent): Promise<ChargeOutcome> {
  const intent = begun.status === 'succeeded' ? begun : await stripe.paymentIntents.retrieve(begun.id);
  const { id, status, amount_received, currency } = intent;
  if (status === 'succeeded') return { kind: 'paid', paymentReference: id, amountMinor: amount_received, currency: currency.toUpperCase() };
  if (status === 'processing') return { kind: 'pending', paymentReference: id };
  const reason = intent.last_payment_error?.decline_code ?? intent.last_payment_error?.code ?? 'authentication_required';
  // Left alone, it could still be paid later.
  if (status !== 'canceled') await stripe.paymentIntents.cancel(id);
  return { kind: 'declined', reason: reasonOf(reason) };
}

/** What an error says happened; `undefined` if it does not say. */
function refusedOutcome(error: unknown, { errors }: Stripe): ChargeOutcome | undefined {
  if (error instanceof errors.StripeCardError) return { kind: 'declined', reason: reasonOf(error.decline_code ?? error.code) };
  if (error instanceof errors.StripeInvalidRequestError && !OWN_FAULTS.test(error.code ?? 'parameter_'))
    return { kind: 'declined', reason: reasonOf(error.code) };
  const isOwnFault =
    error instanceof errors.StripeInvalidRequestError ||
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    error instanceof errors.StripeRateLimitError;
  if (!isOwnFault) return undefined;
  logFault('charge', error);
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
    logFault(what, error);
    throw error;
  }
}

/** Notes a fault for the publisher by its kind and Stripe's id of the request; its text may quote what was sent. */
function logFault(what: string, error: unknown): void {
  const { type, code, requestId } = error as { type?: unknown; code?: unknown; requestId?: unknown };
  console.error(JSON.stringify({ level: 'error', what: `processor: ${what}`, type, code, request_id: requestId }));
}

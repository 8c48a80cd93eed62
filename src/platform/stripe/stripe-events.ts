import * as z from 'zod';
import type { PaymentEvent } from '../../gateway/commerce/orders/order-ports.ts';
import { attempt, type FieldError, listFieldErrors, ok, type Result, refuse } from '../../gateway/result.ts';
import { fromHex, toBytes } from '../../provenance/bytes-and-sha256.ts';
import { Buyer } from '../../schemas/commerce/orders.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { describeIssue } from '../../schemas/zod-issue-messages.ts';
import { fromStripeAmount } from './stripe-payments.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type Bytes = Uint8Array<ArrayBuffer>;

export async function readStripeEvent(
  body: Uint8Array,
  signature: string,
  secrets: readonly string[],
  nowMs: number,
): Promise<Result<PaymentEvent>> {
  const payload = attempt(() => UTF8.decode(body));
  if (payload === undefined) return refuse('signature_invalid', 'The body is not UTF-8.');
  const event = await signedEvent(payload, signature, secrets, nowMs);
  if (!event.ok) return event;
  const parsed = StripeEvent.safeParse(event.value);
  if (!parsed.success) return refuseMembers(parsed.error);
  const { id, type, data } = parsed.data;
  return READERS.get(type)?.({ id, type }, data.object) ?? ok({ id, type, kind: 'other' });
}

/** Verified as docs.stripe.com/webhooks/signature describes: Stripe's library is large, and few deployments need it otherwise. */
async function signedEvent(payload: string, signature: string, secrets: readonly string[], nowMs: number): Promise<Result<object>> {
  const { time, signatures } = parseSignature(signature);
  const isRecent = Math.abs(Math.floor(nowMs / 1_000) - time) <= LIMITS.signatureMaxAgeSeconds;
  if (!isRecent || !(await isSignedWithAny(secrets, `${time}.${payload}`, signatures)))
    return refuse(
      'signature_invalid',
      `The event is not signed with a secret of this deployment, or its timestamp is more than ${LIMITS.signatureMaxAgeSeconds} seconds off.`,
    );
  const event = attempt((): unknown => JSON.parse(payload));
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) return ok(event);
  return refuse('invalid_json', 'The event is signed, but its body is not one JSON object.');
}

/** The last timestamp of a signature header, in seconds since the epoch, and all its signatures; `NaN` and none in a header of another form. */
function parseSignature(header: string): { readonly time: number; readonly signatures: readonly Bytes[] } {
  const items = header.split(',').map((item) => item.split('='));
  const valuesOf = (name: string): string[] => items.filter(([key]) => key === name).map(([, value = '']) => value);
  return {
    time: Number.parseInt(valuesOf('t').at(-1) ?? '', 10),
    signatures: valuesOf('v1')
      .filter((value) => /^[0-9a-f]{64}$/.test(value))
      .map((value) => new Uint8Array(fromHex(value))),
  };
}

async function isSignedWithAny(secrets: readonly string[], message: string, signatures: readonly Bytes[]): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', toBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, toBytes(message))) return true;
  }
  return false;
}

/** Email of a buyer. One that the commerce protocols reject is left out: no payment is refused for it. */
const BuyerEmail = Buyer.shape.email.nullish().catch(undefined);

const Reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((value) => value ?? undefined);

const Minor = z.int().min(0);

/** Three letters: lower case at Stripe, upper case here, as in ISO 4217. */
const Currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/, { error: 'must be the three letters of a currency' })
  .transform((currency) => currency.toUpperCase());
const Metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

/** A hosted checkout (docs.stripe.com/api/checkout/sessions/object). */
const StripeCheckout = z.object({
  mode: z.enum(['payment', 'setup', 'subscription']),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  client_reference_id: z.string().nullish(),
  metadata: Metadata,
  amount_total: Minor.nullish(),
  currency: Currency.nullish(),
  payment_intent: Reference,
  subscription: Reference,
  customer_details: z.object({ email: BuyerEmail }).nullish(),
});

/** A payment intent (docs.stripe.com/api/payment_intents/object). */
const StripeIntent = z.object({
  id: z.string(),
  amount_received: Minor,
  currency: Currency,
  metadata: Metadata,
  last_payment_error: z.object({ code: z.string().nullish(), decline_code: z.string().nullish() }).nullish(),
});

/** A charge of a payment (docs.stripe.com/api/charges/object). */
const StripeCharge = z.object({ amount_refunded: Minor, currency: Currency, payment_intent: Reference, metadata: Metadata });

/** An event, before its object is parsed (docs.stripe.com/api/events/object). */
const StripeEvent = z.object({ id: z.string().min(1).max(255), type: z.string().min(1).max(255), data: z.object({ object: z.unknown() }) });

const OBJECT_PATH = ['data', 'object'] as const;

type Identity = Pick<PaymentEvent, 'id' | 'type'>;

function readerOf<T>(schema: z.ZodType<T>, eventOf: (identity: Identity, object: T) => Result<PaymentEvent>) {
  return (identity: Identity, object: unknown): Result<PaymentEvent> => {
    const parsed = schema.safeParse(object);
    return parsed.success ? eventOf(identity, parsed.data) : refuseMembers(parsed.error, OBJECT_PATH);
  };
}

const readCheckout = readerOf(StripeCheckout, checkoutEvent);
const readIntent = readerOf(StripeIntent, intentEvent);

const READERS: ReadonlyMap<string, typeof readIntent> = new Map([
  ['checkout.session.completed', readCheckout],
  ['checkout.session.async_payment_succeeded', readCheckout],
  ['checkout.session.async_payment_failed', readCheckout],
  ['payment_intent.succeeded', readIntent],
  ['payment_intent.payment_failed', readIntent],
  ['charge.refunded', readerOf(StripeCharge, refundEvent)],
]);

/** Types of events that concern orders, which a Stripe endpoint has to send (docs/selling.md). */
export const READ_EVENT_TYPES: readonly string[] = [...READERS.keys()];

/** The refusal names only members that this service reads, and no values. `path` leads to the parsed value. */
function refuseMembers({ issues }: z.ZodError, path: readonly string[] = []): Result<never> {
  return refuseEvent(issues.map((issue) => ({ pointer: pointerTo([...path, ...issue.path]), message: describeIssue(issue) })));
}

function refuseEvent(errors: readonly FieldError[]): Result<never> {
  const { detail, ...listed } = listFieldErrors('The event, which is signed,', errors, 20);
  return refuse('invalid_request', detail, listed);
}

/** JSON Pointer (RFC 6901) to a member. Names below `metadata` are chosen by others and left out. */
function pointerTo(path: readonly PropertyKey[]): string {
  const names = path.map(String);
  const known = names.includes('metadata') ? names.slice(0, names.indexOf('metadata') + 1) : names;
  return known.map((name) => `/${name}`).join('');
}

function hasFailed({ type }: Identity): boolean {
  return type.endsWith('_failed');
}

/** A completed checkout is not always paid: some payment methods take days, and an event of its own reports the outcome. */
function checkoutEvent(identity: Identity, checkout: z.infer<typeof StripeCheckout>): Result<PaymentEvent> {
  const { mode, payment_status, amount_total, currency, payment_intent, subscription, customer_details } = checkout;
  const sessionId = checkout.client_reference_id ?? checkout.metadata['checkout_session_id'];
  if (hasFailed(identity)) return ok({ ...identity, kind: 'failed', sessionId, attempt: undefined, reason: 'payment_failed' });
  if (mode === 'setup' || payment_status === 'unpaid') return ok({ ...identity, kind: 'other' });
  if (typeof amount_total !== 'number' || typeof currency !== 'string')
    return refuseEvent(
      Object.entries({ amount_total, currency })
        .filter(([, value]) => (value ?? null) === null)
        .map(([name]) => ({ pointer: pointerTo([...OBJECT_PATH, name]), message: 'is missing' })),
    );
  return ok({
    ...identity,
    kind: 'paid',
    sessionId,
    paymentReference: payment_intent ?? subscription,
    amountMinor: fromStripeAmount(amount_total, currency),
    currency,
    email: customer_details?.email ?? undefined,
  });
}

/** A payment intent of another business of the account names no session and does not concern orders. */
function intentEvent(identity: Identity, intent: z.infer<typeof StripeIntent>): Result<PaymentEvent> {
  const { id, amount_received, currency, metadata, last_payment_error } = intent;
  const sessionId = metadata['checkout_session_id'];
  if (sessionId === undefined) return ok({ ...identity, kind: 'other' });
  if (hasFailed(identity)) {
    const reason = last_payment_error?.decline_code ?? last_payment_error?.code ?? 'payment_failed';
    return ok({ ...identity, kind: 'failed', sessionId, attempt: metadata['attempt'], reason });
  }
  const amountMinor = fromStripeAmount(amount_received, currency);
  return ok({ ...identity, kind: 'paid', sessionId, paymentReference: id, amountMinor, currency, email: undefined });
}

/** A refund of a text that was paid with its request concerns no order. */
function refundEvent(identity: Identity, charge: z.infer<typeof StripeCharge>): Result<PaymentEvent> {
  const { payment_intent, amount_refunded, currency, metadata } = charge;
  if (metadata['mpp_challenge_id'] !== undefined) return ok({ ...identity, kind: 'other' });
  const amountMinor = fromStripeAmount(amount_refunded, currency);
  return ok({ ...identity, kind: 'refunded', paymentReference: payment_intent, amountMinor, currency });
}

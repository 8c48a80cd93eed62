import type * as z from 'zod';
import { type Fault, listFaults, ok, refuse, type Result } from '../../gateway/result.ts';
import type { PaymentEvent } from '../../gateway/commerce/orders/handle-payment-event.ts';
import { describeIssue } from '../../schemas/describe-issue.ts';
import { StripeCharge, StripeCheckout, StripeIntent } from './stripe-event.ts';

const OTHER: PaymentEvent = { kind: 'other' };

/** Most faults of a message that are listed. */
const FAULTS_MAX = 20;

/** Where the object of a message stands in it. */
const OBJECT_PATH = ['data', 'object'] as const;

/** Types of messages that say something to orders: the ones that an endpoint at Stripe has to send (content/docs/selling.md). */
export const READ_EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
] as const;

/** What a message of Stripe says to orders, or the refusal `invalid_request` with the members that are not those of its type. */
export function parseStripeEvent(type: string, object: unknown): Result<PaymentEvent> {
  switch (type as (typeof READ_EVENT_TYPES)[number]) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed': {
      const checkout = StripeCheckout.safeParse(object);
      return checkout.success ? checkoutNews(checkout.data, type.endsWith('_failed')) : refuseMembers(checkout.error, OBJECT_PATH);
    }
    case 'payment_intent.succeeded':
    case 'payment_intent.payment_failed': {
      const intent = StripeIntent.safeParse(object);
      return intent.success ? ok(intentNews(intent.data, type.endsWith('_failed'))) : refuseMembers(intent.error, OBJECT_PATH);
    }
    case 'charge.refunded': {
      const charge = StripeCharge.safeParse(object);
      if (!charge.success) return refuseMembers(charge.error, OBJECT_PATH);
      const { payment_intent, amount_refunded, currency } = charge.data;
      return ok({ kind: 'refunded', paymentReference: payment_intent, amountMinor: amount_refunded, currency });
    }
    default:
      return ok(OTHER);
  }
}

/**
 * The refusal of a message whose members are not those of its type. Members of ours are named, and nothing else of the message.
 *
 * @param path Where what was parsed stands in the message.
 */
export function refuseMembers({ issues }: z.ZodError, path: readonly string[] = []): Result<never> {
  return refuseFaults(issues.map((issue) => ({ pointer: pointerTo([...path, ...issue.path]), message: describeIssue(issue) })));
}

function refuseFaults(faults: readonly Fault[]): Result<never> {
  const { detail, errors } = listFaults('The message, which is signed,', faults, FAULTS_MAX);
  return refuse('invalid_request', detail, { errors });
}

/** JSON Pointer (RFC 6901) to a member. What stands in `metadata` has names of others. */
function pointerTo(path: readonly PropertyKey[]): string {
  const names = path.map(String);
  const known = names.includes('metadata') ? names.slice(0, names.indexOf('metadata') + 1) : names;
  return known.map((name) => `/${name}`).join('');
}

/** A checkout that is completed is not always paid: some ways to pay take days, and a message of their own says how it ended. */
function checkoutNews(checkout: StripeCheckout, hasFailed: boolean): Result<PaymentEvent> {
  const { mode, payment_status, amount_total, currency, payment_intent, subscription, customer_details } = checkout;
  const sessionId = checkout.client_reference_id ?? checkout.metadata['checkout_session_id'];
  if (hasFailed) return ok({ kind: 'failed', sessionId, attempt: undefined, reason: 'payment_failed' });
  if (mode === 'setup' || payment_status === 'unpaid') return ok(OTHER);
  if (typeof amount_total !== 'number' || typeof currency !== 'string')
    return refuseFaults(
      Object.entries({ amount_total, currency })
        .filter(([, value]) => (value ?? null) === null)
        .map(([name]) => ({ pointer: pointerTo([...OBJECT_PATH, name]), message: 'is missing' })),
    );
  return ok({
    kind: 'paid',
    sessionId,
    paymentReference: payment_intent ?? subscription,
    amountMinor: amount_total,
    currency,
    email: customer_details?.email ?? undefined,
  });
}

/** A payment of another business of the account names no session, and says nothing to orders. */
function intentNews({ id, amount_received, currency, metadata, last_payment_error }: StripeIntent, hasFailed: boolean): PaymentEvent {
  const sessionId = metadata['checkout_session_id'];
  if (sessionId === undefined) return OTHER;
  if (hasFailed)
    return {
      kind: 'failed',
      sessionId,
      attempt: metadata['attempt'],
      reason: last_payment_error?.decline_code ?? last_payment_error?.code ?? 'payment_failed',
    };
  return {
    kind: 'paid',
    sessionId,
    paymentReference: id,
    amountMinor: amount_received,
    currency,
    email: undefined,
  };
}

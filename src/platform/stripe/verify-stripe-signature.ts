import { Stripe } from 'stripe';
import type { PaymentWebhookReader } from '../../gateway/commerce/orders/handle-payment-event.ts';
import type { NotConfigured } from '../../gateway/commerce/orders/order-ports.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { parseStripeEvent, refuseMembers, StripeEvent } from './parse-stripe-event.ts';

/** Most secrets at a time: two during a rotation. */
const SECRETS_MAX = 2;

/** Fewest characters of a secret. */
const SECRET_MIN_LENGTH = 24;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads `STRIPE_WEBHOOK_SECRETS`: one or two secrets, comma-separated.
 *
 * @returns A reader of webhooks that one of them signed, or why the secrets cannot be used, without showing them.
 */
export function stripeWebhookReader(text: string | undefined): PaymentWebhookReader | NotConfigured {
  const secrets = (text ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  if (secrets.length === 0) return { missing: 'This deployment has no secret to verify payment webhooks with.' };
  if (secrets.length > SECRETS_MAX || secrets.some((secret) => secret.length < SECRET_MIN_LENGTH || !/^[\x21-\x7e]+$/.test(secret)))
    return { missing: 'The webhook secrets of this deployment are not one or two usable secrets.' };
  return async (body, signature, nowMs) => {
    const payload = decoded(body);
    if (payload === undefined) return refuse('signature_invalid', 'The body is not UTF-8.');
    const event = await signedEvent(payload, signature, secrets, nowMs);
    if (!event.ok) return event;
    const parsed = StripeEvent.safeParse(event.value);
    if (!parsed.success) return refuseMembers(parsed.error);
    return parseStripeEvent(parsed.data);
  };
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

/**
 * The event, if one of the secrets signed it within the tolerance. The library refuses only timestamps that are too old
 * (docs.stripe.com/webhooks/signature compares the difference); timestamps too far ahead are refused here.
 */
async function signedEvent(payload: string, signature: string, secrets: readonly string[], nowMs: number): Promise<Result<object>> {
  const unsigned = refuse(
    'signature_invalid',
    `The event is not signed with a secret of this deployment, or its timestamp is more than ${LIMITS.signatureMaxAgeSeconds} seconds off.`,
  );
  const unreadable = refuse('invalid_json', 'The event is signed, but its body is not one JSON object.');
  if (timeOf(signature) - Math.floor(nowMs / 1_000) > LIMITS.signatureMaxAgeSeconds) return unsigned;
  const provider = Stripe.createSubtleCryptoProvider();
  for (const secret of secrets) {
    try {
      const { webhooks } = Stripe;
      const event: unknown = await webhooks.constructEventAsync(payload, signature, secret, LIMITS.signatureMaxAgeSeconds, provider, nowMs);
      return typeof event === 'object' && event !== null && !Array.isArray(event) ? ok(event) : unreadable;
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) return unreadable;
    }
  }
  return unsigned;
}

/** The last timestamp in a signature, which is the one that the library reads, in seconds since the epoch. */
function timeOf(signature: string): number {
  const times = signature.split(',').filter((item) => item.split('=', 1)[0] === 't');
  return Number.parseInt(times.at(-1)?.slice('t='.length) ?? '', 10);
}

import { Stripe } from 'stripe';
import type { Missing } from '../../gateway/commerce/sessions/commerce-dependencies.ts';
import type { GatewayMessageReader } from '../../gateway/commerce/orders/payment-event-ports.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { StripeEvent } from './stripe-event.ts';
import { parseStripeEvent, refuseMembers } from './parse-stripe-event.ts';

/** Most secrets at a time: two while one is replaced. */
const SECRETS_MAX = 2;

/** Fewest characters of a secret. */
const SECRET_MIN_LENGTH = 24;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads `STRIPE_WEBHOOK_SECRETS`: one or two secrets, comma-separated.
 *
 * @returns What reads messages that are signed with one of them, or why they cannot be used, without showing them.
 */
export function stripeMessageReader(text: string | undefined): GatewayMessageReader | Missing {
  const secrets = (text ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  if (secrets.length === 0) return { missing: 'This deployment has no secret to check messages of the payment processor with.' };
  if (secrets.length > SECRETS_MAX || secrets.some((secret) => secret.length < SECRET_MIN_LENGTH || !/^[\x21-\x7e]+$/.test(secret)))
    return { missing: 'The secrets that messages of the payment processor are checked with are not one or two that can be used.' };
  return async (body, signature, nowMs) => {
    const payload = decoded(body);
    if (payload === undefined) return refuse('signature_invalid', 'The message is not UTF-8.');
    const event = await signedEvent(payload, signature, secrets, nowMs);
    if (!event.ok) return event;
    const parsed = StripeEvent.safeParse(event.value);
    if (!parsed.success) return refuseMembers(parsed.error);
    const { id, type, data } = parsed.data;
    const news = parseStripeEvent(type, data.object);
    return news.ok ? ok({ id, type, news: news.value }) : news;
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
 * The message, if one of the secrets has signed it at about this time. The library refuses a time that is too long ago; one that is as far
 * ahead is refused here, because it would be taken for longer than it may be (docs.stripe.com/webhooks/signature asks to compare the
 * difference with a tolerance; the library, like those for other languages, looks at the age alone).
 */
async function signedEvent(payload: string, signature: string, secrets: readonly string[], nowMs: number): Promise<Result<object>> {
  const unsigned = refuse(
    'signature_invalid',
    `The message is not signed with a secret of this deployment, or its time is more than ${LIMITS.signatureMaxAgeSeconds} seconds away from that of this service.`,
  );
  const unreadable = refuse('invalid_json', 'The message is signed, and is not one JSON object.');
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

/** The time in a signature that the library reads, in seconds since the epoch: the last one that stands there. */
function timeOf(signature: string): number {
  const times = signature.split(',').filter((item) => item.split('=', 1)[0] === 't');
  return Number.parseInt(times.at(-1)?.slice('t='.length) ?? '', 10);
}

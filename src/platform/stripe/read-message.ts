import { Stripe } from 'stripe';
import type { Missing } from '../../gateway/orders/commerce-dependencies.ts';
import type { GatewayMessageReader } from '../../gateway/orders/processor-messages.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { StripeEvent } from '../../schemas/stripe-event.ts';
import { newsOf } from './processor-news.ts';

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
    if (event === 'unsigned')
      return refuse('signature_invalid', 'The message is not signed with a secret of this deployment, or is too old.');
    const parsed = StripeEvent.safeParse(event);
    const news = parsed.success ? newsOf(parsed.data.type, parsed.data.data.object) : undefined;
    if (!parsed.success || news === undefined)
      return refuse('invalid_json', 'The message is signed, and its members are not those of its type.');
    return ok({ id: parsed.data.id, type: parsed.data.type, news });
  };
}

function decoded(body: Uint8Array): string | undefined {
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}

/** The message, if one of the secrets has signed it. `undefined` stands for one that is signed and no JSON. */
async function signedEvent(payload: string, signature: string, secrets: readonly string[], nowMs: number): Promise<unknown> {
  const provider = Stripe.createSubtleCryptoProvider();
  for (const secret of secrets) {
    try {
      return await Stripe.webhooks.constructEventAsync(payload, signature, secret, LIMITS.signatureMaxAgeSeconds, provider, nowMs);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) return undefined;
    }
  }
  return 'unsigned';
}

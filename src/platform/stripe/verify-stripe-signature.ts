import type { PaymentWebhookReader } from '../../gateway/commerce/orders/handle-payment-event.ts';
import type { NotConfigured } from '../../gateway/commerce/orders/order-ports.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { fromHex, toBytes } from '../../provenance/bytes.ts';
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
 * The event, if one of the secrets signed it within the tolerance. The signature is verified as Stripe describes it, without Stripe's library,
 * which few deployments need otherwise and which is large.
 *
 * @see {@link https://docs.stripe.com/webhooks/signature Stripe, Verify webhook signatures manually}
 */
async function signedEvent(payload: string, signature: string, secrets: readonly string[], nowMs: number): Promise<Result<object>> {
  const { time, signatures } = parseSignature(signature);
  const isRecent = Math.abs(Math.floor(nowMs / 1_000) - time) <= LIMITS.signatureMaxAgeSeconds;
  if (!isRecent || !(await isSignedWithAny(secrets, `${time}.${payload}`, signatures)))
    return refuse(
      'signature_invalid',
      `The event is not signed with a secret of this deployment, or its timestamp is more than ${LIMITS.signatureMaxAgeSeconds} seconds off.`,
    );
  const event = parsedJson(payload);
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) return ok(event);
  return refuse('invalid_json', 'The event is signed, but its body is not one JSON object.');
}

/** The last timestamp of a signature header, in seconds since the epoch, and all its signatures; `NaN` and none in a header of another form. */
function parseSignature(header: string): { readonly time: number; readonly signatures: readonly Uint8Array<ArrayBuffer>[] } {
  const items = header.split(',').map((item) => item.split('='));
  const valuesOf = (name: string): string[] => items.filter(([key]) => key === name).map(([, value = '']) => value);
  return {
    time: Number.parseInt(valuesOf('t').at(-1) ?? '', 10),
    signatures: valuesOf('v1')
      .filter((value) => /^[0-9a-f]{64}$/.test(value))
      .map((value) => new Uint8Array(fromHex(value))),
  };
}

async function isSignedWithAny(
  secrets: readonly string[],
  message: string,
  signatures: readonly Uint8Array<ArrayBuffer>[],
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', toBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, toBytes(message))) return true;
  }
  return false;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type * as z from 'zod';
import type { UnreadablePayment } from '../gateway/commerce/payments/payment-scheme.ts';
import { LIMITS } from '../schemas/limits.ts';

/**
 * Reads the payment in a header: JSON in base64 that fits a schema.
 *
 * @param header Name of the header, for the reason why it cannot be read.
 */
export function decodePayment<T>(encoded: string, schema: z.ZodType<T>, header: string): { readonly value: T } | UnreadablePayment {
  if (encoded.length > LIMITS.paymentHeaderMaxLength)
    return { unreadable: `${header} has more than ${LIMITS.paymentHeaderMaxLength} characters` };
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return { unreadable: `${header} is not base64` };
  let json: unknown;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return { unreadable: `${header} is not JSON in base64` };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return { unreadable: `${header} is not an EIP-3009 payment of the scheme exact: see /${(issue?.path ?? []).map(String).join('/')}` };
}

import { LIMITS } from '../../../schemas/limits.ts';
import { PaymentCredential } from '../../../protocols/mpp/schemas.ts';
import { PaymentPayload, type SignedAuthorization } from '../../../protocols/x402/schemas.ts';
import { sha256Hex } from '../../../provenance/bytes.ts';
import { canonicalJson } from '../../../provenance/digest.ts';

/** A payment that came with a request, well formed and not yet checked. */
export type PresentedPayment =
  | { readonly protocol: 'x402'; readonly signed: SignedAuthorization; readonly payload: PaymentPayload }
  | { readonly protocol: 'mpp'; readonly signed: SignedAuthorization; readonly credential: PaymentCredential };

/** Headers in which a payment comes. */
export interface PaymentHeaders {
  /** `PAYMENT-SIGNATURE`: a payment of x402 in base64. */
  readonly paymentSignature: string | undefined;
  /** `Authorization`: a credential of the scheme Payment in base64url; of any other scheme it is no payment. */
  readonly authorization: string | undefined;
}

/**
 * The payment in the headers of a request.
 *
 * @returns The payment, `none`, or `unreadable` with what is wrong, without a word of the buyer's.
 */
export function readPresentedPayment({
  paymentSignature,
  authorization,
}: PaymentHeaders): PresentedPayment | 'none' | { readonly unreadable: string } {
  if (paymentSignature !== undefined && paymentSignature.trim() !== '') {
    const read = readJson(paymentSignature.trim(), /^[A-Za-z0-9+/]+={0,2}$/, PaymentPayload, 'PAYMENT-SIGNATURE');
    return 'unreadable' in read ? read : { protocol: 'x402', signed: read.value.payload, payload: read.value };
  }
  const [, encoded] = /^\s*Payment\s+(\S+)\s*$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined)
    return /^\s*Payment(\s|$)/i.test(authorization ?? '') ? { unreadable: 'Authorization: Payment has not exactly one value' } : 'none';
  const read = readJson(
    encoded.replaceAll('-', '+').replaceAll('_', '/'),
    /^[A-Za-z0-9+/]+={0,2}$/,
    PaymentCredential,
    'Authorization: Payment',
  );
  if ('unreadable' in read) return read;
  const { signature, type: _, ...signedAuthorization } = read.value.payload;
  return { protocol: 'mpp', signed: { signature, authorization: signedAuthorization }, credential: read.value };
}

/** Identifier that the buyer gave the payment; none in MPP, whose challenge does the same. */
export function paymentIdentifierOf(payment: PresentedPayment): string | undefined {
  return payment.protocol === 'x402' ? payment.payload.extensions?.['payment-identifier']?.info.id : undefined;
}

/**
 * Digest of all that makes a payment what it is. A signature and what it signs are seen by everybody once they are settled; the identifier
 * of a payment and the challenge of MPP are not, so that with them nobody but the buyer can present the same payment again.
 */
export function paymentFingerprint(payment: PresentedPayment): Promise<string> {
  const { signature, authorization } = payment.signed;
  const known = payment.protocol === 'x402' ? ['x402', paymentIdentifierOf(payment) ?? null] : ['mpp', payment.credential.challenge.id];
  return sha256Hex(canonicalJson([...known, signature.toLowerCase(), { ...authorization, nonce: authorization.nonce.toLowerCase() }]));
}

/** The part of a schema that reading needs. */
interface Reader<T> {
  readonly safeParse: (
    value: unknown,
  ) =>
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] } };
}

/** JSON in base64 that a schema allows. */
function readJson<T>(
  encoded: string,
  form: RegExp,
  schema: Reader<T>,
  what: string,
): { readonly value: T } | { readonly unreadable: string } {
  if (encoded.length > LIMITS.paymentHeaderMaxLength)
    return { unreadable: `${what} has more than ${LIMITS.paymentHeaderMaxLength} characters` };
  if (!form.test(encoded)) return { unreadable: `${what} is not base64` };
  let json: unknown;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    return { unreadable: `${what} is not JSON in base64` };
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  const place = (issue?.path ?? []).map(String).join('/');
  return { unreadable: `${what} is not a payment of the scheme exact by EIP-3009: see /${place}` };
}

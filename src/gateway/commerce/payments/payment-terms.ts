import { toHex } from '../../../provenance/bytes.ts';
import { keccak256 } from '../../../provenance/digest.ts';
import { type PaymentNetwork, paymentNetwork, type SignedAuthorization } from '../../../schemas/commerce/payments.ts';
import type { Deployment } from '../../../schemas/deployment.ts';

/** Where payments of a deployment go, and on which network. */
export interface PaymentTerms {
  readonly payTo: string;
  /** Network by CAIP-2. */
  readonly networkId: string;
  readonly network: PaymentNetwork;
}

/** What is wrong with a payment. */
export interface PaymentFault {
  /** Name of the fault for programs; permanent. */
  readonly reason: string;
  /** The same as a sentence. */
  readonly detail: string;
}

/** Seconds for which an authorization has to be valid: enough for a slow settlement and for a retry. */
export const PAYMENT_TIMEOUT_SECONDS = 300;

/** Digits after the point of a price in millionths of a dollar. */
const MICRO_DECIMALS = 6;

/**
 * The terms that a build decided, or `undefined` while payments are off.
 *
 * @throws {TypeError} If the build let a network through on which nothing can be paid.
 */
export function paymentTerms({ payments }: Pick<Deployment, 'payments'>): PaymentTerms | undefined {
  if (payments === undefined) return undefined;
  const network = paymentNetwork(payments.network);
  if (network === undefined) throw new TypeError(`nothing can be paid on the network ${payments.network}`);
  return { payTo: payments.payTo, networkId: payments.network, network };
}

/** A price in the smallest unit of the token. */
export function atomicAmount(priceMicros: number, { network }: Pick<PaymentTerms, 'network'>): string {
  return (BigInt(priceMicros) * 10n ** BigInt(network.asset.decimals - MICRO_DECIMALS)).toString();
}

/** Seconds that an authorization must still be valid, as facilitators ask (@x402/evm 2.27): it has to reach the network. */
const SETTLES_WITHIN_SECONDS = 6;

/** Why an authorization cannot be settled now for a price: names of x402 version 2, section 9, and a sentence. */
export function authorizationFault(
  { authorization }: SignedAuthorization,
  priceMicros: number,
  terms: PaymentTerms,
  nowMs: number,
): PaymentFault | undefined {
  const now = BigInt(Math.floor(nowMs / 1_000));
  if (authorization.to.toLowerCase() !== terms.payTo.toLowerCase())
    return { reason: 'invalid_exact_evm_payload_recipient_mismatch', detail: 'The authorization pays somebody else.' };
  if (authorization.value !== atomicAmount(priceMicros, terms))
    return { reason: 'invalid_exact_evm_payload_authorization_value', detail: 'The authorized amount differs from the price.' };
  if (BigInt(authorization.validAfter) > now)
    return { reason: 'invalid_exact_evm_payload_authorization_valid_after', detail: 'The authorization is not valid yet.' };
  if (BigInt(authorization.validBefore) < now + BigInt(SETTLES_WITHIN_SECONDS))
    return {
      reason: 'invalid_exact_evm_payload_authorization_valid_before',
      detail: 'The authorization has expired or is about to expire.',
    };
  return undefined;
}

/**
 * Whether an address can be paid to: it is not the zero address, and if it mixes upper and lower case, they are its checksum (EIP-55),
 * which clients enforce.
 *
 * @param address `0x` and 40 hexadecimal digits.
 */
export function isPayableAddress(address: string): boolean {
  const digits = address.slice(2);
  if (/^0+$/.test(digits)) return false;
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  const hash = toHex(keccak256(new TextEncoder().encode(digits.toLowerCase())));
  return [...digits].every((digit, at) => /\d/.test(digit) || (digit === digit.toUpperCase()) === Number.parseInt(hash[at] ?? '0', 16) > 7);
}

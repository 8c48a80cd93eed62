import { toHex } from '../../../provenance/bytes-and-sha256.ts';
import { keccak256 } from '../../../provenance/canonical-json.ts';
import { type CapsulePrice, cardAmounts, microDollars, type TextPrices } from '../../../schemas/commerce/capsule-price.ts';
import { paymentNetwork, type SignedAuthorization } from '../../../schemas/commerce/stablecoin-payments.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import type { CapsuleSummary } from '../../../schemas/knowledge/capsule.ts';
import { capsuleApiPath } from '../../../schemas/paths.ts';
import type { Publication } from '../../../text/publication-model.ts';
import { statedSummary, statedTitle } from '../../knowledge/capsule-status-sentences.ts';
import type { PaidResource, PaymentIssue, PaymentTerms } from './payment-ports.ts';

/** Validity of an authorization in seconds, enough for a slow settlement and a retry. */
export const PAYMENT_TIMEOUT_SECONDS = 300;

const MICRO_DECIMALS = 6;

/** The terms of payments in a token; `undefined` where none are taken. Throws if the build accepted an unsupported network. */
export function paymentTerms({ payments }: Pick<Deployment, 'payments'>): PaymentTerms | undefined {
  if (payments?.payTo === undefined || payments.network === undefined) return undefined;
  const network = paymentNetwork(payments.network);
  if (network === undefined) throw new TypeError(`the network ${payments.network} is not supported`);
  return { payTo: payments.payTo, networkId: payments.network, network };
}

export function atomicAmount(priceMicros: number, { network }: Pick<PaymentTerms, 'network'>): string {
  return (BigInt(priceMicros) * 10n ** BigInt(network.asset.decimals - MICRO_DECIMALS)).toString();
}

/** Remaining validity in seconds that facilitators require (@x402/evm 2.27). */
const SETTLES_WITHIN_SECONDS = 6;

/** Why an authorization cannot be settled now for a price, with error codes of x402 version 2, section 9. */
export function authorizationIssue(
  { authorization }: SignedAuthorization,
  priceMicros: number,
  terms: PaymentTerms,
  nowMs: number,
): PaymentIssue | undefined {
  const now = BigInt(Math.floor(nowMs / 1_000));
  if (authorization.to.toLowerCase() !== terms.payTo.toLowerCase())
    return { reason: 'invalid_exact_evm_payload_recipient_mismatch', detail: 'The authorization pays another recipient.' };
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

/** Whether an address can receive payments: it is not the zero address, and mixed case is a valid checksum (EIP-55). */
export function isPayableAddress(address: string): boolean {
  const digits = address.slice(2);
  if (/^0+$/.test(digits)) return false;
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  const hash = toHex(keccak256(new TextEncoder().encode(digits.toLowerCase())));
  return [...digits].every((digit, at) => /\d/.test(digit) || (digit === digit.toUpperCase()) === Number.parseInt(hash[at] ?? '0', 16) > 7);
}

interface SoldCapsule {
  readonly metadata: Pick<CapsuleSummary, 'capsule_id' | 'version' | 'title' | 'status' | 'tags'> & TextPrices;
  readonly namedVersion?: string | undefined;
}

export function paidResource({ metadata, namedVersion }: SoldCapsule, baseUrl: string): PaidResource {
  const { capsule_id, version, tags, price } = metadata;
  const query = namedVersion === undefined ? '' : `?version=${encodeURIComponent(namedVersion)}`;
  return {
    url: baseUrl + capsuleApiPath(capsule_id) + query,
    capsuleId: capsule_id,
    version,
    priceMicros: price === undefined ? 0 : microDollars(price),
    cards: cardAmounts(metadata),
    title: statedTitle(metadata),
    tags,
  };
}

export interface PaidOffer {
  readonly resource: PaidResource;
  readonly price: CapsulePrice;
  /** Of a payment in a token; `undefined` if none pays it. */
  readonly terms: PaymentTerms | undefined;
  readonly summary: string;
}

/** All paid capsules in their newest version, by ascending id; none while payments are off. */
export function paidOffers({ deployment, capsules }: Pick<Publication, 'deployment' | 'capsules'>): PaidOffer[] {
  if (deployment.payments === undefined) return [];
  const terms = paymentTerms(deployment);
  return capsules.flatMap(({ metadata }) => {
    const { price } = metadata;
    if (price === undefined) return [];
    const resource = paidResource({ metadata }, deployment.baseUrl);
    return [{ resource, price, terms: resource.priceMicros > 0 ? terms : undefined, summary: statedSummary(metadata) }];
  });
}

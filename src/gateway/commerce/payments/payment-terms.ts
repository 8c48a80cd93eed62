import type { Deployment } from '../../../schemas/deployment.ts';
import { type PaymentNetwork, paymentNetwork } from '../../../schemas/commerce/payment-networks.ts';
import type { PaymentRequirements } from '../../../protocols/x402/schemas.ts';
import type { PaidResource } from './paid-resource.ts';

/** Where payments of a deployment go, with the facts of the network. */
export interface PaymentTerms {
  readonly payTo: string;
  /** Network by CAIP-2. */
  readonly networkId: string;
  readonly network: PaymentNetwork;
}

/** Seconds for which an authorization has to be good: enough for a slow settlement and for a buyer that asks again. */
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

/**
 * What a payment has to meet: an exact transfer by EIP-3009. `upfront` says that it is settled before the text is sent, so that two
 * requests with one authorization are served once (x402 version 2, `extra.paymentFlow`).
 */
export function requirementsOf({ priceMicros }: Pick<PaidResource, 'priceMicros'>, terms: PaymentTerms): PaymentRequirements {
  const { address, name, version } = terms.network.asset;
  return {
    scheme: 'exact',
    network: terms.networkId,
    amount: atomicAmount(priceMicros, terms),
    asset: address,
    payTo: terms.payTo,
    maxTimeoutSeconds: PAYMENT_TIMEOUT_SECONDS,
    extra: { name, version, paymentFlow: 'upfront' },
  };
}

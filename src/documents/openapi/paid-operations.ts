import { type PaidOffer, paidOffers } from '../../gateway/commerce/payments/paid-resource.ts';
import { atomicAmount } from '../../gateway/commerce/payments/payment-terms.ts';
import { MPP } from '../../protocols/mpp/challenge.ts';
import type { Publication } from '../../publication/publication.ts';
import type { JsonObject } from '../../schemas/json-schema.ts';
import type { OperationObject } from './document.ts';

/** Most paid capsules that the document lists one by one; the operation of all capsules describes the others. */
const LISTED_MAX = 100;

/**
 * An operation for each capsule whose text is sold, at its own address: those who look for what can be paid find the price and a request
 * that answers 402. It is the operation of all capsules, with `x-payment-info` (draft-payment-discovery-00).
 */
export function paidOperations(publication: Publication, getCapsule: OperationObject): Record<string, Record<string, OperationObject>> {
  const { parameters = [], ...operation } = getCapsule;
  return Object.fromEntries(
    paidOffers(publication)
      .slice(0, LISTED_MAX)
      .map((offer) => {
        const { url, capsuleId, title } = offer.resource;
        const paid: OperationObject = {
          ...operation,
          operationId: `${getCapsule.operationId}_${capsuleId.replaceAll('-', '_')}`,
          summary: `Buy the text of "${title}"`,
          description: offer.summary,
          parameters: parameters.filter(({ in: place }) => place !== 'path'),
          'x-payment-info': paymentInfo(offer),
        };
        return [new URL(url).pathname, { get: paid }];
      }),
  );
}

/**
 * One offer of the draft, in its flat form: its schema is closed. `@agentcash/discovery`, which reads the same document, takes the price
 * from it too, and not from the form `offers[]`.
 */
function paymentInfo({ resource, price, terms }: PaidOffer): JsonObject {
  return {
    ...MPP,
    amount: atomicAmount(resource.priceMicros, terms),
    currency: terms.network.asset.address,
    description: `${price.amount} ${price.currency} on ${terms.network.name}`,
  };
}

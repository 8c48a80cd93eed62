import { type PaidResource, paidResource } from '../../gateway/commerce/payments/paid-resource.ts';
import { type PaymentTerms, paymentTerms } from '../../gateway/commerce/payments/payment-terms.ts';
import { type CapsulePrice, microDollars } from '../../schemas/commerce/capsule-price.ts';
import type { Publication } from '../../publication/publication.ts';

/** What is sold, as every document about it says. */
export interface PaidOffer {
  readonly resource: PaidResource;
  readonly price: CapsulePrice;
  readonly terms: PaymentTerms;
  /** The claim of the capsule, which is free. */
  readonly summary: string;
}

/** Every capsule whose text can be paid for, in its newest version, by ascending id; none while payments are off. */
export function paidOffers({ deployment, capsules }: Publication): PaidOffer[] {
  const terms = paymentTerms(deployment);
  if (terms === undefined) return [];
  return capsules.flatMap(({ metadata }) => {
    const { price, summary } = metadata;
    if (price === undefined) return [];
    return [{ resource: paidResource(metadata, microDollars(price), undefined, deployment.baseUrl), price, terms, summary }];
  });
}

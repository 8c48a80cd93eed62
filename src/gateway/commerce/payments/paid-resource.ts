import type { Publication } from '../../../publication/publication.ts';
import { type CapsulePrice, microDollars } from '../../../schemas/commerce/payments.ts';
import type { CapsuleSummary } from '../../../schemas/knowledge/capsule.ts';
import { capsuleApiPath } from '../../../schemas/paths.ts';
import { statedSummary, statedTitle } from '../../knowledge/capsule-state.ts';
import { type PaymentTerms, paymentTerms } from './payment-terms.ts';

/** What is sold at one URL: the text of one version of a capsule. */
export interface PaidResource {
  /** URL of the request; a payment for one URL buys nothing at another. */
  readonly url: string;
  readonly capsuleId: string;
  readonly version: string;
  /** Price in millionths of a US dollar. */
  readonly priceMicros: number;
  readonly title: string;
  readonly tags: readonly string[];
}

type SoldCapsule = Pick<CapsuleSummary, 'capsule_id' | 'version' | 'title' | 'status' | 'tags'>;

/** The resource that a request for a paid capsule buys. */
export function paidResource(capsule: SoldCapsule, priceMicros: number, namedVersion: string | undefined, baseUrl: string): PaidResource {
  const { capsule_id, version, tags } = capsule;
  const query = namedVersion === undefined ? '' : `?version=${encodeURIComponent(namedVersion)}`;
  return {
    url: baseUrl + capsuleApiPath(capsule_id) + query,
    capsuleId: capsule_id,
    version,
    priceMicros,
    title: statedTitle(capsule),
    tags,
  };
}

/** A capsule for sale. */
export interface PaidOffer {
  readonly resource: PaidResource;
  readonly price: CapsulePrice;
  readonly terms: PaymentTerms;
  readonly summary: string;
}

/** All paid capsules in their newest version, by ascending id; none while payments are off. */
export function paidOffers({ deployment, capsules }: Pick<Publication, 'deployment' | 'capsules'>): PaidOffer[] {
  const terms = paymentTerms(deployment);
  if (terms === undefined) return [];
  return capsules.flatMap(({ metadata }) => {
    const { price } = metadata;
    if (price === undefined) return [];
    return [
      {
        resource: paidResource(metadata, microDollars(price), undefined, deployment.baseUrl),
        price,
        terms,
        summary: statedSummary(metadata),
      },
    ];
  });
}

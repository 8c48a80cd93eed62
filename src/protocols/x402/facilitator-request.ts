import type { PaymentRequirements, SignedAuthorization } from './schemas.ts';
import type { PaidResource } from '../../gateway/commerce/payments/paid-resource.ts';
import type { AskedPayment } from '../../gateway/commerce/payments/payment-ports.ts';
import { declaredExtensions } from './extensions.ts';

/** A payment as the facilitator is asked about it: what the buyer signed, and beside it only what the seller says itself. */
export function askedPayment(
  signed: SignedAuthorization,
  requirements: PaymentRequirements,
  resource: Pick<PaidResource, 'url' | 'title'>,
): AskedPayment {
  const { bazaar } = declaredExtensions(resource);
  return {
    signed,
    requirements,
    resource: { url: resource.url, description: resource.title, mimeType: 'application/json' },
    extensions: { bazaar },
  };
}

/** The reason of a facilitator as it may be repeated: one name. Anything longer is no name, and no sentence of theirs is passed on. */
export function plainReason(reason: string): string {
  return /^[A-Za-z0-9_]{1,80}$/.test(reason) ? reason : 'refused_by_facilitator';
}

import type { Offer } from '../schemas/commerce/offers.ts';
import { buyPath } from '../schemas/paths.ts';
import { MODE } from './deployment.ts';

/** Where a button to the checkout leads: through this site where a function passes visitors on, else straight to the checkout. */
export function buyHref(offer: Offer): string {
  return MODE === 'edge' ? `${buyPath(offer.id)}?go` : offer.checkoutUrl;
}

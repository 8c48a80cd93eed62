import { hasPrice, type Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { buyPath } from '../../../schemas/paths.ts';
import { get, OFFERS } from '../../next-steps.ts';
import { type Fault, type Refusal, refuse } from '../../result.ts';
import { type CartItem, hasId } from '../sessions/price-cart.ts';

/** Offers with a price that orders may name: those that are sold, and those that no longer are. */
export function offersOfOrders({ offers, discontinuedOffers = [] }: Pick<Deployment, 'offers' | 'discontinuedOffers'>): readonly Offer[] {
  return discontinuedOffers.length === 0 ? offers : [...offers, ...discontinuedOffers.filter(hasPrice)];
}

/** The refusal to sell an offer that was discontinued. */
export function noLongerSold({ id, name, discontinued }: Pick<Offer, 'id' | 'name' | 'discontinued'>): Refusal {
  return refuse('offer_not_found', `"${name}" was discontinued on ${discontinued}.`, {
    nextActions: [get('Read the page of the offer.', buyPath(id)), OFFERS],
  }).refusal;
}

/** The refusal of a cart that names an offer that was discontinued; `undefined` if it names none. */
export function refuseDiscontinued(
  items: readonly CartItem[],
  { discontinuedOffers = [] }: Pick<Deployment, 'discontinuedOffers'>,
): { readonly ok: false; readonly refusal: Refusal } | undefined {
  const found = items.flatMap(({ id, pointer }) => {
    const offer = discontinuedOffers.find((candidate) => hasId(candidate, id));
    return offer === undefined ? [] : [{ offer, pointer }];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const errors = found.map(({ offer, pointer }): Fault => ({ pointer, message: `was discontinued on ${offer.discontinued}` }));
  return { ok: false, refusal: { ...noLongerSold(first.offer), errors } };
}

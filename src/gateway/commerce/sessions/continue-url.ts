import type { Deployment } from '../../../schemas/deployment.ts';
import { checkoutItemsPath, checkoutSessionPath } from '../../../schemas/paths.ts';
import { fitsHostedLink } from './price-cart.ts';
import type { Session } from './session.ts';
import { hostedLinkOf } from '../catalog/buy-target.ts';

/**
 * Where a person pays exactly the total of a session: the hosted link of its offer, with the id of the session, by which the payment
 * finds it; the page of a checkout of its own where the processor makes one; or the page with the ways that are left, if a new edition
 * of the catalog has changed the price or no longer has the offer.
 */
export function continueUrl(
  { id, lines }: Pick<Session, 'id' | 'lines'>,
  { offers, baseUrl, commerce }: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>,
): string {
  const [line] = lines;
  const offer = offers.find((one) => one.id === line?.offerId);
  if (line !== undefined && fitsHostedLink(lines) && offer?.amountMinor === line.unitMinor && offer.cadence === line.cadence)
    return hostedLinkOf(id, offer.checkoutUrl);
  if (commerce.processor === 'stripe') return baseUrl + checkoutSessionPath(id);
  return baseUrl + checkoutItemsPath(lines.map(({ offerId, quantity }) => ({ id: offerId, quantity })));
}

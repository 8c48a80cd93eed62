import * as z from 'zod';
import { findBuyTarget } from '../../gateway/commerce/catalog/buy-target.ts';
import { permalinkItems } from '../../gateway/commerce/catalog/permalink.ts';
import { dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { hasId, unknownOffer } from '../../gateway/commerce/sessions/price-cart.ts';
import { get, OFFERS } from '../../gateway/next-steps.ts';
import { ok, type Refusal, refuse } from '../../gateway/result.ts';
import { defineRoute, pageResponse } from '../../http/define-route.ts';
import type { Offer } from '../../schemas/commerce/offers.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { buyPath, PATHS } from '../../schemas/paths.ts';
import { itemsOnce, refusedCartPage } from './checkout-page.ts';
import { invoicePage } from './invoice-page.ts';

/** The refusal of a name that no offer has, or of a permalink with one, with the one that it may mean. */
function unknownName(name: string, sentSegment: string, offers: readonly Offer[]): Refusal {
  const detail = 'No offer and no alias has this name.';
  const items = permalinkItems(name);
  if (items !== undefined && sentSegment !== name)
    return refuse('offer_not_found', `${detail} A permalink is not percent-encoded (UCP): did you mean ${buyPath(name)}?`, {
      nextActions: [get('Go to the checkout of these items.', buyPath(name)), OFFERS],
    }).refusal;
  const unknown = items?.find(({ id }) => !offers.some((offer) => hasId(offer, id)))?.id ?? name;
  const { didYouMean } = unknownOffer(unknown, 'offer', offers);
  if (typeof didYouMean !== 'string') return refuse('offer_not_found', detail).refusal;
  return refuse('offer_not_found', `${detail} Did you mean "${didYouMean}"?`, {
    errors: [{ pointer: 'offer', message: 'is not the name of an offer', didYouMean }],
    nextActions: [get('Read the page of that offer.', buyPath(didYouMean)), OFFERS],
  }).refusal;
}

const BuyPathParameters = z.object({
  offer: z
    .string()
    .min(1)
    .max(LIMITS.buySegmentMaxLength)
    .describe(
      'Id or alias of an offer, or a permalink: "<id>:<quantity>", several of them separated by commas. An id may be written as "~" and its base64url.',
    ),
});

const BuyParameters = z.looseObject({
  go: z.string().optional().describe('If present, whatever its value: redirect to the checkout instead of showing the page.'),
});

export const buyOfferRoute = defineRoute({
  id: 'buyOffer',
  feature: 'shop',
  method: 'GET',
  path: buyPath('{offer}'),
  summary: 'View an offer, or go to its checkout',
  description:
    'The page of an offer. An alias redirects to it with 302. "?go", or the permalink "<id>:1", redirects to the hosted checkout with 303. A permalink for several items or offers leads to the page of that cart, because a hosted checkout sells one item of one offer; a quantity over the limit is refused. With "continue_to" a permalink leads to that path of this site. A GET never charges. Browsers get a page for errors, too.',
  capability: 'commerce',
  access: 'open',
  pathParameters: BuyPathParameters,
  queryParameters: BuyParameters,
  forwardsParameters: true,
  servesBuiltPage: true,
  responses: [
    pageResponse(),
    { status: 302, description: 'The page of the offer that the alias names.' },
    { status: 303, description: 'The hosted checkout, the page of the cart, or the path in continue_to.' },
  ],
  errors: ['offer_not_found', 'cart_refused', 'file_unavailable'],
  rateLimit: 'network',
  refusalPage: (refusal, _request, deps) => refusedCartPage(refusal, '', deps),
  handle: async ({ path, rawAddress, rawQuery, isHead }, deps) => {
    const { deployment, clock, commerce } = deps;
    if (buyPath(path.offer) === PATHS.buyInvoice) {
      const once = itemsOnce(rawQuery);
      return once.ok ? ok({ kind: 'page', ...invoicePage(PATHS.buyInvoice, rawQuery, deps) }) : once;
    }
    const nowMs = clock.nowMs();
    const address = { segment: path.offer, sentSegment: rawAddress.path.slice(`${PATHS.buy}/`.length), query: rawAddress.query };
    const target = findBuyTarget(address, deployment, dayOf(nowMs));
    if (target.kind === 'page') {
      const { offers, quoteOnlyOffers = [], discontinuedOffers = [] } = deployment;
      if ([...offers, ...quoteOnlyOffers, ...discontinuedOffers].some(({ id }) => id === path.offer))
        return ok({ kind: 'file', page: buyPath(path.offer) });
      return ok({ kind: 'file', missing: unknownName(path.offer, address.sentSegment, offers) });
    }
    if (target.kind === 'alias') return ok({ kind: 'redirect', status: 302, location: target.location });
    if (target.kind === 'refused') return { ok: false, refusal: target.refusal };
    if (!isHead) for (const id of target.bought) commerce.clicks.count(id, nowMs);
    return ok({ kind: 'redirect', status: 303, location: target.location });
  },
});

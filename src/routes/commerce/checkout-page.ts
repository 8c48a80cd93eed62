import * as z from 'zod';
import { payablePriceIn } from '../../gateway/commerce/catalog/payable-price.ts';
import { readItems, readPermalinkQuery, withPassedOn } from '../../gateway/commerce/catalog/permalink.ts';
import { namedOffer, refuseUnsoldItems } from '../../gateway/commerce/catalog/unsold-offers.ts';
import { createSession, dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { hasId, hasSingleBillingInterval, payableIn, priceCart } from '../../gateway/commerce/sessions/price-cart.ts';
import type { Line } from '../../gateway/commerce/sessions/session.ts';
import { errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import { defineRoute, pageResponse, type RefusedRequest } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { OnDemandPage } from '../../http/on-demand-pages.ts';
import { CHALLENGE_SOLUTION } from '../../http/route-headers.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { checkoutSessionPath, PATHS } from '../../schemas/paths.ts';

/** Items of a cart in an address or in a form. */
export const ItemsText = z
  .string()
  .max(LIMITS.cartTextMaxLength)
  .describe(`Offers with quantities from 1 to ${LIMITS.quantityMax}: "<offer id>:<quantity>", separated by commas.`);

/** Refuses a query with the parameter "items" more than once: it is ambiguous. */
export function itemsOnce(query: URLSearchParams): Result<undefined> {
  if (query.getAll('items').length <= 1) return ok(undefined);
  return refuse('invalid_request', 'The parameter "items" appears twice. List all items in one parameter, separated by commas.', {
    errors: [{ pointer: 'items', message: 'appears twice' }],
  });
}

/**
 * The page of a refused cart.
 *
 * @param items Items as the request named them, `<id>:<quantity>,…`; empty if it named none in that form.
 */
export function refusedCartPage(refusal: Refusal, items: string, { deployment }: GatewayDependencies): OnDemandPage {
  const read = readItems(items);
  const unknown = read.ok ? read.value.filter(({ id }) => namedOffer(id, deployment) === undefined) : [];
  const meant = (refusal.errors ?? []).flatMap(({ didYouMean }) => (typeof didYouMean === 'string' ? didYouMean : []));
  const isTemporary = errorEntry(refusal.code).retry === 'later';
  return {
    page: 'error',
    props: { subject: 'cart', refusal, isTemporary, unknownIds: unknown.map(({ id }) => id), meantIds: [...new Set(meant)] },
    visibility: 'unlisted',
  };
}

/** Currency of the prices of a cart. */
const CurrencyText = z.string().regex(/^[A-Za-z]{3}$/, 'must be a currency code such as EUR');
const CURRENCY_OF_CART = 'Currency of the prices, ISO 4217; USD by default.';

const CheckoutParameters = z.looseObject({
  items: ItemsText.optional().describe(
    'Offers with quantities, "<offer id>:<quantity>", separated by commas. Without it: the page about the checkout.',
  ),
  currency: CurrencyText.optional().describe(CURRENCY_OF_CART),
});

const CheckoutBody = z.strictObject({ items: ItemsText, currency: CurrencyText.optional().describe(CURRENCY_OF_CART) });

/** Owner of sessions that people start on the page of a cart: anyone who knows the id can open the checkout, and nobody can change it. */
const OWNER = 'page';

/** Stripe's host of checkouts, unless the publisher has a custom domain there. */
const PROCESSOR_HOST = 'https://checkout.stripe.com';

export const viewCartRoute = defineRoute({
  id: 'viewCart',
  feature: 'shop',
  method: 'GET',
  path: PATHS.checkout,
  summary: 'See how a cart can be paid',
  description:
    'With "items": the cart at catalog prices, and the ways to pay for it. Without: the page about the checkout. A reference and campaign labels are passed on, as by a permalink. A GET never buys anything. Browsers get a page for errors, too.',
  capability: 'commerce',
  access: 'open',
  queryParameters: CheckoutParameters,
  forwardsParameters: true,
  servesBuiltPage: true,
  responses: [pageResponse()],
  errors: ['offer_not_found', 'cart_refused', 'file_unavailable'],
  rateLimit: 'network',
  refusalPage: (refusal, { query }, deps) => refusedCartPage(refusal, query.get('items') ?? '', deps),
  handle: async ({ query, rawQuery, rawAddress }, deps) => {
    const once = itemsOnce(rawQuery);
    if (!once.ok) return once;
    if (query.items === undefined) return ok({ kind: 'file', page: PATHS.checkout });
    const { passedOn, currency = 'USD' } = readPermalinkQuery(rawAddress.query);
    const lines = linesOf(query.items, currency, deps);
    if (!lines.ok) return lines;
    const hasCheckout = deps.deployment.commerce.processor === 'stripe' && hasSingleBillingInterval(lines.value);
    return ok({
      kind: 'page',
      page: 'cart',
      props: { lines: lines.value, currency, hasCheckout, hasLinks: haveLinks(lines.value, currency, deps), passedOn },
      visibility: 'unlisted',
      ...(hasCheckout ? { formTargets: [PROCESSOR_HOST, deps.deployment.checkoutHost ?? []].flat() } : {}),
    });
  },
});

export const startCheckoutRoute = defineRoute({
  id: 'startCheckout',
  feature: 'shop',
  method: 'POST',
  path: PATHS.checkout,
  summary: 'Start the checkout of a cart',
  description:
    'The button on the page of a cart: opens a checkout session for the items and redirects to its checkout. It is for people in browsers. Nothing is charged before the buyer pays there.',
  capability: 'commerce',
  access: 'open',
  headers: [CHALLENGE_SOLUTION],
  body: CheckoutBody,
  bodyTypes: ['application/x-www-form-urlencoded', 'application/json'],
  responses: [{ status: 303, description: 'The address of the session, which redirects to its checkout.' }],
  errors: ['offer_not_found', 'cart_refused', 'quota_exceeded', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  refusalPage: (refusal, request, deps) => refusedCartPage(refusal, itemsOf(request), deps),
  handle: async ({ body, network, defer, rawAddress }, deps) => {
    const items = readItems(body.items);
    if (!items.ok) return items;
    const checkout = checkoutDependencies(deps, { defer, network });
    if (!checkout.ok) return checkout;
    const created = await createSession(
      { caller: OWNER, endpoint: 'startCheckout', idempotencyKey: undefined, sentBody: body },
      { items: items.value, currency: body.currency?.toUpperCase() },
      { owner: OWNER, channel: 'page', agent: undefined },
      ({ id }) => ({ status: 303, body: id }),
      checkout.value,
    );
    // The page of the cart is in the detail; the problem document has no member for it.
    if (!created.ok) {
      const { continueUrl: _, ...refusal } = created.refusal;
      return { ok: false, refusal };
    }
    const { passedOn } = readPermalinkQuery(rawAddress.query);
    const location = withPassedOn(deps.deployment.baseUrl + checkoutSessionPath(created.value.body), passedOn);
    return ok({ kind: 'redirect', status: 303, location });
  },
});

function itemsOf({ fields }: RefusedRequest): string {
  return typeof fields['items'] === 'string' ? fields['items'] : '';
}

/** Whether the offer of every line has a hosted link in a currency. */
function haveLinks(lines: readonly Line[], currency: string, { deployment: { offers, commerce } }: GatewayDependencies): boolean {
  return lines.every(({ offerId }) => {
    const offer = offers.find((candidate) => hasId(candidate, offerId));
    return offer !== undefined && payablePriceIn(offer, currency, commerce)?.checkoutUrl !== undefined;
  });
}

function linesOf(text: string, currency: string, { deployment, clock }: GatewayDependencies): Result<readonly Line[]> {
  const items = readItems(text);
  const prices = payableIn(currency, deployment.commerce);
  if (!items.ok) return items;
  const today = dayOf(clock.nowMs());
  return refuseUnsoldItems(items.value, deployment, today) ?? priceCart(items.value, deployment.offers, today, prices);
}

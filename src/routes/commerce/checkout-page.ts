import * as z from 'zod';
import { type PermalinkQuery, readPermalinkQuery, withPassedOn } from '../../gateway/commerce/catalog/permalink.ts';
import { createSession, dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { fitsHostedLink, hasSingleBillingInterval, priceCart } from '../../gateway/commerce/sessions/price-cart.ts';
import { readItems } from '../../gateway/commerce/catalog/permalink.ts';
import { type Line, totalOf } from '../../gateway/commerce/sessions/session.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { buyPath, checkoutSessionPath, invoiceItemsPath, PATHS } from '../../schemas/paths.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import { defineRoute, type FilledPage, type RefusedRequest } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { pageOutcome } from '../../http/fill-page.ts';
import { html, type Markup } from '../../http/html.ts';
import { ItemsText, itemsOnce } from './items-parameter.ts';
import { band, bill, blankPage, contactText, demonstration, orFree } from './page-parts.ts';
import { refusedCartPage } from './refused-cart.ts';
import { CHALLENGE_SOLUTION } from '../../http/request-quotas.ts';

const CheckoutParameters = z.looseObject({
  items: ItemsText.optional().describe('Ids of offers with their quantities; without it, the page about the checkout.'),
});
type CheckoutParameters = z.infer<typeof CheckoutParameters>;

const CheckoutBody = z.strictObject({ items: ItemsText });
type CheckoutBody = z.infer<typeof CheckoutBody>;

/** Owner of sessions that people begin on the page of a cart: whoever knows the id may open the checkout, and nobody changes it. */
const OWNER = 'page';

type PassedOn = PermalinkQuery['passedOn'];

/** Where Stripe shows the checkouts that it makes, unless the publisher has a host of their own there. */
const PROCESSOR_HOST = 'https://checkout.stripe.com';

export const viewCartRoute = defineRoute<undefined, CheckoutParameters>({
  id: 'viewCart',
  method: 'GET',
  path: PATHS.checkout,
  summary: 'See how a cart can be paid',
  description:
    'With "items": what was asked for, at the prices of the catalog, and the ways to pay for it. Without: the page about the checkout. A reference and campaign labels go on to the ways, as a permalink passes them on. Nothing is bought by a GET. A browser gets a page for a refusal as well.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  queryParameters: CheckoutParameters,
  forwardsParameters: true,
  servesBuiltPage: true,
  responses: [{ status: 200, description: 'The page.', content: { type: 'text/html', schema: z.string() } }],
  errors: ['offer_not_found', 'cart_refused', 'file_unavailable'],
  rateLimit: 'network',
  cache: 'no-store',
  refusalPage: (refusal, { query }, deps) => refusedCartPage(refusal, query.get('items') ?? '', deps),
  handle: async ({ query, rawQuery, rawAddress }, deps) => {
    const once = itemsOnce(rawQuery);
    if (!once.ok) return once;
    if (query.items === undefined) return ok({ kind: 'file', page: PATHS.checkout });
    const lines = linesOf(query.items, deps);
    if (!lines.ok) return lines;
    return pageOutcome(await cartPage(lines.value, readPermalinkQuery(rawAddress.query).passedOn, deps));
  },
});

export const startCheckoutRoute = defineRoute<undefined, undefined, CheckoutBody>({
  id: 'startCheckout',
  method: 'POST',
  path: PATHS.checkout,
  summary: 'Begin the checkout of a cart',
  description:
    'What the button on the page of a cart does: opens a checkout session over the items and leads to its checkout. Agents open sessions by a protocol of commerce instead. Nothing is charged before the buyer pays there.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  headers: [CHALLENGE_SOLUTION],
  body: CheckoutBody,
  bodyTypes: ['application/x-www-form-urlencoded', 'application/json'],
  responses: [{ status: 303, description: 'The address of the session, which leads on to its checkout.' }],
  errors: ['offer_not_found', 'cart_refused', 'quota_exceeded', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  cache: 'no-store',
  refusalPage: (refusal, request, deps) => refusedCartPage(refusal, itemsOf(request), deps),
  handle: async ({ body, network, defer, rawAddress }, deps) => {
    const items = readItems(body.items);
    if (!items.ok) return items;
    const needed = checkoutDependencies(deps, { defer, network });
    if (!needed.ok) return needed;
    const made = await createSession(
      { caller: OWNER, endpoint: 'startCheckout', idempotencyKey: undefined, sentBody: body },
      { items: items.value },
      { owner: OWNER, channel: 'page', agent: undefined },
      ({ id }) => ({ status: 303, body: id }),
      needed.value,
    );
    // The detail names the page of the cart; the problem document has no member for it.
    if (!made.ok) return { ok: false, refusal: { ...made.refusal, members: {} } };
    const { passedOn } = readPermalinkQuery(rawAddress.query);
    const location = withPassedOn(deps.deployment.baseUrl + checkoutSessionPath(made.value.body), passedOn);
    return ok({ kind: 'redirect', status: 303, location });
  },
});

function itemsOf({ fields }: RefusedRequest): string {
  return typeof fields['items'] === 'string' ? fields['items'] : '';
}

function linesOf(text: string, { deployment, clock }: GatewayDependencies): Result<readonly Line[]> {
  const items = readItems(text);
  return items.ok ? priceCart(items.value, deployment.offers, dayOf(clock.nowMs())) : items;
}

/** @param passedOn Parameters of the page's address that its ways take along. */
function cartPage(lines: readonly Line[], passedOn: PassedOn, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const { deployment } = deps;
  const isCharged = deployment.commerce.processor === 'stripe' && hasSingleBillingInterval(lines);
  const isOne = fitsHostedLink(lines);
  const isFree = totalOf(lines) === 0;
  const lead = isOne
    ? 'One piece of one offer, which has a checkout of its own.'
    : isCharged
      ? 'One checkout takes all of it.'
      : `A checkout takes one piece of one offer at a time, so these are the ways to ${isFree ? 'order' : 'buy'} all of it.`;
  const body = html`${band('In the cart', html`${demonstration(lines)}${bill(lines, [['Total', totalOf(lines)]])}`)}
  ${band(isOne ? (isFree ? 'Order it' : 'Buy it') : isFree ? 'Ways to order' : 'Ways to buy', html`<ol class="ways">${waysOf(lines, passedOn, isCharged, isOne)}</ol>`)}
  ${band('Questions', contactText(deployment.contactEmail))}`;
  const targets = ["'self'", PROCESSOR_HOST, deployment.checkoutHost];
  return blankPage({ title: 'Your cart', lead, body }, 'passing', deps, isCharged ? targets : undefined);
}

function waysOf(lines: readonly Line[], passedOn: PassedOn, isCharged: boolean, isOne: boolean): Markup[] {
  const items = lines.map(({ offerId, quantity }) => ({ id: offerId, quantity }));
  const total = totalOf(lines);
  const ways: Markup[] = [];
  if (isCharged && !isOne)
    ways.push(html`<li><h3>${total > 0 ? 'Together, by card' : 'Together'}</h3><form method="post" action="${withPassedOn(PATHS.checkout, passedOn)}">
      <input type="hidden" name="items" value="${items.map(({ id, quantity }) => `${id}:${quantity}`).join(',')}" />
      <button class="button" type="submit">Go to checkout: ${orFree(total)}</button></form></li>`);
  ways.push(
    html`<li><h3>${isOne ? 'At its checkout' : 'Piece by piece'}</h3><ul class="plain-list">${lines.map(
      ({ offerId, name, quantity }) =>
        html`<li><a href="${withPassedOn(`${buyPath(offerId)}?go`, passedOn)}" rel="nofollow">Checkout of ${name}</a>${quantity > 1 ? `, ${quantity} times` : undefined}</li>`,
    )}</ul></li>`,
  );
  if (total > 0)
    ways.push(
      html`<li><h3>On one invoice</h3><p>All of it at once: <a href="${withPassedOn(invoiceItemsPath(items), passedOn)}">ask for an invoice</a>.</p></li>`,
    );
  return ways;
}

import * as z from 'zod';
import { createSession, dayOf } from '../../gateway/orders/checkout-sessions.ts';
import { findOffer, fitsHostedLink, hasOneRhythm, priceCart } from '../../gateway/orders/price-cart.ts';
import { priceText } from '../../gateway/orders/price-text.ts';
import { readItems } from '../../gateway/orders/read-items.ts';
import { type Line, totalOf } from '../../gateway/orders/session.ts';
import { ok, type Refusal, type Result } from '../../gateway/result.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { buyPath, checkoutSessionPath, invoiceItemsPath, PATHS } from '../../schemas/paths.ts';
import { checkoutDependencies } from '../commerce/checkout-dependencies.ts';
import { defineRoute, type FilledPage, type GatewayDependencies, type RefusedRequest } from '../define-route.ts';
import { pageOutcome } from '../http/fill-page.ts';
import { html, type Markup } from '../http/html.ts';
import { band, bill, blankPage, contactText } from './page-parts.ts';

const Items = z.string().max(LIMITS.cartTextMaxLength).describe('Ids of offers with their quantities, such as "review:2,digest:1".');

const CheckoutParameters = z.looseObject({
  items: Items.optional().describe('Ids of offers with their quantities; without it, the page about the checkout.'),
});
type CheckoutParameters = z.infer<typeof CheckoutParameters>;

const CheckoutBody = z.strictObject({ items: Items });
type CheckoutBody = z.infer<typeof CheckoutBody>;

/** Owner of sessions that people begin on the page of a cart: whoever knows the id may open the checkout, and nobody changes it. */
const OWNER = 'page';

/** Where Stripe shows the checkouts that it makes, unless the publisher has a host of their own there. */
const PROCESSOR_HOST = 'https://checkout.stripe.com';

export const viewCartRoute = defineRoute<undefined, CheckoutParameters>({
  id: 'viewCart',
  method: 'GET',
  path: PATHS.checkout,
  summary: 'See how a cart can be paid',
  description:
    'With "items": what was asked for, at the prices of the catalog, and the ways to pay for it. Without: the page about the checkout. Nothing is bought by a GET. A browser gets a page for a refusal as well.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  queryParameters: CheckoutParameters,
  passesParametersOn: true,
  answers: [{ status: 200, description: 'The page.', content: { type: 'text/html', schema: z.string() } }],
  errors: ['offer_not_found', 'cart_refused', 'file_unavailable'],
  rateLimit: 'network',
  cache: 'no-store',
  refusalPage: (refusal, { query }, deps) => refusedCart(refusal, query.get('items') ?? '', deps),
  handle: async ({ query }, deps) => {
    if (query.items === undefined) return ok({ kind: 'file', isBuilt: true });
    const lines = linesOf(query.items, deps);
    return lines.ok ? pageOutcome(await cartPage(lines.value, deps)) : lines;
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
  body: CheckoutBody,
  bodyTypes: ['application/x-www-form-urlencoded', 'application/json'],
  answers: [{ status: 303, description: 'The address of the session, which leads on to its checkout.' }],
  errors: ['offer_not_found', 'cart_refused', 'quota_exceeded', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  cache: 'no-store',
  refusalPage: (refusal, request, deps) => refusedCart(refusal, itemsOf(request), deps),
  handle: async ({ body, network }, deps) => {
    const items = readItems(body.items);
    if (!items.ok) return items;
    const needed = checkoutDependencies(deps);
    if (!needed.ok) return needed;
    const made = await createSession(
      { caller: OWNER, endpoint: 'startCheckout', idempotencyKey: undefined, sentBody: body },
      { items: items.value },
      { owner: OWNER, channel: 'page', network, agent: undefined },
      ({ id }) => ({ status: 303, body: id }),
      needed.value,
    );
    // The detail names the page of the cart; the problem document has no member for it.
    if (!made.ok) return { ok: false, refusal: { ...made.refusal, members: {} } };
    return ok({ kind: 'redirect', status: 303, location: deps.deployment.baseUrl + checkoutSessionPath(made.value.body) });
  },
});

function itemsOf({ fields }: RefusedRequest): string {
  return typeof fields['items'] === 'string' ? fields['items'] : '';
}

function linesOf(text: string, { deployment, clock }: GatewayDependencies): Result<readonly Line[]> {
  const items = readItems(text);
  return items.ok ? priceCart(items.value, deployment.offers, dayOf(clock.nowMs())) : items;
}

function cartPage(lines: readonly Line[], deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const { deployment } = deps;
  const isCharged = deployment.commerce.processor === 'stripe' && hasOneRhythm(lines);
  const isOne = fitsHostedLink(lines);
  const lead = isOne
    ? 'One piece of one offer: its own checkout charges exactly this.'
    : isCharged
      ? 'All of it can be paid at once.'
      : 'A checkout sells one piece of one offer at a time, so these are the ways to buy all of it.';
  const body = html`${band('In the cart', bill(lines, [['Total', totalOf(lines)]]))}
  ${band(isOne ? 'Buy it' : 'Ways to buy', html`<ol class="ways">${waysOf(lines, isCharged, isOne)}</ol>`)}
  ${band('Questions', contactText(deployment.contactEmail))}`;
  const targets = ["'self'", PROCESSOR_HOST, deployment.checkoutHost];
  return blankPage({ title: 'Your cart', lead, body }, 'passing', deps, isCharged ? targets : undefined);
}

function waysOf(lines: readonly Line[], isCharged: boolean, isOne: boolean): Markup[] {
  const items = lines.map(({ offerId, quantity }) => ({ id: offerId, quantity }));
  const ways: Markup[] = [];
  if (isCharged && !isOne)
    ways.push(html`<li><h3>Together, by card</h3><form method="post" action="${PATHS.checkout}">
      <input type="hidden" name="items" value="${items.map(({ id, quantity }) => `${id}:${quantity}`).join(',')}" />
      <button class="button" type="submit">Go to checkout: ${priceText(totalOf(lines))}</button></form></li>`);
  ways.push(
    html`<li><h3>${isOne ? 'At its checkout' : 'Piece by piece'}</h3><ul class="plain-list">${lines.map(
      ({ offerId, name, quantity, demo }) =>
        html`<li><a href="${buyPath(offerId)}?go" rel="nofollow">Checkout of ${name}</a>${quantity > 1 ? `, ${quantity} times` : undefined}${demo ? ' (a demonstration: nothing can be paid)' : undefined}</li>`,
    )}</ul></li>`,
  );
  const paid = items.filter((_item, index) => (lines[index]?.unitMinor ?? 0) > 0);
  if (paid.length > 0)
    ways.push(
      html`<li><h3>On one invoice</h3><p>The publisher sends an invoice over all of it: <a href="${invoiceItemsPath(paid)}">ask for the invoice</a>.</p></li>`,
    );
  return ways;
}

/** What is wrong with a cart, item by item. */
function refusedCart(refusal: Refusal, text: string, deps: GatewayDependencies): Promise<Result<FilledPage>> {
  const items = readItems(text);
  const today = dayOf(deps.clock.nowMs());
  const unknown = items.ok ? items.value.filter(({ id }) => findOffer(deps.deployment.offers, id, today) === undefined) : [];
  const faults =
    unknown.length > 0
      ? html`<ul class="plain-list">${unknown.map(({ id }) => html`<li><code>${id}</code> is no offer that is sold here.</li>`)}</ul>`
      : html`<p>${refusal.detail}</p>`;
  const body = html`${band('What is wrong', faults)}
  ${band('Where to go on', html`<p>Choose from the <a href="${PATHS.buy}">price list</a>, or ask for <a href="${PATHS.invoice}">an invoice</a>.</p>`)}
  ${band('Questions', contactText(deps.deployment.contactEmail))}`;
  return blankPage({ title: 'This cart cannot be bought', lead: 'Nothing was charged.', body }, 'passing', deps);
}

import * as z from 'zod';
import { readItems, readPermalinkQuery, withPassedOn } from '../../gateway/commerce/catalog/permalink.ts';
import { createSession, dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { findOffer, hasSingleBillingInterval, priceCart } from '../../gateway/commerce/sessions/price-cart.ts';
import type { Line } from '../../gateway/commerce/sessions/session.ts';
import { errorEntry } from '../../gateway/errors.ts';
import { ok, type Refusal, type Result, refuse } from '../../gateway/result.ts';
import { checkoutDependencies } from '../../http/checkout-dependencies.ts';
import { defineRoute, type RefusedRequest } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { OnDemandPage } from '../../http/page.ts';
import { CHALLENGE_SOLUTION } from '../../http/rate-limits.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { checkoutSessionPath, PATHS } from '../../schemas/paths.ts';

/** Items of a cart in an address or in a form. */
export const ItemsText = z
  .string()
  .max(LIMITS.cartTextMaxLength)
  .describe(`Ids of offers with their quantities from 1 to ${LIMITS.quantityMax}, such as "review:2,digest:1".`);

/** Refuses a query with the parameter "items" more than once: it is ambiguous. */
export function itemsOnce(query: URLSearchParams): Result<undefined> {
  if (query.getAll('items').length <= 1) return ok(undefined);
  return refuse('invalid_request', 'The parameter "items" is given twice; name all items in one, with commas between them.', {
    errors: [{ pointer: 'items', message: 'is given twice' }],
  });
}

/**
 * The page of a refused cart.
 *
 * @param items Items as the request named them, `review:2,digest:1`; empty where it named none in that form.
 */
export function refusedCartPage(refusal: Refusal, items: string, { deployment, clock }: GatewayDependencies): OnDemandPage {
  const read = readItems(items);
  const today = dayOf(clock.nowMs());
  const unknown = read.ok ? read.value.filter(({ id }) => findOffer(deployment.offers, id, today) === undefined) : [];
  const isTemporary = errorEntry(refusal.code).retry === 'later';
  return {
    page: 'refusal',
    props: { subject: 'cart', refusal, isTemporary, unknownIds: unknown.map(({ id }) => id) },
    visibility: 'unlisted',
  };
}

const CheckoutParameters = z.looseObject({
  items: ItemsText.optional().describe('Ids of offers with their quantities; without it, the page about the checkout.'),
});
type CheckoutParameters = z.infer<typeof CheckoutParameters>;

const CheckoutBody = z.strictObject({ items: ItemsText });
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
    const hasCheckout = deps.deployment.commerce.processor === 'stripe' && hasSingleBillingInterval(lines.value);
    return ok({
      kind: 'page',
      page: 'cart',
      props: { lines: lines.value, hasCheckout, passedOn: readPermalinkQuery(rawAddress.query).passedOn },
      visibility: 'unlisted',
      ...(hasCheckout ? { formTargets: ["'self'", PROCESSOR_HOST, deps.deployment.checkoutHost] } : {}),
    });
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

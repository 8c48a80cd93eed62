import * as z from 'zod';
import type { Line } from '../gateway/commerce/cart/checkout-ports.ts';
import { createSession, openCheckout } from '../gateway/commerce/cart/checkout-sessions.ts';
import {
  findBuyTarget,
  isPassedOn,
  permalinkItems,
  QUANTITY_PREFIX,
  readCart,
  readPermalinkQuery,
  type SentCart,
  withPassedOn,
} from '../gateway/commerce/cart/permalink.ts';
import { cartPath, fitsHostedLink, hasSingleBillingInterval, payableIn, priceCart } from '../gateway/commerce/cart/price-cart.ts';
import { allOffers, hasId, namedOffer, payablePriceIn, refuseUnsold, refuseUnsoldItems } from '../gateway/commerce/catalog/find-offer.ts';
import { completeDemonstration, endsWithOrder } from '../gateway/commerce/orders/complete-session.ts';
import { get, OFFERS } from '../gateway/error-next-actions.ts';
import { errorEntry } from '../gateway/errors.ts';
import { ok, type Refusal, refuse } from '../gateway/result.ts';
import { checkoutDependencies } from '../http/checkout-dependencies.ts';
import { CHALLENGE_SOLUTION, defineRoute, pageResponse, type RefusedRequest, type Route } from '../http/define-route.ts';
import type { GatewayDependencies } from '../http/gateway-dependencies.ts';
import type { OnDemandPage, PageProps } from '../http/on-demand-page-props.ts';
import { NO_PAGE } from '../http/serve-file.ts';
import { opensTexts } from '../schemas/commerce/access-passes.ts';
import { hasPrice } from '../schemas/commerce/currency-and-availability.ts';
import { SessionId } from '../schemas/commerce/orders.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIMITS } from '../schemas/limits.ts';
import { buyPath, checkoutPath, checkoutSessionPath, isTestCheckout, orderPath, PATHS } from '../schemas/paths.ts';
import { dayOf } from '../schemas/time.ts';
import {
  ItemsText,
  openInvoiceFormRoute,
  openInvoicePage,
  refusedInvoicePage,
  requestInvoiceRoute,
  wrongItemsOf,
} from './invoice-routes.ts';
import { getDeliveryRoute, getOrderRoute, paymentWebhookRoute, SHOP_ROUTE } from './order-routes.ts';

function unknownName(name: string, sentSegment: string, deployment: Deployment, today: string): Refusal {
  const items = permalinkItems(name);
  if (items !== undefined && sentSegment !== name)
    return refuse('offer_not_found', `A permalink is not percent-encoded (UCP): did you mean ${buyPath(name)}?`, {
      nextActions: [get('Go to the checkout of these items.', buyPath(name)), OFFERS],
    }).refusal;
  const named = (items ?? [{ id: name }]).map(({ id }) => ({ id, pointer: 'offer' }));
  return refuseUnsoldItems(named, deployment, today)?.refusal ?? NO_PAGE;
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
  ...SHOP_ROUTE,
  id: 'buyOffer',
  path: buyPath('{offer}'),
  summary: 'View an offer, or go to its checkout',
  description:
    'The page of an offer. An alias redirects to it with 302. "?go", or the permalink "<id>:1", redirects to the hosted checkout with 303, or, for an offer that delivers at once, to the page whose button opens a checkout session. A permalink for several items or offers leads to the page of that cart, because a hosted checkout sells one item of one offer; a quantity over the limit is refused. With "continue_to" a permalink leads to that path of this site. A GET never charges. Browsers get a page for errors, too.',
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
  refusalPage: (refusal, request, deps) =>
    request.path === PATHS.buyInvoice
      ? refusedInvoicePage(refusal, request, deps)
      : refusedCartPage(refusal, permalinkFields(request), deps),
  handle: async ({ path, rawAddress, rawQuery, isHead }, deps) => {
    const { deployment, clock } = deps;
    if (buyPath(path.offer) === PATHS.buyInvoice) return openInvoicePage(PATHS.buyInvoice, rawQuery, deps);
    const nowMs = clock.nowMs();
    const address = { segment: path.offer, sentSegment: rawAddress.path.slice(`${PATHS.buy}/`.length), query: rawAddress.query };
    const target = findBuyTarget(address, deployment, dayOf(nowMs));
    if (target.kind === 'page') {
      if (allOffers(deployment).some(({ id }) => id === path.offer)) return ok({ kind: 'file', page: buyPath(path.offer) });
      return ok({ kind: 'file', missing: unknownName(path.offer, address.sentSegment, deployment, dayOf(nowMs)) });
    }
    if (target.kind === 'alias') return ok({ kind: 'redirect', status: 302, location: target.location });
    if (target.kind === 'refused') return { ok: false, refusal: target.refusal };
    if (target.bought !== undefined && !isHead) deps.insights?.count('cart', target.bought);
    return ok({ kind: 'redirect', status: 303, location: target.location });
  },
});

function permalinkFields({ path, query }: RefusedRequest): SentFields {
  const items = permalinkItems(path.slice(`${PATHS.buy}/`.length)) ?? [];
  const { currency = 'USD' } = readPermalinkQuery(`${query}`);
  return items.length === 0 ? [] : Object.entries({ items: items.map(({ id, quantity }) => `${id}:${quantity}`).join(','), currency });
}

type SentFields = Iterable<readonly [name: string, value: string]>;

function refusedCartPage(refusal: Refusal, sent: SentFields, deps: GatewayDependencies, isSent = false): OnDemandPage {
  const meant = (refusal.errors ?? []).flatMap(({ didYouMean }) => (typeof didYouMean === 'string' ? didYouMean : []));
  const isTemporary = errorEntry(refusal.code).retry === 'later';
  const entries = [...sent];
  const cart = readCart(entries);
  const wrongItems = isTemporary ? [] : wrongItemsOf(cart, deps, false);
  const backTo = keptCart(cart, entries.find(([name]) => name === 'currency')?.[1], deps);
  return {
    page: 'error',
    props: { subject: 'cart', refusal, isTemporary, wrongItems, meantIds: [...new Set(meant)], isSent, ...(backTo && { backTo }) },
    visibility: 'unlisted',
  };
}

/** The address of what can be bought of a refused cart, in US dollars if that is all of it; `undefined` if that was refused, or nothing is left. */
function keptCart(
  { items, wrong }: SentCart,
  currency: string | undefined,
  { deployment, clock }: GatewayDependencies,
): string | undefined {
  const asked = [...items, ...wrong.map(({ id, value }) => ({ id, quantity: Math.max(1, Number.parseInt(value, 10) || 1) }))];
  const kept = new Map<string, number>();
  for (const { id, quantity } of asked) {
    const offer = namedOffer(id, deployment);
    if (offer === undefined || refuseUnsold(offer, dayOf(clock.nowMs())) !== undefined) continue;
    kept.set(offer.id, Math.min((kept.get(offer.id) ?? 0) + quantity, LIMITS.quantityMax));
  }
  const isAll = wrong.length === 0 && items.every(({ id, quantity }) => kept.get(namedOffer(id, deployment)?.id ?? '') === quantity);
  const lines = [...kept].map(([offerId, quantity]) => ({ offerId, quantity }));
  const sent = currency?.toUpperCase() ?? 'USD';
  return lines.length === 0 || (isAll && sent === 'USD') ? undefined : cartPath(lines, isAll ? 'USD' : sent);
}

const CurrencyText = z.string().regex(/^[A-Za-z]{3}$/, 'must be a currency code such as EUR');
const CURRENCY_OF_CART = 'Currency of the prices, ISO 4217; USD by default.';

const CheckoutParameters = z.looseObject({
  items: ItemsText.optional().describe(
    'Offers with quantities, "<offer id>:<quantity>", separated by commas; or "quantity.<offer id>" for each, but not both. Without any: the page about the checkout.',
  ),
  currency: CurrencyText.optional().describe(CURRENCY_OF_CART),
  go: z.string().optional().describe('If present, whatever its value: leads to the checkout, where one can take the whole cart.'),
  test: z
    .enum(['', 'receipt'], { error: 'must be empty or "receipt"' })
    .optional()
    .describe('If present, where all offers are demonstrations: their test checkout, or with "receipt" its end.'),
});

const CheckoutBody = z.strictObject({
  items: ItemsText.optional().describe('Offers with quantities, "<offer id>:<quantity>", separated by commas.'),
  currency: CurrencyText.optional().describe(CURRENCY_OF_CART),
  test: z.literal('1').optional().describe('If present: ends the test checkout of demonstrations with an order that opens its texts.'),
  session: SessionId.optional().describe('In place of items: a session of demonstrations, whose test checkout ends.'),
  revision: z.coerce
    .number()
    .int()
    .optional()
    .describe('With session: the revision whose items the buyer saw. Another one is shown first.'),
});

/** The members of the body for the fields of the cart: its quantities as a list, without what is passed on. */
function readCartForm(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields);
  const quantities = entries.filter(([name]) => name.startsWith(QUANTITY_PREFIX));
  const others = entries.filter(([name]) => !name.startsWith(QUANTITY_PREFIX) && !isPassedOn(name));
  const items = quantities
    .filter(([, value]) => !/^0+$/.test(String(value)))
    .map(([name, value]) => `${name.slice(QUANTITY_PREFIX.length)}:${value}`);
  return { ...(quantities.length === 0 ? {} : { items: items.join(',') }), ...Object.fromEntries(others) };
}

/** Owner of sessions that people start on the page of a cart. Their checkouts open for anyone who knows the id; no one can change them. */
const OWNER = 'page';

/** Stripe's host of checkouts, unless the publisher has a custom domain there. */
const PROCESSOR_HOST = 'https://checkout.stripe.com';

export const viewCartRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'viewCart',
  path: PATHS.checkout,
  summary: 'See how a cart can be paid',
  description:
    'With "items", or a form\'s "quantity.<offer id>": the cart at catalog prices, and the ways to pay for it. Without: the page about the checkout. A reference and campaign labels are passed on, as by a permalink. A GET never buys anything. Browsers get a page for errors, too.',
  queryParameters: CheckoutParameters,
  forwardsParameters: true,
  servesBuiltPage: true,
  responses: [pageResponse(), { status: 303, description: 'The hosted checkout, or the test checkout of demonstrations, with "go".' }],
  errors: ['offer_not_found', 'cart_refused', 'file_unavailable'],
  refusalPage: (refusal, { query }, deps) => refusedCartPage(refusal, query, deps, query.has('go')),
  handle: async ({ query, rawQuery, rawAddress, isHead }, deps) => {
    const cart = readCart(rawQuery);
    if (cart.refusal !== undefined) return { ok: false, refusal: cart.refusal };
    if (cart.items.length === 0) return ok({ kind: 'file', page: PATHS.checkout });
    const { passedOn, currency = 'USD' } = readPermalinkQuery(rawAddress.query);
    const { offers } = deps.deployment;
    const today = dayOf(deps.clock.nowMs());
    const prices = payableIn(currency, deps.deployment.commerce);
    const priced = refuseUnsoldItems(cart.items, deps.deployment, today) ?? priceCart(cart.items, offers, today, prices);
    if (!priced.ok) return priced;
    const lines = priced.value;
    const { baseUrl, checkoutHost } = deps.deployment;
    const links = hostedLinks(lines, currency, deps);
    const hasLinks = links.every((link) => link !== undefined);
    const isTest = hasLinks && links.every((link) => isTestCheckout(link, baseUrl));
    const isCharged = deps.deployment.commerce.processor === 'stripe' && hasSingleBillingInterval(lines);
    const isOfLink = hasLinks && fitsHostedLink(lines);
    const needsSession = lines.some(({ isDigital }) => isDigital);
    const hasCheckout = isCharged || (isOfLink && needsSession);
    const byLink = isTest ? !isCharged || isOfLink : isOfLink && !needsSession;
    const terms = termsOf(lines, deps);
    const shown = { lines, currency, passedOn, terms };
    const formTargets = [isCharged ? PROCESSOR_HOST : [], (isCharged || !isTest) && hasLinks ? (checkoutHost ?? []) : []].flat();
    if (isTest && query.test !== undefined) {
      const items = lines.map(({ offerId, quantity }) => `${offerId}:${quantity}`).join(',');
      const sends = opensTexts(terms) && endsWithOrder(lines, deps.deployment) ? { items, currency, test: '1' } : undefined;
      const props = { ...shown, isReceipt: query.test === 'receipt', sends };
      return ok({ kind: 'page', page: 'test-checkout', props, visibility: 'unlisted' });
    }
    if (query.go !== undefined && (isTest || byLink)) {
      const [{ offerId, quantity } = { offerId: '', quantity: 0 }] = lines;
      const path = lines.length === 1 && quantity === 1 ? checkoutPath(offerId, currency) : `${cartPath(lines, currency)}&test`;
      return ok({ kind: 'redirect', status: 303, location: withPassedOn(baseUrl + path, passedOn) });
    }
    if (!isHead) for (const { offerId } of lines) deps.insights?.count('cart', offerId);
    return ok({
      kind: 'page',
      page: 'cart',
      props: { ...shown, byLink, hasCheckout, hasLinks, isTest },
      visibility: 'unlisted',
      formTargets,
    });
  },
});

export const startCheckoutRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'startCheckout',
  method: 'POST',
  path: PATHS.checkout,
  summary: 'Start the checkout of a cart',
  description:
    'The button on the page of a cart: opens a checkout session for the items and redirects to its checkout. It is for people in browsers. Nothing is charged before the buyer pays there.',
  headers: [CHALLENGE_SOLUTION],
  body: CheckoutBody,
  bodyTypes: ['application/x-www-form-urlencoded', 'application/json'],
  readForm: readCartForm,
  responses: [{ status: 303, description: 'The address of the session, which redirects to its checkout.' }],
  errors: ['offer_not_found', 'cart_refused', 'quota_exceeded', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  refusalPage: (refusal, { fields }, deps) => refusedCartPage(refusal, sentFields(fields), deps, true),
  handle: async ({ body, network, defer, rawAddress }, deps) => {
    const { items = '', currency, test, session, revision } = body;
    const cart = readCart([['items', items]]);
    if (cart.refusal !== undefined) return { ok: false, refusal: cart.refusal };
    if (cart.items.length === 0 && session === undefined)
      return refuse('invalid_request', 'The cart is empty.', { errors: [{ pointer: 'items', message: 'names no offer' }] });
    const checkout = checkoutDependencies(deps, { defer, network });
    if (!checkout.ok) return checkout;
    const { passedOn } = readPermalinkQuery(rawAddress.query);
    const created = session
      ? ok({ body: session })
      : await createSession(
          { caller: OWNER, endpoint: 'startCheckout', idempotencyKey: undefined, sentBody: body },
          { items: cart.items, currency: currency?.toUpperCase(), labels: passedOn, isTest: test !== undefined },
          { owner: OWNER, channel: 'page', agent: undefined },
          ({ id }) => ({ status: 303, body: id }),
          checkout.value,
        );
    // The page of the cart is in the detail; the problem document has no member for it.
    if (!created.ok) {
      const { continueUrl: _, ...refusal } = created.refusal;
      return { ok: false, refusal };
    }
    const { body: id } = created.value;
    const isTest = session !== undefined || test !== undefined;
    const order = isTest ? await completeDemonstration(id, session === undefined ? 'any' : revision, checkout.value) : ok(undefined);
    if (!order.ok) return order;
    const path = order.value ? orderPath(order.value.receipt) : checkoutSessionPath(id);
    return ok({ kind: 'redirect', status: 303, location: withPassedOn(deps.deployment.baseUrl + path, passedOn) });
  },
});

function termsOf(lines: readonly Line[], { deployment }: GatewayDependencies): PageProps['cart']['terms'] {
  const offers = lines.flatMap(({ offerId }) => namedOffer(offerId, deployment) ?? []).filter(hasPrice);
  return offers.map(({ name, delivery, refund, delivers }) => ({ name, delivery, refund, delivers }));
}

function sentFields(fields: Readonly<Record<string, unknown>>): SentFields {
  return Object.entries(fields).map(([name, value]) => [name, String(value)]);
}

function hostedLinks(lines: readonly Line[], currency: string, { deployment: { offers, commerce } }: GatewayDependencies) {
  return lines.map(({ offerId }) => {
    const offer = offers.find((candidate) => hasId(candidate, offerId));
    return offer && payablePriceIn(offer, currency, commerce)?.checkoutUrl;
  });
}

/** Any text is accepted: an invalid id gets the same response as an unknown one. */
const OpenCheckoutPath = z.object({ session: z.string().max(64).describe('Id of a checkout session.') });

const OpenCheckoutParameters = z.looseObject({
  returned: z
    .string()
    .optional()
    .describe('If present, whatever its value: the buyer returns from the checkout, so show the state of the session.'),
});

export const openCheckoutRoute = defineRoute({
  ...SHOP_ROUTE,
  id: 'openCheckout',
  path: checkoutSessionPath('{session}'),
  summary: 'Go to the checkout of a session',
  description:
    'While the session is open, redirects with 303 to the hosted checkout, which charges exactly its lines, or shows the test checkout of a demonstration. Otherwise a page shows the state of the session. A GET never charges, and a HEAD creates nothing.',
  pathParameters: OpenCheckoutPath,
  queryParameters: OpenCheckoutParameters,
  forwardsParameters: true,
  responses: [
    pageResponse('The page of a session that is not open, or that the buyer returns to; or the test checkout.'),
    { status: 303, description: 'The hosted checkout.' },
  ],
  needs: ['orders'],
  errors: ['session_not_found', 'processor_unavailable', 'state_unavailable', 'not_configured'],
  rateLimit: 'buy',
  refusalPage: (refusal) => ({ page: 'error', props: { subject: 'session', refusal }, visibility: 'secret' }),
  handle: async ({ path, query, rawAddress, isHead }, deps) => {
    const { commerce, deployment, clock } = deps;
    if (!SessionId.safeParse(path.session).success) return refuse('session_not_found', 'No checkout session has this id.');
    const isReadOnly = isHead || query.returned !== undefined;
    const { passedOn } = readPermalinkQuery(rawAddress.query);
    const opened = await openCheckout(path.session, isReadOnly, { ...commerce, deployment, store: commerce.orders, clock }, passedOn);
    if (!opened.ok) return opened;
    if (opened.value.kind === 'leave') return ok({ kind: 'redirect', status: 303, location: opened.value.location });
    const { id, revision, lines, currency, totalMinor } = opened.value.session;
    if (opened.value.kind === 'test') {
      const sends = endsWithOrder(lines, deployment) ? { session: id, revision: String(revision) } : undefined;
      const props = { lines, currency, passedOn: new Map(), terms: termsOf(lines, deps), isReceipt: false, sends };
      return ok({ kind: 'page', page: 'test-checkout', props, visibility: 'secret' });
    }
    const { state, order } = opened.value;
    const props = { id, state, lines, currency, totalMinor, receipt: order?.receipt };
    return ok({ kind: 'page', page: 'session', props, visibility: 'secret' });
  },
});

/** Operations of the shop: what is bought, and what was. */
export function routes(): readonly Route[] {
  return [
    buyOfferRoute,
    getOrderRoute,
    openCheckoutRoute,
    viewCartRoute,
    startCheckoutRoute,
    openInvoiceFormRoute,
    requestInvoiceRoute,
    getDeliveryRoute,
    paymentWebhookRoute,
  ];
}

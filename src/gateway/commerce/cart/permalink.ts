import { fromBase64Url } from '../../../provenance/bytes-and-sha256.ts';
import { isDeliveredAtOnce } from '../../../schemas/commerce/currency-and-availability.ts';
import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { buyPath } from '../../../schemas/paths.ts';
import { Id, SESSION_ID_PREFIX } from '../../../schemas/primitives.ts';
import { attempt, listFieldErrors, type Refusal, refuse, repeatable } from '../../result.ts';
import { hasId, namedOffer, offersOfOrders, payablePriceIn, refuseUnsold } from '../catalog/find-offer.ts';
import { type CartItem, cartPath, payableIn, priceCart } from './price-cart.ts';

/** Prefix of the parameters and fields that hold quantities, in the shop, the cart and the invoice form; the id of the offer follows. */
export const QUANTITY_PREFIX = 'quantity.';

export interface SentCart {
  readonly items: readonly CartItem[];
  /** Entries that are no items: the offer that each names, and the quantity as sent. */
  readonly wrong: readonly { readonly id: string; readonly value: string }[];
  readonly refusal?: Refusal;
}

function isQuantity(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text) && Number(text) <= LIMITS.quantityMax;
}

/**
 * Reads the items of an address or a form: the list `items=review:2,digest:1`, or a quantity for each offer, `quantity.review=2`, without those
 * that are empty or 0. A name that appears twice, and both ways at once, are ambiguous and refused.
 */
export function readCart(fields: Iterable<readonly [name: string, value: string]>): SentCart {
  const sent = [...fields].map(([name, value]) => [name, value.trim()] as const);
  const lists = sent.filter(([name]) => name === 'items');
  const quantities = sent.filter(([name, value]) => name.startsWith(QUANTITY_PREFIX) && value !== '');
  const [[first] = []] = quantities;
  const repeated =
    lists.length > 1 ? 'items' : quantities.find(([name], at) => quantities.slice(0, at).some(([other]) => other === name))?.[0];
  if (repeated !== undefined)
    return ambiguous(repeated, 'appears twice', 'Send it once; "items" lists several offers, separated by commas.');
  if (first !== undefined && lists.length > 0)
    return ambiguous(first, 'is sent beside "items"', 'Send the quantities of all offers in one of the two ways.');
  const list = lists[0]?.[1] ?? '';
  const named = [
    ...(list === '' ? [] : list.split(',')).map((part) => {
      const [id = '', ...value] = part.trim().split(':');
      return { id, value: value.join(':'), pointer: 'items' };
    }),
    ...quantities.map(([name, value]) => ({ id: name.slice(QUANTITY_PREFIX.length), value, pointer: name })),
  ].filter(({ value, pointer }) => pointer === 'items' || !/^0+$/.test(value));
  if (named.length > LIMITS.cartItemsMax) return ambiguous('items', `names more than ${LIMITS.cartItemsMax} offers`, 'Send fewer.');
  const isItem = ({ id, value }: (typeof named)[number]): boolean => Id.safeParse(id).success && isQuantity(value);
  const items = named.filter(isItem).map(({ value, ...item }) => ({ ...item, quantity: Number(value) }));
  const wrong = named.filter((item) => !isItem(item));
  if (wrong.length === 0) return { items, wrong };
  const errors = wrong.map(({ id, value, pointer }) => ({
    pointer: repeatable(pointer),
    message:
      pointer === 'items'
        ? `must list offer ids, each with a quantity from 1 to ${LIMITS.quantityMax}, such as "review:2,digest:1"; ${wrongItem(id, value)}`
        : `must be a whole number from 0 to ${LIMITS.quantityMax}; it is "${repeatable(value)}"`,
  }));
  const { detail } = listFieldErrors('The cart', errors, errors.length);
  return { items, wrong, refusal: refuse('invalid_request', detail, { errors }).refusal };
}

function wrongItem(id: string, value: string): string {
  if (value !== '') return `"${repeatable(`${id}:${value}`)}" is not one`;
  return id === '' ? 'a comma has no item on one side' : `"${repeatable(id)}" has no quantity`;
}

function ambiguous(name: string, message: string, advice: string): SentCart {
  const pointer = repeatable(name);
  const { refusal } = refuse('invalid_request', `The parameter "${pointer}" ${message}. ${advice}`, { errors: [{ pointer, message }] });
  return { items: [], wrong: [], refusal };
}

type PermalinkItem = Pick<CartItem, 'id' | 'quantity'>;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Items of the compact path of a permalink, `{id}:{quantity}[,…]`, or `undefined` if it is malformed. Quantities may be out of bounds. An id is
 * plain, or `~` and the base64url of its UTF-8 (UCP 2026-08-25, docs/specification/permalink.md, "Compact Item Path" and "Item ID Token").
 */
export function permalinkItems(segment: string): readonly PermalinkItem[] | undefined {
  const pairs = segment.split(',');
  if (pairs.length > LIMITS.cartItemsMax) return undefined;
  const items = pairs.map(permalinkItem);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function permalinkItem(pair: string): PermalinkItem | undefined {
  const [, token, quantity] = /^([A-Za-z0-9._-]+|~[A-Za-z0-9_-]+):(0|[1-9][0-9]*)$/.exec(pair) ?? [];
  if (token === undefined || quantity === undefined) return undefined;
  const id = token.startsWith('~') ? decodedId(token.slice(1)) : token;
  return id === undefined ? undefined : { id, quantity: Number(quantity) };
}

function decodedId(base64url: string): string | undefined {
  const bytes = fromBase64Url(base64url);
  const text = bytes && attempt(() => UTF8.decode(bytes));
  return text === undefined || /\p{Cc}/u.test(text) ? undefined : text;
}

export interface PermalinkQuery {
  /** Destination, percent-encoded as it was sent; `undefined` if it is absent or repeated. */
  readonly continueTo: string | undefined;
  readonly passedOn: ReadonlyMap<string, string>;
  /** Currency that the buyer prefers, ISO 4217 in upper case; `undefined` if it is absent, repeated or malformed. */
  readonly currency?: string;
}

const MARKETING = /^[A-Za-z0-9_-]{1,150}$/;

/**
 * A reference chosen by the link's author. It must not begin like ids of checkout sessions: a payment completes the session that its reference
 * names, so a link could make its buyer pay for another buyer's session.
 */
const REFERENCE = new RegExp(`^(?!${SESSION_ID_PREFIX})[a-z0-9_-]{1,64}$`, 'i');

/** Parameters that are passed on, with their valid values, as of Stripe payment links. Any other is dropped: it may be sensitive. */
const PASSED_ON: ReadonlyMap<string, RegExp> = new Map([
  ['client_reference_id', REFERENCE],
  ['utm_source', MARKETING],
  ['utm_medium', MARKETING],
  ['utm_campaign', MARKETING],
  ['utm_term', MARKETING],
  ['utm_content', MARKETING],
]);

export function isPassedOn(name: string): boolean {
  return PASSED_ON.has(name);
}

/**
 * Parses a query (UCP 2026-08-25, docs/specification/permalink.md, "Query Processing"). Names are JSON pointers, with or without a leading slash;
 * a repeated one is dropped. `attribution/utm_…` takes precedence over `utm_…`, and `context/currency` or `currency` chooses among the prices of
 * the catalog; no other field of UCP has an effect, so that no link sets a price, a total or a state.
 */
export function readPermalinkQuery(query: string): PermalinkQuery {
  const values = new Map<string, string | undefined>();
  for (const part of query.replace(/^\?/, '').split('&')) {
    const at = part.indexOf('=');
    const name = decodedText(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : part.slice(at + 1);
    if (name === undefined || name === '') continue;
    const pointer = name === 'continue_to' ? name : name.replace(/^\/*/, '/');
    values.set(pointer, values.has(pointer) ? undefined : value);
  }
  const passedOn = new Map<string, string>();
  for (const [name, allowed] of PASSED_ON) {
    const isMarketing = allowed === MARKETING;
    const sent = (isMarketing ? values.get(`/attribution/${name}`) : undefined) ?? values.get(`/${name}`);
    const value = sent === undefined ? undefined : decodedText(sent);
    if (value !== undefined && allowed.test(value)) passedOn.set(name, value);
  }
  const currency = decodedText(values.get('/context/currency') ?? values.get('/currency') ?? '')?.toUpperCase();
  return { continueTo: values.get('continue_to'), passedOn, ...(currency && /^[A-Z]{3}$/.test(currency) ? { currency } : {}) };
}

export function withPassedOn(address: string, passedOn: PermalinkQuery['passedOn']): string {
  const query = [...passedOn].map(([name, value]) => `${name}=${value}`).join('&');
  return query === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

function decodedText(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text.replaceAll('+', ' ')));
}

/**
 * The URL of this site that `continue_to` leads to; `undefined` if it is unsafe: the steps of UCP 2026-08-25, docs/specification/permalink.md,
 * "Destination Preference". Double-encoded values and paths that begin with two slashes are refused; query and fragment are dropped.
 */
export function continueTo(sent: string, baseUrl: string): string | undefined {
  const path = attempt(() => decodeURIComponent(sent));
  if (path === undefined) return undefined;
  if (!/^\/(?!\/)/.test(path) || /[\\%\s\p{Cc}\p{Cf}]/u.test(path) || /^\/[a-z][a-z0-9+.-]*:/i.test(path) || path.includes('://'))
    return undefined;
  if (!URL.canParse(path, baseUrl)) return undefined;
  const { origin, pathname } = new URL(path, baseUrl);
  return origin === new URL(baseUrl).origin && !pathname.startsWith('//') ? origin + pathname : undefined;
}

/** Where a URL under `/buy/` leads. `bought` is the offer whose hosted checkout it is. */
type BuyTarget =
  | { readonly kind: 'page' }
  | { readonly kind: 'alias'; readonly location: string }
  | { readonly kind: 'redirect'; readonly location: string; readonly bought?: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Where `/buy/<segment>` leads: an alias to its offer's page, `?go` to the hosted checkout, a permalink `<id>:<quantity>[,…]` to the checkout
 * that charges exactly its items, else to its cart page; anything else to the page of that name. An offer that delivers at once leads to its cart
 * page, whose button opens the session that becomes the order. All targets are links of the catalog or pages
 * of this site. `continue_to` drops the items, because this site has no carts.
 */
export function findBuyTarget(
  { segment, sentSegment, query }: Readonly<Record<'segment' | 'sentSegment' | 'query', string>>,
  deployment: Deployment,
  today: string,
): BuyTarget {
  const offers = offersOfOrders(deployment);
  const offerOf = (name: string): Offer | undefined => offers.find((offer) => hasId(offer, name));
  const items = permalinkItems(sentSegment);
  if (items === undefined) {
    const offer = offerOf(segment);
    if (offer === undefined) return quoteOnlyTarget(segment, query, deployment);
    const isCheckout = new URLSearchParams(query).has('go');
    if (isCheckout) return checkoutOf(new Map([[offer, 1]]), query, deployment, today);
    return offer.id === segment ? { kind: 'page' } : { kind: 'alias', location: deployment.baseUrl + buyPath(offer.id) };
  }
  const { continueTo: destination, passedOn } = readPermalinkQuery(query);
  const target = destination === undefined ? undefined : continueTo(destination, deployment.baseUrl);
  if (target !== undefined) return { kind: 'redirect', location: withPassedOn(target, passedOn) };
  const quantities = new Map<Offer, number>();
  for (const { id, quantity } of items) {
    const offer = offerOf(id);
    if (offer === undefined) return quoteOnlyTarget(id, 'go', deployment);
    if (quantity < 1 || quantity > LIMITS.quantityMax) return { kind: 'refused', refusal: wrongQuantity(offer) };
    quantities.set(offer, (quantities.get(offer) ?? 0) + quantity);
  }
  return checkoutOf(quantities, query, deployment, today);
}

function wrongQuantity({ id, name }: Offer): Refusal {
  const message = `must have a quantity from 1 to ${LIMITS.quantityMax}`;
  return refuse('invalid_request', `"${name}" ${message}, as in ${buyPath(`${id}:1`)}.`, { errors: [{ pointer: 'offer', message }] })
    .refusal;
}

function quoteOnlyTarget(segment: string, query: string, deployment: Deployment): BuyTarget {
  const offer = namedOffer(segment, deployment);
  if (offer === undefined) return { kind: 'page' };
  const location = deployment.baseUrl + buyPath(offer.id);
  if (new URLSearchParams(query).has('go'))
    return { kind: 'redirect', location: withPassedOn(location, readPermalinkQuery(query).passedOn) };
  return offer.id === segment ? { kind: 'page' } : { kind: 'alias', location };
}

function checkoutOf(quantities: ReadonlyMap<Offer, number>, query: string, { baseUrl, commerce }: Deployment, today: string): BuyTarget {
  const { passedOn, currency = 'USD' } = readPermalinkQuery(query);
  const [unsold] = [...quantities.keys()].flatMap((offer) => refuseUnsold(offer, today) ?? []);
  if (unsold !== undefined) return { kind: 'refused', refusal: unsold };
  const [[offer, quantity] = []] = quantities;
  if (offer !== undefined && quantity === 1 && quantities.size === 1) {
    const price = payablePriceIn(offer, currency, commerce);
    // A link that promises another currency than the checkout charges leads to the page that names the prices.
    if (price === undefined) return { kind: 'redirect', location: withPassedOn(baseUrl + buyPath(offer.id), passedOn) };
    if (price.checkoutUrl !== undefined && !isDeliveredAtOnce(offer))
      return { kind: 'redirect', location: linkWith(price.checkoutUrl, passedOn), bought: offer.id };
  }
  const items = [...quantities].map(([{ id }, number]) => ({ id, quantity: number, pointer: 'offer' }));
  const priced = priceCart(items, [...quantities.keys()], today, payableIn(currency, commerce));
  if (!priced.ok) return { kind: 'refused', refusal: priced.refusal };
  return { kind: 'redirect', location: withPassedOn(baseUrl + cartPath(priced.value, currency), passedOn) };
}

/** An address with labels of a campaign. It keeps the reference that it has, by which a payment finds its session. */
export function withLabels(address: string, labels: PermalinkQuery['passedOn']): string {
  return linkWith(address, new Map([...labels].filter(([name]) => PASSED_ON.get(name) === MARKETING)));
}

/** A hosted link that pays a session. The session id must never come from a request. */
export function hostedLinkFor(sessionId: string, checkoutUrl: string): string {
  return linkWith(checkoutUrl, new Map([['client_reference_id', sessionId]]));
}

function linkWith(checkoutUrl: string, parameters: ReadonlyMap<string, string>): string {
  if (parameters.size === 0) return checkoutUrl;
  const url = new URL(checkoutUrl);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  return url.href;
}

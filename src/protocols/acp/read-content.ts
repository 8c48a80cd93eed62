import { payableCurrencies, payablePriceIn, payablePrices } from '../../gateway/commerce/catalog/payable-price.ts';
import type { SessionContent } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { type CartItem, findOffer, unknownOffer } from '../../gateway/commerce/sessions/price-cart.ts';
import { type Fault, ok, type Result, refuse, withFurtherFaults } from '../../gateway/result.ts';
import { FAULTS_MAX } from '../../http/validate-input.ts';
import { keptBuyer } from '../../schemas/commerce/orders.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { AcpLineItem, AcpUpdateRequest } from './schemas/requests.ts';
import { CODES_SENT } from './write-session.ts';

type Settings = Pick<Deployment, 'baseUrl' | 'commerce' | 'offers'>;

/**
 * The session content that a request asks for, or all that is wrong with it.
 *
 * A price in the request is never used. One that differs from the catalog is refused, because the caller may have shown it to a buyer.
 *
 * @param today `YYYY-MM-DD`.
 */
export function acpContent(body: AcpUpdateRequest, settings: Settings, today: string): Result<SessionContent> {
  const currency = body.currency?.toUpperCase();
  const sold = payableCurrencies(settings);
  const isSold = currency === undefined || sold.includes(currency);
  const member = body.line_items === undefined ? 'items' : 'line_items';
  const sent = body.line_items ?? body.items;
  const items = sent?.map(
    (item, index): CartItem => ({ id: offerIdOf(item), quantity: item.quantity ?? 1, pointer: `/${member}/${index}` }),
  );
  const notifyUrl = acpNotifyUrl(body, settings);
  const refusals = [
    body.line_items !== undefined && body.items !== undefined
      ? refuse('invalid_request', 'The body has both "line_items" and "items", its earlier name. Send one of them.', {
          errors: [{ pointer: '/items', message: 'duplicates line_items' }],
        })
      : undefined,
    isSold ? undefined : unsoldCurrency(sold),
    isSold ? refusePrices(sent ?? [], member, currency, settings, today) : undefined,
    notifyUrl.ok ? undefined : notifyUrl,
  ].filter((refused) => refused !== undefined);
  const [first, ...others] = refusals.map(({ refusal }) => refusal);
  if (first !== undefined) {
    const unknown = (items ?? []).filter(({ id }) => findOffer(settings.offers, id, today) === undefined);
    const faults = [
      ...others.flatMap(({ errors = [] }) => errors),
      ...unknown.map(({ id, pointer }) => unknownOffer(id, pointer, settings.offers)),
    ];
    return { ok: false, refusal: withFurtherFaults(first, faults, FAULTS_MAX) };
  }
  return ok({
    items,
    currency,
    buyer: body.buyer && keptBuyer(body.buyer),
    notifyUrl: notifyUrl.ok ? notifyUrl.value : undefined,
    details: hasCodes(body) ? { [CODES_SENT]: true } : undefined,
  });
}

function unsoldCurrency(sold: readonly string[]) {
  const message = `must be ${sold.map((code) => code.toLowerCase()).join(' or ')}`;
  return refuse('invalid_request', `The currency ${message}.`, { errors: [{ pointer: '/currency', message }] });
}

/** The refusal of prices that differ from the catalog; `undefined` if none does. */
function refusePrices(sent: readonly AcpLineItem[], member: string, currency: string | undefined, settings: Settings, today: string) {
  const errors = sent.flatMap((item, index) => faultyPrices(item, `/${member}/${index}`, currency, settings, today));
  const [first] = errors;
  return first === undefined
    ? undefined
    : refuse('invalid_request', `A price in the request differs from the catalog: ${first.pointer} ${first.message}.`, { errors });
}

function offerIdOf({ id, item }: AcpLineItem): string {
  return item?.id ?? id ?? '';
}

/** @param currency Currency of the request; without one, the session has a currency, and any price of the catalog is accepted. */
function faultyPrices(
  sent: AcpLineItem,
  pointer: string,
  currency: string | undefined,
  { offers, commerce }: Settings,
  today: string,
): Fault[] {
  const offer = findOffer(offers, offerIdOf(sent), today);
  if (offer === undefined) return [];
  const prices = (currency === undefined ? payablePrices(offer, commerce) : [payablePriceIn(offer, currency, commerce)]).flatMap(
    (price) => price?.amountMinor ?? [],
  );
  // An offer without a price in the currency is refused with the cart.
  if (prices.length === 0) return [];
  const message = `must be ${prices.join(' or ')}, the catalog price`;
  const quoted = [
    { amount: sent.unit_amount, pointer: `${pointer}/unit_amount` },
    { amount: sent.item?.unit_amount, pointer: `${pointer}/item/unit_amount` },
  ];
  return quoted.flatMap(({ amount, pointer: at }) => (amount === undefined || prices.includes(amount) ? [] : [{ pointer: at, message }]));
}

function hasCodes({ coupons = [], discounts }: AcpUpdateRequest): boolean {
  return coupons.length > 0 || (discounts?.codes ?? []).length > 0;
}

const POINTER = '/metadata/order_webhook_url';

/**
 * The address for events of the order, if the agent names one: https on a host that the publisher allows; http only if the deployment itself
 * is on a loopback address.
 */
function acpNotifyUrl(
  { metadata }: Pick<AcpUpdateRequest, 'metadata'>,
  { baseUrl, commerce }: Pick<Deployment, 'baseUrl' | 'commerce'>,
): Result<string | undefined> {
  const text = metadata?.order_webhook_url;
  if (text === undefined) return ok(undefined);
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return faulty('must be an https URL in ASCII');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !baseUrl.startsWith('http://')) return faulty('must begin with https://');
  if (url.username !== '' || url.password !== '' || url.hash !== '') return faulty('must have no user, password or fragment');
  if (!commerce.webhookHosts.includes(url.host))
    return faulty(`must be on a host that the publisher allows; GET ${PATHS.acp}/order_webhook lists them`);
  return ok(url.href);
}

function faulty(message: string): Result<never> {
  return refuse('invalid_request', `The address for events ${message}.`, { errors: [{ pointer: POINTER, message }] });
}

import { payableCurrencies, payablePriceIn, payablePrices } from '../../gateway/commerce/catalog/payable-price.ts';
import type { SessionContent } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { type CartItem, findOffer } from '../../gateway/commerce/sessions/price-cart.ts';
import { type Fault, ok, type Result, refuse } from '../../gateway/result.ts';
import { keptBuyer } from '../../schemas/commerce/orders.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { AcpLineItem, AcpUpdateRequest } from './schemas/requests.ts';
import { CODES_SENT } from './write-session.ts';

type Settings = Pick<Deployment, 'baseUrl' | 'commerce' | 'offers'>;

/**
 * The session content that a request asks for.
 *
 * A price in the request is never used. One that differs from the catalog is refused, because the caller may have shown it to a buyer.
 *
 * @param today `YYYY-MM-DD`.
 */
export function acpContent(body: AcpUpdateRequest, settings: Settings, today: string): Result<SessionContent> {
  if (body.line_items !== undefined && body.items !== undefined)
    return refuse('invalid_request', 'The body has both "line_items" and "items", its earlier name. Send one of them.', {
      errors: [{ pointer: '/items', message: 'duplicates line_items' }],
    });
  const currency = body.currency?.toUpperCase();
  const sold = payableCurrencies(settings);
  if (currency !== undefined && !sold.includes(currency)) {
    const message = `must be ${sold.map((code) => code.toLowerCase()).join(' or ')}`;
    return refuse('invalid_request', `The currency ${message}.`, { errors: [{ pointer: '/currency', message }] });
  }
  const member = body.line_items === undefined ? 'items' : 'line_items';
  const sent = body.line_items ?? body.items;
  const faults = (sent ?? []).flatMap((item, index) => faultyPrices(item, `/${member}/${index}`, currency, settings, today));
  if (faults.length > 0)
    return refuse('invalid_request', `A price in the request differs from the catalog: ${faults[0]?.pointer} ${faults[0]?.message}.`, {
      errors: faults,
    });
  const notifyUrl = acpNotifyUrl(body, settings);
  if (!notifyUrl.ok) return notifyUrl;
  return ok({
    items: sent?.map((item, index): CartItem => ({ id: offerIdOf(item), quantity: item.quantity ?? 1, pointer: `/${member}/${index}` })),
    currency,
    buyer: body.buyer && keptBuyer(body.buyer),
    notifyUrl: notifyUrl.value,
    details: hasCodes(body) ? { [CODES_SENT]: true } : undefined,
  });
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

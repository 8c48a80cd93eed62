import type { AcpLineItem, AcpUpdateRequest } from './schemas/requests.ts';
import { keptBuyer } from '../../schemas/commerce/buyer.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { type Fault, ok, refuse, type Result } from '../../gateway/result.ts';
import { CODES_SENT } from './session.ts';
import { acpNotifyUrl } from './webhook-url.ts';
import type { SessionContent } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { findOffer, type CartItem } from '../../gateway/commerce/sessions/price-cart.ts';

type Settings = Pick<Deployment, 'baseUrl' | 'commerce' | 'offers'>;

/**
 * What a request to open or to change a session asks for, in the words of the order engine.
 *
 * A price in the request is never taken. One that differs from the catalog is refused, because whoever sent it has shown it to a buyer.
 *
 * @param today `YYYY-MM-DD`.
 */
export function acpContent(body: AcpUpdateRequest, settings: Settings, today: string): Result<SessionContent> {
  if (body.line_items !== undefined && body.items !== undefined)
    return refuse(
      'invalid_request',
      'The body names its items twice: "items" is the name of before for "line_items". Send one of the two.',
      {
        errors: [{ pointer: '/items', message: 'stands beside line_items' }],
      },
    );
  const member = body.line_items === undefined ? 'items' : 'line_items';
  const sent = body.line_items ?? body.items;
  const faults = (sent ?? []).flatMap((item, index) => faultyPrices(item, `/${member}/${index}`, settings, today));
  if (faults.length > 0)
    return refuse('invalid_request', `A price in the request is not that of the catalog: ${faults[0]?.pointer} ${faults[0]?.message}.`, {
      errors: faults,
    });
  const notifyUrl = acpNotifyUrl(body, settings);
  if (!notifyUrl.ok) return notifyUrl;
  return ok({
    items: sent?.map((item, index): CartItem => ({ id: offerIdOf(item), quantity: item.quantity ?? 1, pointer: `/${member}/${index}` })),
    buyer: body.buyer && keptBuyer(body.buyer),
    notifyUrl: notifyUrl.value,
    details: hasCodes(body) ? { [CODES_SENT]: true } : undefined,
  });
}

function offerIdOf({ id, item }: AcpLineItem): string {
  return item?.id ?? id ?? '';
}

function faultyPrices(sent: AcpLineItem, pointer: string, { offers }: Settings, today: string): Fault[] {
  const offer = findOffer(offers, offerIdOf(sent), today);
  if (offer === undefined) return [];
  const message = `must be ${offer.amountMinor}, the price of the catalog`;
  return [
    ...(sent.unit_amount === undefined || sent.unit_amount === offer.amountMinor ? [] : [{ pointer: `${pointer}/unit_amount`, message }]),
    ...(sent.item?.unit_amount === undefined || sent.item.unit_amount === offer.amountMinor
      ? []
      : [{ pointer: `${pointer}/item/unit_amount`, message }]),
  ];
}

function hasCodes({ coupons = [], discounts }: AcpUpdateRequest): boolean {
  return coupons.length > 0 || (discounts?.codes ?? []).length > 0;
}

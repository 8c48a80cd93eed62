import type { Registration } from '../../../schemas/agents.ts';
import { deliveryName, type Offer, type StoredDelivery } from '../../../schemas/commerce/offers.ts';
import { issuedKey, type Mint } from '../../agents/api-key.ts';
import { type Corpus, withCorpus } from '../../knowledge/corpus.ts';
import { readPaidText } from '../../knowledge/read-capsule.ts';
import { ok, type Result, refuse } from '../../result.ts';
import { hasId } from '../sessions/price-cart.ts';
import { refundStateOf } from './order.ts';
import { type OrderKeyDependencies, orderKeyPayload, orderKeyStatus } from './order-key.ts';
import type { Order } from './order-ports.ts';

/** A delivery of an order, by its name. */
export interface OrderedDelivery {
  readonly name: string;
  readonly delivery: StoredDelivery;
}

/** Delivered content. */
export type Delivered =
  | { readonly kind: 'bytes'; readonly contentType: string; readonly fileName: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'text'; readonly contentType: string; readonly text: string }
  | { readonly kind: 'key'; readonly registration: Registration };

/**
 * The deliveries that the order's offers currently declare; none after a full refund.
 *
 * @param isKeyActive Whether its key, if it has one, may be delivered; see {@link hasActiveKey}.
 */
export function deliveriesOf(order: Order, offers: readonly Offer[], isKeyActive = true): readonly OrderedDelivery[] {
  if (refundStateOf(order) === 'all') return [];
  return declaredBy(order, offers).filter(({ delivery }) => isKeyActive || delivery.kind !== 'limit');
}

/**
 * Whether the key of an order may be delivered; true without a key, without a database read.
 *
 * @returns `state_unavailable` if the database does not respond.
 */
export async function hasActiveKey(order: Order, offers: readonly Offer[], deps: OrderKeyDependencies): Promise<Result<boolean>> {
  const key = deliveriesOf(order, offers).find(({ delivery }) => delivery.kind === 'limit');
  if (key?.delivery.kind !== 'limit') return ok(true);
  const status = await orderKeyStatus(order, key.delivery.days, deps);
  return status.ok ? ok(status.value === 'active') : status;
}

function declaredBy(order: Order, offers: readonly Offer[]): readonly OrderedDelivery[] {
  const bought = order.lines.flatMap(({ offerId }) => offers.find((offer) => hasId(offer, offerId))?.delivers ?? []);
  return [...new Map(bought.map((delivery) => [deliveryName(delivery), delivery]))].map(([name, delivery]) => ({ name, delivery }));
}

const KEY_WITHDRAWN = {
  revoked: 'The key was revoked, with all its successors.',
  replaced:
    'The holder of the key replaced or revoked it. The response to the rotation contained its successor, which is shown nowhere else.',
} as const;

/**
 * The content of a delivery.
 *
 * @returns `order_not_found` for a name that the order never had; `delivery_withdrawn` after a full refund, or for a key that was
 *   replaced or revoked or has expired; `state_unavailable` while the state of a key is unknown.
 */
export async function deliver(
  order: Order,
  name: string,
  deps: OrderKeyDependencies & { readonly offers: readonly Offer[]; readonly corpus: Corpus; readonly mint: Mint },
): Promise<Result<Delivered>> {
  const ordered = declaredBy(order, deps.offers).find((declared) => declared.name === name);
  if (ordered === undefined) return refuse('order_not_found', 'The order has no delivery with this name.');
  if (refundStateOf(order) === 'all') return refuse('delivery_withdrawn', 'The order was fully refunded.');
  const { delivery } = ordered;
  switch (delivery.kind) {
    case 'text':
      return ok({ kind: 'text', contentType: 'text/plain; charset=utf-8', text: delivery.text });
    case 'limit': {
      const status = await orderKeyStatus(order, delivery.days, deps);
      if (!status.ok) return status;
      const payload = await orderKeyPayload(order, delivery.days, deps.mint.secrets);
      const registration = await issuedKey(payload, deps.mint);
      if (status.value === 'expired') return refuse('delivery_withdrawn', `The key expired on ${registration.expires_at.slice(0, 10)}.`);
      if (status.value !== 'active') return refuse('delivery_withdrawn', KEY_WITHDRAWN[status.value]);
      return ok({ kind: 'key', registration });
    }
    case 'capsule':
      return withCorpus(deps.corpus, async () => {
        const newest = await deps.corpus.newest.capsule(delivery.capsule);
        const sold = newest && (await readPaidText(deps.corpus.newest, delivery.capsule, newest.metadata.version));
        if (sold === undefined) return refuse('capsule_not_found', `The capsule "${delivery.capsule}" is no longer published.`);
        return ok({ kind: 'text', contentType: 'text/markdown; charset=utf-8', text: sold.markdown });
      });
    case 'file':
      return withCorpus(deps.corpus, async () => {
        const bytes = await deps.corpus.newest.deliveredFile(delivery.sha256);
        if (bytes === undefined) return refuse('order_not_found', 'The file is no longer available.');
        return ok({ kind: 'bytes', contentType: delivery.mediaType, fileName: delivery.fileName, bytes: new Uint8Array(bytes) });
      });
  }
}

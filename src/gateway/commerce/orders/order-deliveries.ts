import { sha256Hex } from '../../../provenance/bytes-and-sha256.ts';
import type { Registration } from '../../../schemas/agents.ts';
import { deliveryName, type Offer, type StoredDelivery } from '../../../schemas/commerce/offers.ts';
import type { CapsuleMetadata } from '../../../schemas/knowledge/capsule.ts';
import type { Article } from '../../../schemas/knowledge/generation-manifest.ts';
import type { AgentStore, NamedKey } from '../../agents/agent-ports.ts';
import { encodePayload, issuedKey, keyExpiresAtMs, type Mint, minuteOf } from '../../agents/api-key.ts';
import { revokes } from '../../agents/revocation-list.ts';
import { type Corpus, withCorpus } from '../../knowledge/corpus.ts';
import { type PaidVersion, readPaidText } from '../../knowledge/read-capsule.ts';
import { successorOf } from '../../knowledge/read-capsule-page.ts';
import type { Clock, SigningSecrets } from '../../platform-ports.ts';
import { ok, type Result, reached, refuse } from '../../result.ts';
import { deliveredPass, passOfOrder } from '../cart/access-passes.ts';
import type { Order, Pass } from '../cart/checkout-ports.ts';
import { hasId } from '../catalog/find-offer.ts';
import { refundStateOf } from './order-transitions.ts';

interface OrderedDelivery {
  readonly name: string;
  readonly delivery: Exclude<StoredDelivery, { readonly kind: 'pass' | 'credit' }>;
}

type Delivered =
  | { readonly kind: 'bytes'; readonly contentType: string; readonly fileName: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'text'; readonly contentType: string; readonly text: string }
  | { readonly kind: 'key'; readonly registration: Registration };

/** The deliveries that the order's offers currently declare; none after a full refund, or once they are withdrawn. */
export function deliveriesOf(order: Order, offers: readonly Offer[], isKeyActive = true): readonly OrderedDelivery[] {
  if (whyWithdrawn(order) !== undefined) return [];
  return declaredBy(order, offers).filter(({ delivery }) => isKeyActive || delivery.kind !== 'limit');
}

/** Whether the key of an order may be delivered; true without a key, without a database read. */
export async function hasActiveKey(order: Order, offers: readonly Offer[], deps: OrderKeyDependencies): Promise<Result<boolean>> {
  const key = deliveriesOf(order, offers).find(({ delivery }) => delivery.kind === 'limit');
  if (key?.delivery.kind !== 'limit') return ok(true);
  const status = await orderKeyStatus(order, key.delivery.days, deps);
  return status.ok ? ok(status.value === 'active') : status;
}

function declaredBy(order: Order, offers: readonly Offer[]): readonly OrderedDelivery[] {
  const bought = order.lines.flatMap(({ offerId }) => offers.find((offer) => hasId(offer, offerId))?.delivers ?? []);
  const own = bought.filter((delivery) => delivery.kind !== 'pass' && delivery.kind !== 'credit');
  return [...new Map(own.map((delivery) => [deliveryName(delivery), delivery]))].map(([name, delivery]) => ({ name, delivery }));
}

const KEY_WITHDRAWN = {
  revoked: 'The key was revoked, with all its successors.',
  replaced:
    'The holder of the key replaced or revoked it. The response to the rotation contained its successor, which is shown nowhere else.',
} as const;

const PLAIN = 'text/plain; charset=utf-8';

function whyWithdrawn(order: Order): string | undefined {
  if (refundStateOf(order) === 'all') return 'The order was fully refunded.';
  return order.withdrawnAtMs === undefined ? undefined : 'The publisher withdrew what the order delivers.';
}

/**
 * The content of a delivery.
 *
 * @returns `order_not_found` for a name that the order never had; `delivery_withdrawn` after a full refund, or for a key that was
 *   replaced or revoked or has expired; `state_unavailable` while the state of a key is unknown.
 */
export async function deliver(
  order: Order,
  name: string,
  deps: OrderKeyDependencies & {
    readonly passes?: readonly Pass[];
    readonly offers: readonly Offer[];
    readonly corpus: Corpus;
    readonly mint: Mint;
  },
): Promise<Result<Delivered>> {
  if (deps.passes?.some((pass) => deliveredPass(pass)?.name === name))
    return ok({ kind: 'text', contentType: PLAIN, text: await passOfOrder(order.id, deps.mint.secrets) });
  const ordered = declaredBy(order, deps.offers).find((declared) => declared.name === name);
  if (ordered === undefined) return refuse('order_not_found', 'The order has no delivery with this name.');
  const withdrawn = whyWithdrawn(order);
  if (withdrawn !== undefined) return refuse('delivery_withdrawn', withdrawn);
  const { delivery } = ordered;
  switch (delivery.kind) {
    case 'text':
      return ok({ kind: 'text', contentType: PLAIN, text: delivery.text });
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
        const sold = await newestPaidText(delivery.capsule, deps.corpus);
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

async function newestPaidText(id: string, { newest }: Corpus): Promise<PaidVersion | undefined> {
  const stored = await newest.capsule(id);
  return stored && readPaidText(newest, id, stored.metadata.version);
}

export interface DeliveredText {
  readonly metadata: CapsuleMetadata;
  readonly article: Article;
  readonly successor: CapsuleMetadata | undefined;
}

/** The texts of capsules that an order delivers; none after a full refund, and none while they cannot be read. */
export async function deliveredTexts(order: Order, offers: readonly Offer[], corpus: Corpus): Promise<readonly DeliveredText[]> {
  const ids = deliveriesOf(order, offers).flatMap(({ delivery }) => (delivery.kind === 'capsule' ? [delivery.capsule] : []));
  if (ids.length === 0) return [];
  const readText = async (id: string): Promise<readonly DeliveredText[]> => {
    const { metadata, article } = (await newestPaidText(id, corpus)) ?? {};
    return metadata && article ? [{ metadata, article, successor: await successorOf(metadata, corpus.newest) }] : [];
  };
  const read = await withCorpus(corpus, async () => ok(await Promise.all(ids.map(readText))));
  return read.ok ? read.value.flat() : [];
}

/** Agent of an order's key, 16 hexadecimal digits. */
export async function agentOfOrder({ id }: Pick<Order, 'id'>): Promise<string> {
  return (await sha256Hex(`agent of ${id}`)).slice(0, 16);
}

async function nameOfOrderKey(order: Pick<Order, 'id' | 'createdAtMs'>): Promise<NamedKey> {
  return { agent: await agentOfOrder(order), serial: 0, issuedMinute: minuteOf(order.createdAtMs) };
}

interface OrderKeyDependencies {
  readonly agents: Pick<AgentStore, 'status'>;
  readonly clock: Clock;
}

/**
 * The status of an order's key: `revoked` with all keys of its agent, `replaced` if this one was rotated or revoked alone. A revocation counts
 * once it is stored, even if it takes effect later: the holder then has the successor.
 */
async function orderKeyStatus(
  order: Pick<Order, 'id' | 'createdAtMs'>,
  days: number,
  { agents, clock }: OrderKeyDependencies,
): Promise<Result<'active' | 'expired' | 'replaced' | 'revoked'>> {
  const key = await nameOfOrderKey(order);
  if (keyExpiresAtMs({ ...key, ttlDays: days }) <= clock.nowMs()) return ok('expired');
  const status = await reached(agents.status(key), 'The database did not respond, so the status of the key is unknown.');
  if (!status.ok) return status;
  const revocations = status.value.revocations.filter((revocation) => revokes(revocation, key, Number.POSITIVE_INFINITY));
  if (revocations.length === 0) return ok('active');
  return ok(revocations.some(({ serial }) => serial === undefined) ? 'revoked' : 'replaced');
}

/** Payload of the key that an order delivers: derived from the order, so always the same. Revoking its agent revokes all successors. */
export async function orderKeyPayload(
  order: Pick<Order, 'id' | 'createdAtMs'>,
  days: number,
  secrets: SigningSecrets,
): Promise<Uint8Array> {
  return encodePayload({
    secretId: secrets[0].id,
    ...(await nameOfOrderKey(order)),
    ttlDays: days,
    scopes: ['read', 'buy'],
    isRaised: true,
  });
}

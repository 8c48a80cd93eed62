import { fromHex, toHex } from '../../../provenance/bytes.ts';
import { type AnnouncedDelivery, deliveryName, type Offer, openedTitle } from '../../../schemas/commerce/offers.ts';
import { ALL, CAPSULE, opening, type SoldPass, soldPass, TAG } from '../../../schemas/commerce/passes.ts';
import type { Deployment, SoldTextName } from '../../../schemas/deployment.ts';
import type { CapsuleSummary } from '../../../schemas/knowledge/capsule.ts';
import { dayOf } from '../../../schemas/time.ts';
import { equalInConstantTime, keyedDigest } from '../../keyed-digests.ts';
import { isPaid } from '../../knowledge/capsule-response.ts';
import type { Corpus } from '../../knowledge/corpus.ts';
import { type PaidVersion, readPaidText } from '../../knowledge/read-capsule.ts';
import type { Clock, SigningSecrets } from '../../ports.ts';
import { ok, outage, type Result, reached, refuse } from '../../result.ts';
import { hasId } from '../catalog/find-offer.ts';
import type { Line, OrderStore, Pass, Session } from './checkout-ports.ts';

/** The passes that lines sell, each once: of several with the same content, the times add up. */
export function soldPasses(lines: readonly Pick<Line, 'offerId' | 'quantity'>[], offers: readonly Offer[]): SoldPass[] {
  const sold = new Map<string, SoldPass>();
  for (const { offerId, quantity } of lines)
    for (const delivery of offers.find((offer) => hasId(offer, offerId))?.delivers ?? []) {
      const pass = soldPass(delivery);
      if (pass === undefined) continue;
      const { opens, lastsMs } = pass;
      const before = sold.get(opens);
      const isForGood = lastsMs === undefined || (before !== undefined && before.lastsMs === undefined);
      sold.set(opens, { opens, lastsMs: isForGood ? undefined : lastsMs * quantity + (before?.lastsMs ?? 0) });
    }
  return [...sold.values()];
}

/** A pass as a delivery of its order; `undefined` for one whose text the order delivers itself. */
export function deliveredPass({ opens, endsAtMs }: Pass): AnnouncedDelivery | undefined {
  if (opens.startsWith(CAPSULE)) return undefined;
  const tag = opens === ALL ? undefined : opens.slice(TAG.length);
  const until = endsAtMs === undefined ? 'for good' : `until ${dayOf(endsAtMs)}`;
  return { name: deliveryName({ kind: 'pass', tag }), kind: 'pass', title: `${openedTitle(tag)}, ${until}` };
}

/** Capsules that a pass of an order opens, as its page names them. */
export interface OpenedTexts {
  readonly endsAtMs: number | undefined;
  readonly texts: readonly SoldTextName[];
}

export function openedTexts(passes: readonly Pass[], soldTexts: readonly SoldTextName[] = []): OpenedTexts[] {
  return passes.map(({ opens, endsAtMs }) => ({
    endsAtMs,
    texts: soldTexts.filter((text) => opening(text).includes(opens)),
  }));
}

/** Every `opens` of a pass that opens what another one would. */
function covering(opens: string, soldTexts: readonly SoldTextName[] = []): string[] {
  const text = soldTexts.find(({ capsule_id: id }) => opens === CAPSULE + id);
  return text === undefined ? [opens, ALL] : opening(text);
}

/**
 * Refuses to sell a pass that the buyer has, by another one in force: `pass_exists`, or `state_unavailable` while that is unknown. Buyers without
 * a key are unknown.
 */
export async function refuseHeld(
  { passes = [], holder }: Pick<Session, 'passes' | 'holder'>,
  {
    store,
    clock,
    deployment,
  }: { readonly store: Pick<OrderStore, 'passes'>; readonly clock: Clock; readonly deployment: Pick<Deployment, 'soldTexts'> },
): Promise<Result<undefined>> {
  if (holder === undefined || passes.length === 0) return ok(undefined);
  const opens = passes.flatMap((pass) => covering(pass.opens, deployment.soldTexts));
  const held = await reached(store.passes({ agent: holder }, opens, clock.nowMs()), PASS_UNKNOWN);
  const [first] = held.ok ? held.value : [];
  if (!held.ok || first === undefined) return held.ok ? ok(undefined) : held;
  const until = first.endsAtMs === undefined ? '' : ` until ${new Date(first.endsAtMs).toISOString()}`;
  return refuse('pass_exists', `Your key has a pass for this${until}, of the order ${first.orderId}. Nothing was charged.`);
}

const ISSUED = /^pas_([0-9a-f]{24})([0-9a-f]{40})$/;
const MAC_BYTES = 20;

async function macOf(order: string, secret: SigningSecrets[number]): Promise<Uint8Array> {
  return (await keyedDigest(secret, 'pass of an order', fromHex(order))).subarray(0, MAC_BYTES);
}

/**
 * The pass of an order for people, a secret for links: `pas_`, the digits of the id of the order, and 160 bits of a keyed digest of it. It is
 * stored nowhere, so a copy of the database opens nothing.
 */
export async function passOfOrder(id: string, [secret]: SigningSecrets): Promise<string> {
  const order = id.slice('ord_'.length);
  return `pas_${order}${toHex(await macOf(order, secret))}`;
}

/** Id of the order of a pass; `undefined` for a text that this service did not issue. */
async function orderOfPass(text: string, secrets: SigningSecrets): Promise<string | undefined> {
  const [, order = '', mac = ''] = ISSUED.exec(text) ?? [];
  if (order === '') return undefined;
  const sent = fromHex(mac);
  const matches = await Promise.all(secrets.map(async (secret) => equalInConstantTime(sent, await macOf(order, secret))));
  return matches.includes(true) ? `ord_${order}` : undefined;
}

/** What a request proves a pass with: the agent of its key, or the pass of an order. */
export interface PassProof {
  readonly agent: string | undefined;
  readonly pass: string | undefined;
}

export interface PassDependencies {
  readonly commerce: { readonly orders: Pick<OrderStore, 'passes'> | undefined };
  readonly secrets: SigningSecrets | { readonly missing: string };
  readonly clock: Clock;
}

/**
 * The text of a paid capsule for the holder of a pass that opens it; `undefined` without one.
 *
 * @returns `state_unavailable` if the database does not respond: nothing then proves that the caller has no pass.
 * @throws {BlockBrokenError} or {BlockUnavailableError}, as {@link readPaidText}.
 */
export async function openPaidText(
  metadata: CapsuleSummary,
  { agent, pass }: PassProof,
  { newest }: Pick<Corpus, 'newest'>,
  { commerce: { orders }, secrets, clock }: PassDependencies,
): Promise<Result<PaidVersion | undefined>> {
  if (!isPaid(metadata)) return ok(undefined);
  const orderId = pass === undefined || 'missing' in secrets ? undefined : await orderOfPass(pass, secrets);
  const holders = [...(orderId === undefined ? [] : [{ orderId }]), ...(agent === undefined ? [] : [{ agent }])];
  for (const holder of holders) {
    if (orders === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
    const held = await reached(orders.passes(holder, opening(metadata), clock.nowMs()), PASS_UNKNOWN);
    if (!held.ok) return held;
    if (held.value.length > 0) return ok(await readPaidText(newest, metadata.capsule_id, metadata.version));
  }
  return ok(undefined);
}

const PASS_UNKNOWN = 'The database did not respond, so it is unknown which passes you have. Do not pay again: send the same request later.';

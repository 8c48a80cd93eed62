import { fromHex, toHex } from '../../../provenance/bytes-and-sha256.ts';
import type { KeyDetails } from '../../../schemas/agents.ts';
import { ALL, CAPSULE, CREDIT, opening, type SoldPass, soldPass, TAG } from '../../../schemas/commerce/access-passes.ts';
import { creditText, creditTitle, openedTitle } from '../../../schemas/commerce/capsule-price.ts';
import { type AnnouncedDelivery, deliveryName, type Offer } from '../../../schemas/commerce/offers.ts';
import type { Deployment, SoldTextName } from '../../../schemas/deployment.ts';
import type { CapsuleSummary } from '../../../schemas/knowledge/capsule.ts';
import { dayOf } from '../../../schemas/time.ts';
import { agentIdOf, type VerifiedKey } from '../../agents/api-key.ts';
import { equalInConstantTime, keyedDigest } from '../../digests-and-base62.ts';
import type { Clock, SigningSecrets } from '../../platform-ports.ts';
import { ok, type Result, reached, refuse } from '../../result.ts';
import { hasId } from '../catalog/find-offer.ts';
import type { Line, OrderStore, Pass, PassHolder, Session } from './checkout-ports.ts';

/** The passes that lines sell, each once: of several with the same content, the times add up; of credit, the amounts do. */
export function soldPasses(lines: readonly Pick<Line, 'offerId' | 'quantity'>[], offers: readonly Offer[]): SoldPass[] {
  const sold = new Map<string, SoldPass>();
  for (const { offerId, quantity } of lines)
    for (const delivery of offers.find((offer) => hasId(offer, offerId))?.delivers ?? []) {
      const pass = soldPass(delivery);
      if (pass === undefined) continue;
      const { opens, lastsMs, creditMinor } = pass;
      const before = sold.get(opens);
      const isForGood = lastsMs === undefined || (before !== undefined && before.lastsMs === undefined);
      const { lastsMs: earlierMs = 0, creditMinor: earlier = 0 } = before ?? {};
      const credit = creditMinor === undefined ? {} : { creditMinor: creditMinor * quantity + earlier };
      const sumMs = lastsMs === undefined || opens === CREDIT ? Math.max(lastsMs ?? 0, earlierMs) : lastsMs * quantity + earlierMs;
      sold.set(opens, { opens, lastsMs: isForGood ? undefined : sumMs, ...credit });
    }
  return [...sold.values()];
}

export function deliveredPass({ opens, endsAtMs, creditMinor = 0, leftMinor = 0 }: Pass): AnnouncedDelivery | undefined {
  if (opens.startsWith(CAPSULE)) return undefined;
  const until = endsAtMs === undefined ? 'for good' : `until ${dayOf(endsAtMs)}`;
  if (opens === CREDIT)
    return { name: CREDIT, kind: CREDIT, title: `${creditTitle(creditMinor)}, of which ${creditText(leftMinor)} is left, ${until}` };
  const tag = opens === ALL ? undefined : opens.slice(TAG.length);
  return { name: deliveryName({ kind: 'pass', tag }), kind: 'pass', title: `${openedTitle(tag)}, ${until}` };
}

export function describePasses(passes: readonly Pass[]): NonNullable<KeyDetails['passes']> {
  return passes
    .filter(({ opens }) => !opens.startsWith(CAPSULE))
    .map(({ opens, endsAtMs, leftMinor }) => ({
      opens,
      ...(endsAtMs === undefined ? {} : { ends_at: new Date(endsAtMs).toISOString() }),
      ...(leftMinor === undefined ? {} : { left_minor: leftMinor }),
    }));
}

export interface OpenedTexts extends Pick<Pass, 'endsAtMs' | 'leftMinor'> {
  readonly texts: readonly SoldTextName[];
}

export function openedTexts(passes: readonly Pass[], soldTexts: readonly SoldTextName[] = []): OpenedTexts[] {
  return passes
    .map(({ opens, endsAtMs, leftMinor }) => ({ endsAtMs, leftMinor, texts: soldTexts.filter((text) => opening(text).includes(opens)) }))
    .filter(({ texts, leftMinor }) => texts.length > 0 || leftMinor !== undefined);
}

/** What existing passes may open so that buying a session is superfluous. Empty for credit and for buyers without a key. */
export function heldAlready(session: Pick<Session, 'passes' | 'holder'>, { soldTexts = [] }: Pick<Deployment, 'soldTexts'>): string[] {
  const { passes = [], holder } = session;
  if (holder === undefined) return [];
  return passes.flatMap(({ opens }) => {
    if (opens === CREDIT) return [];
    const text = soldTexts.find(({ capsule_id: id }) => opens === CAPSULE + id);
    return text === undefined ? [opens, ALL] : opening(text);
  });
}

/** Refuses to sell a pass that the buyer has, by another one in force: `pass_exists`, or `state_unavailable` while that is unknown. */
export async function refuseHeld(
  session: Pick<Session, 'passes' | 'holder'>,
  deps: { readonly store: Pick<OrderStore, 'passes'>; readonly clock: Clock; readonly deployment: Pick<Deployment, 'soldTexts'> },
): Promise<Result<undefined>> {
  const opens = heldAlready(session, deps.deployment);
  if (opens.length === 0) return ok(undefined);
  const held = await reached(deps.store.passes({ agent: session.holder }, opens, deps.clock.nowMs()), PASS_UNKNOWN);
  const [first] = held.ok ? held.value : [];
  if (!held.ok || first === undefined) return held.ok ? ok(undefined) : held;
  const until = first.endsAtMs === undefined ? '' : ` until ${new Date(first.endsAtMs).toISOString()}`;
  const why =
    first.paidAtMs === undefined
      ? `Your key has a pass for this${until}, of the order ${first.orderId}.`
      : `Your key has paid for this text, from the credit of the order ${first.orderId}.`;
  return refuse('pass_exists', `${why} Nothing was charged.`);
}

const ISSUED = /^pas_([0-9a-f]{24})([0-9a-f]{40})$/;
const MAC_BYTES = 20;

async function macOf(order: string, secret: SigningSecrets[number]): Promise<Uint8Array> {
  return (await keyedDigest(secret, 'pass of an order', fromHex(order))).subarray(0, MAC_BYTES);
}

/** The pass of an order for people, a secret for links with a keyed digest of its id. It is stored nowhere: a copy of the database opens nothing. */
export async function passOfOrder(id: string, [secret]: SigningSecrets): Promise<string> {
  const order = id.slice('ord_'.length);
  return `pas_${order}${toHex(await macOf(order, secret))}`;
}

async function orderOfPass(text: string, secrets: SigningSecrets): Promise<string | undefined> {
  const [, order = '', mac = ''] = ISSUED.exec(text) ?? [];
  if (order === '') return undefined;
  const sent = fromHex(mac);
  const matches = await Promise.all(secrets.map(async (secret) => equalInConstantTime(sent, await macOf(order, secret))));
  return matches.includes(true) ? `ord_${order}` : undefined;
}

/** What a request proves a pass with: its key, which is read only for a paid text, or the pass of an order. */
export interface PassProof {
  readonly identify: (mustBeKey?: boolean) => Promise<Result<{ readonly key: VerifiedKey } | undefined>>;
  readonly pass?: string | undefined;
}

export interface PassDependencies {
  readonly commerce: { readonly orders: Pick<OrderStore, 'passes' | 'payByCredit'> | undefined };
  readonly secrets: SigningSecrets | { readonly missing: string };
  readonly clock: Clock;
}

export function isOpening({ opens }: Pass): boolean {
  return opens !== CREDIT;
}

/** Passes of a caller that open a text, and credit; `undefined` for a caller without a key and without a pass. */
export async function heldPasses(
  metadata: CapsuleSummary,
  { identify, pass }: PassProof,
  { commerce: { orders }, secrets, clock }: PassDependencies,
): Promise<Result<{ readonly passes: readonly Pass[]; readonly holder: PassHolder; readonly key: VerifiedKey | undefined } | undefined>> {
  const caller = await identify();
  if (!caller.ok) return caller;
  const key = caller.value?.key;
  const orderId = pass === undefined || 'missing' in secrets ? undefined : await orderOfPass(pass, secrets);
  const holder = { agent: key && agentIdOf(key.payload), orderId };
  if (key === undefined && orderId === undefined) return ok(undefined);
  if (orders === undefined) return refuse('state_unavailable', 'No database is bound to this deployment.');
  const held = await reached(orders.passes(holder, [...opening(metadata), CREDIT], clock.nowMs()), PASS_UNKNOWN);
  return held.ok ? ok({ passes: held.value, holder, key }) : held;
}

export const PASS_UNKNOWN =
  'The database did not respond, so it is unknown which passes you have. Do not pay again: send the same request later.';

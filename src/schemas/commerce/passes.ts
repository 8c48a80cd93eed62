import type { CapsuleSummary } from '../knowledge/capsule.ts';
import { DAY_MS } from '../time.ts';
import type { Offer, StoredDelivery } from './offers.ts';

/** Access to paid texts that an offer sells. */
export interface SoldPass {
  /** {@link CAPSULE} and an id, {@link TAG} and a tag, or {@link ALL}. */
  readonly opens: string;
  /** For how long after the payment; `undefined` for good. */
  readonly lastsMs: number | undefined;
}

/** Beginnings of what passes open, and everything that is paid. */
export const CAPSULE = 'capsule:';
export const TAG = 'tag:';
export const ALL = 'all';

/** What a delivery opens, and for how long; `undefined` for one that opens nothing. */
export function soldPass(delivery: StoredDelivery): SoldPass | undefined {
  if (delivery.kind === 'capsule') return { opens: CAPSULE + delivery.capsule, lastsMs: undefined };
  if (delivery.kind !== 'pass') return undefined;
  const { tag, days } = delivery;
  return { opens: tag === undefined ? ALL : TAG + tag, lastsMs: days === undefined ? undefined : days * DAY_MS };
}

/** Whether an offer opens texts that are sold. */
export function opensTexts(offers: readonly Pick<Offer, 'delivers'>[]): boolean {
  return offers.some(({ delivers }) => delivers.some((delivery) => soldPass(delivery) !== undefined));
}

/** Every `opens` of a pass that opens a capsule. */
export function opening({ capsule_id, tags }: Pick<CapsuleSummary, 'capsule_id' | 'tags'>): string[] {
  return [CAPSULE + capsule_id, ...tags.map((tag) => TAG + tag), ALL];
}

/** The offers with a pass that opens a capsule or deliver its text, in the order in which its page names them: the least first. */
export function offersOpening(capsule: Pick<CapsuleSummary, 'capsule_id' | 'tags'>, offers: readonly Offer[]): Offer[] {
  const wanted = opening(capsule);
  const rank = ({ delivers }: Offer): number =>
    Math.min(...delivers.map((delivery) => wanted.indexOf(soldPass(delivery)?.opens ?? '')).filter((at) => at >= 0));
  return offers
    .filter((offer) => Number.isFinite(rank(offer)))
    .sort((a, b) => rank(a) - rank(b) || Number(a.delivers.length > 1) - Number(b.delivers.length > 1) || a.amountMinor - b.amountMinor);
}

import type { CapsuleSummary } from '../knowledge/capsule.ts';
import { DAY_MS } from '../time.ts';
import { creditAmount, type TextPrices } from './capsule-price.ts';
import type { Offer, StoredDelivery } from './offers.ts';
import { isTestNetwork } from './stablecoin-payments.ts';

export interface SoldPass {
  /** {@link CAPSULE} and an id, {@link TAG} and a tag, {@link ALL} or {@link CREDIT}. */
  readonly opens: string;
  /** For how long after the payment; `undefined` for good. */
  readonly lastsMs: number | undefined;
  /** Of credit: what it is worth, in cents of US dollars. */
  readonly creditMinor?: number;
}

/** Beginnings and words of `opens`: one capsule, a tag, everything that is paid, and credit. */
export const CAPSULE = 'capsule:';
export const TAG = 'tag:';
export const ALL = 'all';
export const CREDIT = 'credit';
/** Member of `_meta` of a call of MCP by which a client, and not its model, pays with credit, as with the header Pay-With. */
export const PAY_WITH_META = 'akg/pay-with';

/** What a delivery opens, and for how long; `undefined` for one that opens nothing. */
export function soldPass(delivery: StoredDelivery): SoldPass | undefined {
  if (delivery.kind === 'capsule') return { opens: CAPSULE + delivery.capsule, lastsMs: undefined };
  if (delivery.kind !== 'pass' && delivery.kind !== 'credit') return undefined;
  const lastsMs = delivery.days === undefined ? undefined : delivery.days * DAY_MS;
  if (delivery.kind === 'credit') return { opens: CREDIT, lastsMs, creditMinor: delivery.cents };
  return { opens: delivery.tag === undefined ? ALL : TAG + delivery.tag, lastsMs };
}

export function opensTexts(offers: readonly Pick<Offer, 'delivers'>[]): boolean {
  return offers.some(({ delivers }) => delivers.some((delivery) => soldPass(delivery) !== undefined));
}

/** Whether the test checkout of a demonstration completes an order that opens texts or has credit. */
export function isDeliveredByTest(
  offer: object | Pick<Offer, 'delivers'>,
  site: { readonly mode: 'edge' | 'static'; readonly publisher: { readonly payments?: Parameters<typeof isTestNetwork>[0] } },
): boolean {
  return site.mode === 'edge' && isTestNetwork(site.publisher.payments) && 'delivers' in offer && opensTexts([offer]);
}

/** The cheapest offer whose credit pays a text; `undefined` if none does. */
export function creditOffer({ price }: TextPrices, offers: readonly Offer[]): Offer | undefined {
  if (creditAmount(price) === undefined) return undefined;
  const selling = offers.filter(({ delivers }) => delivers.some(({ kind }) => kind === 'credit'));
  return selling.sort((a, b) => a.amountMinor - b.amountMinor)[0];
}

/** The offers by which a text is bought: those that open it, and the one whose credit pays it. */
export function offersFor(capsule: Pick<CapsuleSummary, 'capsule_id' | 'tags'> & TextPrices, offers: readonly Offer[]) {
  return { offers: offersOpening(capsule, offers), credit: creditOffer(capsule, offers) };
}

/** Every `opens` of a pass that opens a capsule, the one for it alone first. */
export function opening({ capsule_id, tags }: Pick<CapsuleSummary, 'capsule_id' | 'tags'>): string[] {
  return [CAPSULE + capsule_id, ...tags.map((tag) => TAG + tag), ALL];
}

/** Offers with a pass for a capsule, and those that deliver its text: what opens the least comes first. */
export function offersOpening(capsule: Pick<CapsuleSummary, 'capsule_id' | 'tags'>, offers: readonly Offer[]): Offer[] {
  const wanted = opening(capsule);
  const rank = ({ delivers }: Offer): number =>
    Math.min(...delivers.map((delivery) => wanted.indexOf(soldPass(delivery)?.opens ?? '')).filter((at) => at >= 0));
  return offers
    .filter((offer) => Number.isFinite(rank(offer)))
    .sort((a, b) => rank(a) - rank(b) || Number(a.delivers.length > 1) - Number(b.delivers.length > 1) || a.amountMinor - b.amountMinor);
}

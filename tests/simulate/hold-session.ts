import type { KnownCheckout, KnownOrder } from './knowledge.ts';
import type { Heard, Lifetime } from './lifetime.ts';
import { hold } from './violation.ts';

/** A session as an answer of either protocol has it. */
interface AnsweredSession {
  readonly id: string;
  readonly status: string;
  readonly lines: readonly { readonly offerId: string; readonly unitMinor: number; readonly quantity: number }[];
  readonly totalMinor: number | undefined;
  readonly continueUrl: string | undefined;
  readonly order: Pick<KnownOrder, 'id' | 'receipt'> | undefined;
  /** Whether it says that what was asked for is not sold so: then the session stayed as it was. */
  readonly isRefusal: boolean;
}

/** What was known of a session when a request about it was sent. */
export type SessionFacts = Pick<KnownCheckout, 'order' | 'isCanceled'>;

interface SentSession {
  readonly id?: string;
  readonly status: string;
  readonly line_items: readonly {
    readonly item: { readonly id: string; readonly unit_amount?: number; readonly price?: number };
    readonly quantity: number;
  }[];
  readonly totals: readonly { readonly type: string; readonly amount: number }[];
  readonly messages?: readonly { readonly code?: string }[];
  readonly continue_url?: string;
  readonly order?: { readonly id: string; readonly permalink_url: string };
}

/** The session of an answer; `undefined` where it is the reason why there is none. */
export function readSessionAnswer(body: string): AnsweredSession | undefined {
  const { id, status, line_items, totals, messages = [], continue_url, order } = JSON.parse(body) as SentSession;
  if (id === undefined) return undefined;
  return {
    id,
    status,
    lines: line_items.map(({ item, quantity }) => ({ offerId: item.id, unitMinor: item.unit_amount ?? item.price ?? -1, quantity })),
    totalMinor: totals.find(({ type }) => type === 'total')?.amount,
    continueUrl: continue_url,
    order: order && { id: order.id, receipt: order.permalink_url.slice(order.permalink_url.lastIndexOf('/') + 1) },
    isRefusal: messages.some(({ code }) => code === 'quantity_exceeded' || code === 'item_unavailable'),
  };
}

/**
 * Holds that a session is what was acknowledged of it, costs what a catalog says, and has an order exactly if it is completed; notes what
 * is new about it.
 */
export function holdSession(
  life: Lifetime,
  heard: Heard,
  session: AnsweredSession,
  known: { readonly checkout: KnownCheckout; readonly before: SessionFacts; readonly isPricedHere: boolean },
): void {
  const { checkout, before, isPricedHere } = known;
  const seen = (): string => `${checkout.id}: ${heard.body}`;
  hold('acknowledged', session.id === checkout.id, seen);
  const catalogs = isPricedHere ? [heard.isolate.deployed] : life.stage.builds;
  const isPriced = session.lines.every(({ offerId, unitMinor }) =>
    catalogs.some(({ generated }) =>
      generated.deployment.offers.some(({ id, amountMinor }) => id === offerId && amountMinor === unitMinor),
    ),
  );
  hold('priced', isPriced, seen);
  const sum = session.lines.reduce((total, { unitMinor, quantity }) => total + unitMinor * quantity, 0);
  hold('priced', session.totalMinor === sum, seen);
  hold('paid', (session.status === 'completed') === (session.order !== undefined), seen);
  if (before.isCanceled) hold('transition', session.status === 'canceled', seen);
  if (before.order !== undefined) hold('acknowledged', session.order?.id === before.order.id, seen);
  if (session.continueUrl !== undefined) checkout.continueUrls.add(session.continueUrl);
  const { order } = session;
  if (order === undefined) return;
  hold('acknowledged', checkout.order === undefined || checkout.order.id === order.id, seen);
  checkout.order ??= { ...order, delivered: new Map() };
}

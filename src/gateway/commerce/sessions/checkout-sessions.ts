import { toHex } from '../../../provenance/bytes.ts';
import { type Buyer, SESSION_ID_PREFIX } from '../../../schemas/commerce/orders.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import type { KeyedRequest } from '../../idempotency/bind-idempotency-key.ts';
import { consumeQuota } from '../../limits/consume-quota.ts';
import type { Clock, Quotas, Randomness } from '../../ports.ts';
import { ok, outage, type Result, refuse } from '../../result.ts';
import { refuseUnsoldItems } from '../catalog/unsold-offers.ts';
import type { LogEntry, Order, OrderStore, PaymentProcessor, StoredSession } from '../orders/order-ports.ts';
import { changeSession, type SessionResponse, type WriteSession } from './change-session.ts';
import { type CartItem, payableCart } from './price-cart.ts';
import { type Channel, isExpired, type Line, type Session, totalOf } from './session.ts';

/** What session operations need. */
export interface CheckoutDependencies {
  readonly deployment: Pick<Deployment, 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers' | 'baseUrl' | 'commerce'>;
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly quotas: Quotas;
  readonly network: string;
  readonly processor: PaymentProcessor | undefined;
}

/** The owner of a new session. */
export interface SessionOwner {
  readonly owner: string;
  readonly channel: Channel;
  readonly agent: string | undefined;
}

/** Content of a session; an update leaves omitted members unchanged. */
export interface SessionContent {
  readonly items?: readonly CartItem[] | undefined;
  /** Currency of the prices, ISO 4217 in upper case; of a new session US dollars by default. */
  readonly currency?: string | undefined;
  /** `null` removes the buyer. */
  readonly buyer?: Buyer | null | undefined;
  readonly notifyUrl?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

const HOUR_MS = 3_600_000;

/** The day of a time, `YYYY-MM-DD` in UTC. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Lines of a cart that a session can sell now. */
function sellableCart(
  items: readonly CartItem[],
  nowMs: number,
  currency: string,
  { deployment }: Pick<CheckoutDependencies, 'deployment'>,
): Result<readonly Line[]> {
  const today = dayOf(nowMs);
  return refuseUnsoldItems(items, deployment, today) ?? payableCart(items, deployment, today, currency);
}

/** Creates a session at the prices of the catalog. */
export async function createSession(
  request: KeyedRequest,
  content: SessionContent & { readonly items: readonly CartItem[] },
  by: SessionOwner,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const nowMs = deps.clock.nowMs();
  const step = async () => {
    const { currency = 'USD' } = content;
    const lines = sellableCart(content.items, nowMs, currency, deps);
    if (!lines.ok) return lines;
    const quota = await takeCheckoutQuotas(by, deps);
    if (!quota.ok) return quota;
    const totalMinor = totalOf(lines.value);
    const session: Session = {
      id: SESSION_ID_PREFIX + toHex(deps.randomness.bytes(16)),
      owner: by.owner,
      channel: by.channel,
      state: 'open',
      currency,
      lines: lines.value,
      totalMinor,
      buyer: content.buyer ?? undefined,
      notifyUrl: content.notifyUrl,
      details: content.details ?? {},
      revision: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
      expiresAtMs: nowMs + LIMITS.sessionHours * HOUR_MS,
    };
    const log = [{ kind: 'session_created', atMs: nowMs, detail: { channel: by.channel, total_minor: totalMinor } }];
    return ok({ session, isNew: true, log, counts: [], notify: undefined });
  };
  return changeSession(request, undefined, step, write, { store: deps.store, nowMs });
}

async function takeCheckoutQuotas(by: SessionOwner, { quotas, clock, network }: CheckoutDependencies): Promise<Result<undefined>> {
  const shared = await consumeQuota(quotas, 'network_checkouts', network, clock);
  if (!shared.ok || by.agent === undefined) return shared;
  return consumeQuota(quotas, 'checkouts', by.agent, clock);
}

/** A session of an owner, with its order. */
export async function readSession(
  id: string,
  owner: string,
  { store, clock }: Pick<CheckoutDependencies, 'store' | 'clock'>,
): Promise<Result<{ session: Session; order: Order | undefined }>> {
  const known = await store.load(undefined, id, clock.nowMs()).catch(() => undefined);
  if (known === undefined) return outage('state_unavailable', 'The database did not respond.');
  return ownSession(known, owner);
}

/** A session of an owner; foreign sessions get the same refusal as unknown ids. */
export function ownSession({ session, order }: StoredSession, owner: string): Result<{ session: Session; order: Order | undefined }> {
  if (session === undefined || session.owner !== owner) return refuse('session_not_found', 'You have no checkout session with this id.');
  return ok({ session, order });
}

/** A session of an owner that can be changed now. */
export function openSession(known: StoredSession, owner: string, nowMs: number): Result<Session> {
  const own = ownSession(known, owner);
  if (!own.ok) return own;
  const { session } = own.value;
  if (session.state === 'charging') return refuse('request_in_flight', 'A payment of the session is in progress.');
  if (session.state !== 'open') return refuse('session_closed', `The session is ${session.state}.`);
  if (isExpired(session, nowMs)) return refuse('session_closed', 'The session has expired.');
  return ok(session);
}

/** A change of an open session: its new members, and the log entry. */
export interface OpenChange {
  readonly becomes: Partial<Session>;
  readonly log: Pick<LogEntry, 'kind' | 'detail'>;
}

/** Changes an open session of an owner by one step. */
export async function changeOpenSession(
  request: KeyedRequest,
  id: string,
  owner: string,
  change: (before: Session, nowMs: number) => Result<OpenChange>,
  write: WriteSession,
  { store, clock, quotas, network }: Pick<CheckoutDependencies, 'store' | 'clock' | 'quotas' | 'network'>,
): Promise<Result<SessionResponse>> {
  const nowMs = clock.nowMs();
  // A step that is repeated after a conflict is counted once.
  let counted: Result<undefined> | undefined;
  const step = async (known: StoredSession) => {
    const open = openSession(known, owner, nowMs);
    if (!open.ok) return open;
    const changed = change(open.value, nowMs);
    if (!changed.ok) return changed;
    counted ??= await consumeQuota(quotas, 'network_checkout_changes', network, clock);
    if (!counted.ok) return counted;
    const session = { ...open.value, ...changed.value.becomes, revision: open.value.revision + 1, updatedAtMs: nowMs };
    return ok({ session, isNew: false, log: [{ ...changed.value.log, atMs: nowMs }], counts: [], notify: undefined });
  };
  return changeSession(request, id, step, write, { store, nowMs });
}

/** The items of a session, to price them anew. */
function itemsOf({ lines }: Session): CartItem[] {
  return lines.map(({ offerId, quantity }) => ({ id: offerId, quantity, pointer: '/currency' }));
}

/** Changes items, currency, buyer or other content. New items, and all in another currency, get current prices. */
export async function updateSession(
  request: KeyedRequest,
  id: string,
  content: SessionContent,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const change = (before: Session, nowMs: number): Result<OpenChange> => {
    const { currency = before.currency } = content;
    const items = content.items ?? (currency === before.currency ? undefined : itemsOf(before));
    const lines = items ? sellableCart(items, nowMs, currency, deps) : ok(before.lines);
    if (!lines.ok) return lines;
    const totalMinor = totalOf(lines.value);
    const becomes = {
      currency,
      lines: lines.value,
      totalMinor,
      buyer: content.buyer === null ? undefined : (content.buyer ?? before.buyer),
      notifyUrl: content.notifyUrl ?? before.notifyUrl,
      details: content.details ?? before.details,
    };
    return ok({ becomes, log: { kind: 'session_updated', detail: { total_minor: totalMinor } } });
  };
  return changeOpenSession(request, id, owner, change, write, deps);
}

/** Cancels a session. A later payment on its hosted checkout is kept for the publisher to refund. */
export async function cancelSession(
  request: KeyedRequest,
  id: string,
  owner: string,
  write: WriteSession,
  deps: CheckoutDependencies,
): Promise<Result<SessionResponse>> {
  const change = () => ok<OpenChange>({ becomes: { state: 'canceled' }, log: { kind: 'session_canceled', detail: {} } });
  return changeOpenSession(request, id, owner, change, write, deps);
}

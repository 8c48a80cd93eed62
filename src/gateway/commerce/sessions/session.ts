import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Buyer } from '../../../schemas/commerce/orders.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';

/** States of a checkout session as they are stored. A session that is open after its time is shown as expired. */
export const SESSION_STATES = ['open', 'charging', 'completed', 'canceled'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/**
 * What a session can become. `charging` lasts while a payment of an agent is under way: it ends with the payment or goes back to open.
 * A payment that the processor reports completes a session also when it comes after its time, because the money is there.
 */
const TRANSITIONS: Readonly<Record<SessionState, readonly SessionState[]>> = {
  open: ['open', 'charging', 'completed', 'canceled'],
  charging: ['charging', 'open', 'completed'],
  completed: ['completed'],
  canceled: ['canceled'],
};

/** Whether a session may go from one state to another. */
export function canTransition(from: SessionState, to: SessionState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** What is bought: pieces of one offer at the price that the catalog had when the line was made. */
export interface Line {
  /** Id of the line in its session. */
  readonly id: string;
  readonly offerId: string;
  readonly name: string;
  readonly cadence: Offer['cadence'];
  /** Price of one piece, in minor units. */
  readonly unitMinor: number;
  readonly quantity: number;
  readonly demo: boolean;
}

/** Where a session was opened. */
export type Channel = 'acp' | 'ucp' | 'page';

/** What every id of a session begins with. */
export const SESSION_ID_PREFIX = 'cs_';
const SESSION_ID = new RegExp(`^${SESSION_ID_PREFIX}[0-9a-f]{32}$`);

/** Whether a text has the form of an id of a session, so that there may be one of that id. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** Something that somebody is about to buy. Sessions are told apart by id, and changed by one at a time. */
export interface Session {
  /** `cs_` and 32 hexadecimal digits. */
  readonly id: string;
  /** Who may read and change it: an agent, or whoever knows its id. */
  readonly owner: string;
  readonly channel: Channel;
  readonly state: SessionState;
  readonly currency: Offer['currency'];
  readonly lines: readonly Line[];
  readonly totalMinor: number;
  /** What is known of the buyer; nothing of it is needed. */
  readonly buyer: Buyer | undefined;
  /** Address that is told what becomes of the order. */
  readonly notifyUrl: string | undefined;
  /** What the protocol of the channel repeats in its answers, as it was sent. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The payment of an agent that was begun last, by the idempotency key that it has at the processor. */
  readonly attempt?: string | undefined;
  /** Raised by every change. */
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number;
}

/** Whether the time of a session that nobody paid is over. */
export function isExpired({ state, expiresAtMs }: Pick<Session, 'state' | 'expiresAtMs'>, nowMs: number): boolean {
  return state === 'open' && nowMs >= expiresAtMs;
}

/** Name of a buyer, put together where it was sent in parts. */
export function nameOf({ full_name, first_name, last_name }: Buyer): string | undefined {
  const whole = full_name?.trim() || [first_name, last_name].join(' ').trim();
  return whole === '' ? undefined : whole;
}

/** What every price of a list of lines adds up to, in minor units. */
export function totalOf(lines: readonly Pick<Line, 'unitMinor' | 'quantity'>[]): number {
  return lines.reduce((total, { unitMinor, quantity }) => total + unitMinor * quantity, 0);
}

/** When everything in examples of checkouts happens, in milliseconds since the epoch. */
export const EXAMPLE_TIME_MS = Date.UTC(2026, 10, 22, 9, 30);

/** The offer that examples of checkouts buy: the first that is paid once, if there is one. */
export function exampleOffer({ offers }: Pick<Deployment, 'offers'>): Deployment['offers'][number] | undefined {
  return offers.find(({ cadence }) => cadence === 'one_time') ?? offers[0];
}

/** An open session over one piece of an offer, as examples of checkouts show it. */
export function exampleSession(
  { id, name, cadence, amountMinor, demo, currency }: Deployment['offers'][number],
  by: Pick<Session, 'owner' | 'channel'>,
): Session {
  const lines = [{ id: 'li_1', offerId: id, name, cadence, unitMinor: amountMinor, quantity: 1, demo }];
  return {
    id: 'cs_0123456789abcdef0123456789abcdef',
    ...by,
    state: 'open',
    currency,
    lines,
    totalMinor: totalOf(lines),
    buyer: undefined,
    notifyUrl: undefined,
    details: {},
    revision: 1,
    createdAtMs: EXAMPLE_TIME_MS,
    updatedAtMs: EXAMPLE_TIME_MS,
    expiresAtMs: EXAMPLE_TIME_MS + LIMITS.sessionHours * 3_600_000,
  };
}

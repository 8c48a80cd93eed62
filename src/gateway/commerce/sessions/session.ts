import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { Buyer } from '../../../schemas/commerce/orders.ts';
import { SESSION_ID_PATTERN } from '../../../schemas/commerce/session-id.ts';
import { checkoutItemsPath } from '../../../schemas/paths.ts';

/** Stored states of a checkout session. An open session after its expiry is shown as expired. */
export const SESSION_STATES = ['open', 'charging', 'completed', 'canceled'] as const;
export type SessionState = (typeof SESSION_STATES)[number];

/**
 * Allowed transitions. `charging` lasts while an agent's payment is in progress. A payment reported by the processor completes a session
 * even after its expiry, because the money has been received.
 */
const TRANSITIONS: Readonly<Record<SessionState, readonly SessionState[]>> = {
  open: ['open', 'charging', 'completed', 'canceled'],
  charging: ['charging', 'open', 'completed'],
  completed: ['completed'],
  canceled: ['canceled'],
};

export function canTransition(from: SessionState, to: SessionState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** Units of one offer, at the catalog price when the line was created. */
export interface Line {
  readonly id: string;
  readonly offerId: string;
  readonly name: string;
  readonly cadence: Offer['cadence'];
  readonly unitMinor: number;
  readonly quantity: number;
  readonly demo: boolean;
}

export type Channel = 'acp' | 'ucp' | 'page';

const SESSION_ID = new RegExp(SESSION_ID_PATTERN);

/** Whether a text is a well-formed session id. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** A checkout session. It is changed by one revision at a time. */
export interface Session {
  /** `cs_` and 32 hexadecimal digits. */
  readonly id: string;
  /** Who may read and change it: an agent, or anyone who knows its id. */
  readonly owner: string;
  readonly channel: Channel;
  readonly state: SessionState;
  /** ISO 4217, upper case; the currency of all lines and of the total. */
  readonly currency: string;
  readonly lines: readonly Line[];
  readonly totalMinor: number;
  readonly buyer: Buyer | undefined;
  /** Webhook URL for events of the order. */
  readonly notifyUrl: string | undefined;
  /** Members that the channel's protocol echoes, as sent. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The latest charge, by its idempotency key at the payment processor. */
  readonly attempt?: string | undefined;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly expiresAtMs: number;
}

/** Whether an unpaid session has expired. */
export function isExpired({ state, expiresAtMs }: Pick<Session, 'state' | 'expiresAtMs'>, nowMs: number): boolean {
  return state === 'open' && nowMs >= expiresAtMs;
}

/** Full name of a buyer, joined from its parts if necessary. */
export function nameOf({ full_name, first_name, last_name }: Buyer): string | undefined {
  const fullName = full_name?.trim() || [first_name, last_name].join(' ').trim();
  return fullName === '' ? undefined : fullName;
}

/** The total of lines, in minor units. */
export function totalOf(lines: readonly Pick<Line, 'unitMinor' | 'quantity'>[]): number {
  return lines.reduce((total, { unitMinor, quantity }) => total + unitMinor * quantity, 0);
}

/** Whether the hosted link of an offer, which sells one unit, charges exactly the cart. */
export function fitsHostedLink(lines: readonly Line[]): boolean {
  return lines.length === 1 && lines[0]?.quantity === 1;
}

export function cartPath(lines: readonly Pick<Line, 'offerId' | 'quantity'>[], currency: string): string {
  const path = checkoutItemsPath(lines.map(({ offerId, quantity }) => ({ id: offerId, quantity })));
  return currency === 'USD' ? path : `${path}&currency=${currency}`;
}

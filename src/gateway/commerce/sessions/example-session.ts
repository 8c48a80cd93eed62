import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { type Session, totalOf } from './session.ts';

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

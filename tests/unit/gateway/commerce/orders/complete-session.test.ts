import { beforeEach, describe, expect, test } from 'vitest';
import type { ChargeOutcome, Line, PaymentProcessor } from '../../../../../src/gateway/commerce/cart/checkout-ports.ts';
import { createSession, readSession } from '../../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { CHARGE_LEASE_MS, completeSession, endsWithOrder } from '../../../../../src/gateway/commerce/orders/complete-session.ts';
import { AGENT, checkoutDependenciesFor, OFFERS, requestOf, writeFacts } from '../../../../support/orders.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 1);
const HOUR = 3_600_000;
type Charge = Parameters<PaymentProcessor['charge']>[0];
const database = useDatabase(NOW);
let clock: { nowMs: number };
let outcome: () => ChargeOutcome | Promise<ChargeOutcome>;
let asked: (Charge & { readonly atMs: number })[];
beforeEach(() => {
  clock = { nowMs: NOW };
  asked = [];
});

/** A processor that refuses another request under a key that it knows, as Stripe does. */
const processor: PaymentProcessor = {
  takesRealMoney: false,
  charge: async (request) => {
    const before = asked.find(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey);
    asked.push({ ...request, atMs: clock.nowMs });
    if (before && (before.token !== request.token || before.amountMinor !== request.amountMinor)) throw new Error('another request');
    return outcome();
  },
  openCheckout: async () => Promise.reject(new Error('not asked')),
};
const lost = (): never => {
  throw new Error('the answer was lost');
};
const paid = (): ChargeOutcome => ({ kind: 'paid', paymentReference: 'pi_1', amountMinor: 24_000, currency: 'USD' });
const declined = (): ChargeOutcome => ({ kind: 'declined', reason: 'insufficient_funds' });

async function open(of = processor) {
  const deps = checkoutDependenciesFor(database.binding(), clock, of);
  const items = [{ id: 'review', quantity: 1, pointer: '' }];
  const made = await createSession(requestOf('create', 'c'), { items }, AGENT, writeFacts, deps);
  const { id } = JSON.parse(made.ok ? made.value.body : '{}') as { id: string };
  const pay = (idempotencyKey: string, token = 'spt_1') => {
    const request = { ...requestOf(`complete ${id}`, idempotencyKey, { token }), idempotencyKey };
    return completeSession(request, id, token, AGENT.owner, writeFacts, deps);
  };
  const state = async () => {
    const read = await readSession(id, AGENT.owner, deps);
    return read.ok ? read.value.session.state : read.refusal.code;
  };
  return { pay, state };
}

test('a demonstration is charged with a key of a test mode, and never with one that takes real money', async () => {
  outcome = paid;
  const real = await open({ ...processor, takesRealMoney: true });
  expect(await real.pay('k')).toMatchObject({ ok: false, refusal: { code: 'payment_unsupported' } });
  expect([asked, await real.state()]).toEqual([[], 'open']);
  expect(await (await open()).pay('k')).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
});

describe('a payment that was declined', () => {
  test('is answered alike under its key without asking the processor, and the key takes no other payment', async () => {
    const { pay, state } = await open();
    outcome = declined;
    const first = await pay('k');
    expect(first).toMatchObject({
      refusal: { code: 'payment_declined', detail: 'The payment processor declined the payment: insufficient_funds.' },
    });
    outcome = paid;
    const again = await pay('k');
    expect(again).toEqual({ ok: false, refusal: { ...(first.ok ? {} : first.refusal), headers: { 'Idempotent-Replayed': 'true' } } });
    expect(await pay('k', 'spt_2')).toMatchObject({ refusal: { code: 'idempotency_conflict' } });
    expect([asked.length, await state()]).toEqual([1, 'open']);
    expect(await pay('l', 'spt_2')).toMatchObject({ ok: true, value: { isReplay: false } });
  });

  test('for no fault of the buyer frees its key', async () => {
    const { pay, state } = await open();
    outcome = () => ({ kind: 'unavailable' });
    expect(await pay('k')).toMatchObject({ refusal: { code: 'processor_unavailable' } });
    expect(await state()).toBe('open');
    outcome = paid;
    expect(await pay('k')).toMatchObject({ ok: true });
  });
});

test('a payment whose answer was lost is asked for again for a day from its beginning and no longer, because the processor forgets its key', async () => {
  const { pay, state } = await open();
  outcome = lost;
  expect(await pay('k')).toMatchObject({ refusal: { code: 'processor_unavailable' } });
  clock.nowMs = NOW + CHARGE_LEASE_MS - 1;
  for (const key of ['k', 'l']) expect(await pay(key)).toMatchObject({ refusal: { code: 'request_in_flight' } });
  clock.nowMs = NOW + 23 * HOUR;
  expect(await pay('k')).toMatchObject({ refusal: { code: 'processor_unavailable' } });
  outcome = paid;
  clock.nowMs = NOW + 25 * HOUR;
  for (const key of ['k', 'l']) expect(await pay(key)).toMatchObject({ refusal: { code: 'request_in_flight' } });
  expect([asked.map(({ atMs }) => (atMs - NOW) / HOUR), await state()]).toEqual([[0, 23], 'charging']);
});

test.each<[ChargeOutcome, object, string]>([
  [paid(), { ok: true }, 'completed'],
  [declined(), { refusal: { code: 'payment_declined' } }, 'open'],
  [{ kind: 'unavailable' }, { refusal: { code: 'processor_unavailable' } }, 'open'],
])(
  'a repetition that resumes a charge which is still under way stores the outcome $kind, and the first request answers request_in_flight',
  async (result, response, finalState) => {
    const { pay, state } = await open();
    const charges: (() => void)[] = [];
    outcome = () => new Promise((resolve) => charges.push(() => resolve(result)));
    const first = pay('k');
    await expect.poll(() => charges.length).toBe(1);
    clock.nowMs += CHARGE_LEASE_MS;
    const second = pay('k');
    await expect.poll(() => charges.length).toBe(2);
    charges[0]?.();
    expect(await first).toMatchObject({ refusal: { code: 'request_in_flight' } });
    expect(await state()).toBe('charging');
    charges[1]?.();
    expect(await second).toMatchObject(response);
    expect(await state()).toBe(finalState);
    expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  },
);

test('the test checkout of a cart makes an order only if nothing in it is really sold', () => {
  const lineOf = (offerId: string, demo: boolean): Line => {
    return { id: `li_${offerId}`, offerId, name: offerId, cadence: 'one_time', unitMinor: 100, quantity: 1, demo };
  };
  const ends = (...lines: Line[]): boolean => endsWithOrder(lines, { offers: OFFERS });
  expect(ends(lineOf('review', true), lineOf('digest', true))).toBe(true);
  expect(ends(lineOf('review', true), lineOf('digest', false))).toBe(false);
});

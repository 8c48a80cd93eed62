import { beforeEach, describe, expect, it } from 'vitest';
import type { PaymentProcessor } from '../../../../../src/gateway/commerce/cart/checkout-ports.ts';
import { cancelSession, createSession, openCheckout, updateSession } from '../../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { handlePaymentEvent } from '../../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, requestOf, writeFacts } from '../../../../support/orders.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 1);
const DAY = 86_400_000;
const IS_READ_ONLY = false;
const database = useDatabase(NOW);
let clock: { nowMs: number };
let asked: string[];
beforeEach(() => {
  clock = { nowMs: NOW };
  asked = [];
});

const processor: PaymentProcessor = {
  takesRealMoney: false,
  charge: () => Promise.reject(new Error('nothing is charged by opening')),
  openCheckout: async ({ idempotencyKey, lines, returnUrl }) => {
    asked.push(idempotencyKey);
    expect(returnUrl).toMatch(/^https:\/\/signpost\.example\/checkout\/cs_[0-9a-f]{32}\?returned$/);
    return `https://pay.example/${lines.length}/${idempotencyKey}`;
  },
};

const setUp = (of: PaymentProcessor = processor) => checkoutDependenciesFor(database.binding(), clock, of);

async function session(deps: ReturnType<typeof setUp>, quantity: number): Promise<string> {
  const items = [{ id: 'review', quantity, pointer: '' }];
  const answer = await createSession(requestOf('create', undefined), { items }, AGENT, writeFacts, deps);
  if (!answer.ok) throw new Error(answer.refusal.detail);
  return (JSON.parse(answer.value.body) as { id: string }).id;
}

describe('openCheckout', () => {
  it('makes one checkout of a session, however often and however much at once it is opened', async () => {
    const deps = setUp();
    const id = await session(deps, 2);
    const all = await Promise.all(Array.from({ length: 8 }, () => openCheckout(id, IS_READ_ONLY, deps)));
    const again = await openCheckout(id, IS_READ_ONLY, deps);
    expect(new Set([...all, again].map((one) => JSON.stringify(one))).size).toBe(1);
    expect(again).toMatchObject({ value: { kind: 'leave', location: `https://pay.example/1/${asked[0]}` } });
    expect(new Set(asked).size).toBe(1);
    expect(asked[0]).toMatch(new RegExp(`^${id}-[0-9a-f]{32}$`));
  });

  it('makes another one once something else is to be paid, and stores nothing of either', async () => {
    const deps = setUp();
    const id = await session(deps, 2);
    const before = await openCheckout(id, IS_READ_ONLY, deps);
    const more = { items: [{ id: 'review', quantity: 3, pointer: '' }] };
    await updateSession(requestOf('update', undefined), id, more, AGENT.owner, writeFacts, deps);
    const rows = database.look('SELECT * FROM checkout_sessions');
    expect(await openCheckout(id, IS_READ_ONLY, deps)).not.toEqual(before);
    expect(new Set(asked).size).toBe(2);
    expect(database.look('SELECT * FROM checkout_sessions')).toEqual(rows);
  });

  it('shows what became of a session that is not open', async () => {
    const deps = setUp();
    const [paid, canceled, late] = [await session(deps, 2), await session(deps, 2), await session(deps, 2)];
    await handlePaymentEvent(paidEvent(paid, 48_000), deps);
    await cancelSession(requestOf('cancel', undefined), canceled, AGENT.owner, writeFacts, deps);
    expect(await openCheckout(paid, IS_READ_ONLY, deps)).toMatchObject({ value: { state: 'completed', order: { sessionId: paid } } });
    expect(await openCheckout(canceled, IS_READ_ONLY, deps)).toMatchObject({ value: { state: 'canceled' } });
    clock.nowMs += DAY;
    expect(await openCheckout(late, IS_READ_ONLY, deps)).toMatchObject({ value: { state: 'expired' } });
    expect(await openCheckout('cs_unknown', IS_READ_ONLY, deps)).toMatchObject({ ok: false, refusal: { code: 'session_not_found' } });
    expect(asked).toEqual([]);
  });

  it('stores nothing if the processor makes no checkout, and says why', async () => {
    const deps = setUp({ ...processor, openCheckout: () => Promise.reject(new Error('down')) });
    const id = await session(deps, 2);
    expect(await openCheckout(id, IS_READ_ONLY, deps)).toMatchObject({ ok: false, refusal: { code: 'processor_unavailable' } });
    expect(await openCheckout(id, IS_READ_ONLY, { ...deps, processor: { missing: 'no key' } })).toMatchObject({
      ok: false,
      refusal: { code: 'not_configured', detail: 'no key' },
    });
    expect(await openCheckout(id, IS_READ_ONLY, setUp({ ...processor, takesRealMoney: true }))).toMatchObject({
      ok: false,
      refusal: { code: 'not_configured', detail: expect.stringContaining('demonstration') as unknown },
    });
    expect(database.look('SELECT revision FROM checkout_sessions')).toEqual([{ revision: 1 }]);
    expect(await openCheckout(id, IS_READ_ONLY, setUp())).toMatchObject({
      value: { location: expect.stringContaining(`/1/${id}-`) as unknown },
    });
  });
});

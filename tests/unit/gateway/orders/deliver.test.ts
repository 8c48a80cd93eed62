import { expect, test } from 'vitest';
import type { AgentStanding, NamedKey, Revocation } from '../../../../src/gateway/agents/agent-ports.ts';
import { deliver, deliveriesOf, hasKeyOver } from '../../../../src/gateway/orders/deliver.ts';
import type { Order } from '../../../../src/gateway/orders/order.ts';
import { readSigningSecrets } from '../../../../src/platform/signing-secrets.ts';
import { TEST_SIGNING_SECRETS } from '../../../support/edge-gateway.ts';
import { soldOffer } from '../../../support/sold-offer.ts';

const OFFERS = [
  soldOffer({
    id: 'pass',
    delivers: [
      { kind: 'text', name: 'notes', title: 'Notes', text: 'The text that was bought.' },
      { kind: 'limit', days: 30 },
    ],
  }),
  soldOffer({ id: 'other', delivers: [{ kind: 'text', name: 'secret', title: 'Another', text: 'Not bought.' }] }),
];

const order: Order = {
  id: 'ord_000000000000000000000001',
  receipt: `rct_${'0'.repeat(32)}`,
  sessionId: 'cs_1',
  owner: 'agt_1',
  channel: 'acp',
  currency: 'USD',
  lines: [{ id: 'li_1', offerId: 'pass', name: 'Pass', cadence: 'one_time', unitMinor: 8_000, quantity: 1, demo: false }],
  totalMinor: 8_000,
  refundedMinor: 0,
  paymentReference: 'pi_1',
  buyer: undefined,
  notifyUrl: undefined,
  createdAtMs: Date.UTC(2027, 0, 1),
  updatedAtMs: Date.UTC(2027, 0, 1),
};

const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
if ('missing' in secrets) throw new Error(secrets.missing);
const clock = { nowMs: () => order.createdAtMs };
const deps = {
  agents: undefined,
  clock,
  offers: OFFERS,
  corpus: undefined as never,
  mint: { baseUrl: 'https://signpost.example', keyPrefix: 'akg_test_' as const, secrets },
};

test('an order delivers what its own offers declare, and nothing of others', async () => {
  expect(deliveriesOf(order, OFFERS).map(({ name }) => name)).toEqual(['notes', 'key']);
  expect(await deliver(order, 'notes', deps)).toMatchObject({ ok: true, value: { text: 'The text that was bought.' } });
  const keys = await Promise.all([deliver(order, 'key', deps), deliver(order, 'key', deps)]);
  expect(keys[0]).toEqual(keys[1]);
  expect(keys[0]).toMatchObject({ ok: true, value: { kind: 'key', registration: { scopes: ['read', 'buy'] } } });
  for (const name of ['secret', 'constructor', 'notes '])
    expect(await deliver(order, name, deps)).toMatchObject({ refusal: { code: 'order_not_found' } });
});

test('what was paid back in part is still delivered, what was paid back wholly is not', async () => {
  expect(await deliver({ ...order, refundedMinor: 7_999 }, 'notes', deps)).toMatchObject({ ok: true });
  const refunded = { ...order, refundedMinor: 8_000 };
  expect(await deliver(refunded, 'notes', deps)).toMatchObject({ ok: false, refusal: { code: 'delivery_withdrawn' } });
  expect(await deliver(refunded, 'key', deps)).toMatchObject({ ok: false, refusal: { code: 'delivery_withdrawn' } });
  expect(await deliver(refunded, 'secret', deps)).toMatchObject({ ok: false, refusal: { code: 'order_not_found' } });
  expect(deliveriesOf(refunded, OFFERS)).toEqual([]);
});

/** The registry with some revocations of the agent that the key of the order belongs to. */
function registryWith(...revocations: Pick<Revocation, 'serial' | 'effectiveAtMs'>[]) {
  const standing = (key: NamedKey): Promise<AgentStanding> =>
    Promise.resolve({
      revocations: revocations.map((revocation) => ({
        ...revocation,
        agent: key.agent,
        issuedMinute: key.issuedMinute,
        expiresAtMs: Number.MAX_SAFE_INTEGER,
      })),
      record: undefined,
    });
  return { agents: { standing }, clock };
}

test.each([
  ['replaced or revoked', [{ serial: 0, effectiveAtMs: 0 }]],
  ['replaced, and the time of both is over', [{ serial: 0, effectiveAtMs: order.createdAtMs }]],
])('a key that was %s is neither handed over nor listed', async (_what, revocations) => {
  const standing = registryWith(...revocations);
  expect(await deliver(order, 'key', { ...deps, ...standing })).toMatchObject({
    refusal: { code: 'delivery_withdrawn', detail: expect.stringContaining('has its successor') as unknown },
  });
  expect(await hasKeyOver(order, OFFERS, standing)).toBe(true);
  expect(deliveriesOf(order, OFFERS, true).map(({ name }) => name)).toEqual(['notes']);
  expect(await deliver(order, 'notes', { ...deps, ...standing })).toMatchObject({ ok: true });
});

test('a key that was revoked with its successors has none, whatever else became of it', async () => {
  const standing = registryWith({ serial: 0, effectiveAtMs: 0 }, { serial: undefined, effectiveAtMs: 0 });
  expect(await deliver(order, 'key', { ...deps, ...standing })).toMatchObject({
    refusal: { code: 'delivery_withdrawn', detail: 'The key was revoked, with every key that it was rotated to.' },
  });
});

test('a key that works still, or of which the database says nothing, is handed over', async () => {
  const failing = { agents: { standing: () => Promise.reject(new Error('no database')) }, clock };
  for (const standing of [registryWith(), registryWith({ serial: 0, effectiveAtMs: order.createdAtMs + 1 }), failing]) {
    expect(await deliver(order, 'key', { ...deps, ...standing })).toMatchObject({ ok: true });
    expect(await hasKeyOver(order, OFFERS, standing)).toBe(false);
  }
});

import { expect, test } from 'vitest';
import type { AgentStatus, NamedKey, Revocation } from '../../../../../src/gateway/agents/agent-ports.ts';
import { decodePayload, keyExpiresAtMs, mintKey, verifyKey } from '../../../../../src/gateway/agents/api-key.ts';
import { revocationOfKey } from '../../../../../src/gateway/agents/change-keys.ts';
import { deliver, deliveriesOf, hasActiveKey, orderKeyPayload } from '../../../../../src/gateway/commerce/orders/order-deliveries.ts';
import { readSigningSecrets } from '../../../../../src/platform/environment.ts';
import { LIMITS } from '../../../../../src/schemas/limits.ts';
import { TEST_SIGNING_SECRETS } from '../../../../support/edge-gateway.ts';
import { ALL_FEATURES } from '../../../../support/features.ts';
import { paidOrder } from '../../../../support/orders.ts';
import { soldOffer } from '../../../../support/sold-offer.ts';

const NOW = Date.UTC(2027, 0, 1);
const DAY = 86_400_000;
const OFFERS = [
  soldOffer({
    id: 'review',
    delivers: [
      { kind: 'text', name: 'notes', title: 'Notes', text: 'The text that was bought.' },
      { kind: 'limit', days: 30 },
    ],
  }),
  soldOffer({ id: 'other', delivers: [{ kind: 'text', name: 'secret', title: 'Another', text: 'Not bought.' }] }),
];

const order = paidOrder();
const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
if ('missing' in secrets) throw new Error(secrets.missing);
const clock = { nowMs: () => order.createdAtMs };
const deps = {
  ...registryWith(),
  clock,
  offers: OFFERS,
  corpus: undefined as never,
  mint: { baseUrl: 'https://signpost.example', keyPrefix: 'akg_test_' as const, secrets, features: ALL_FEATURES },
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
  const status = (key: NamedKey): Promise<AgentStatus> =>
    Promise.resolve({
      revocations: revocations.map((revocation) => ({
        ...revocation,
        agent: key.agent,
        issuedMinute: key.issuedMinute,
        expiresAtMs: Number.MAX_SAFE_INTEGER,
      })),
      record: undefined,
    });
  return { agents: { status }, clock };
}

test.each([
  ['replaced or revoked', 0],
  ['replaced, and the time of both is over', order.createdAtMs],
  ['replaced, and works for the overlap', order.createdAtMs + DAY / 24],
])('a key that was %s is neither handed over nor listed', async (_what, effectiveAtMs) => {
  const status = registryWith({ serial: 0, effectiveAtMs });
  expect(await deliver(order, 'key', { ...deps, ...status })).toMatchObject({
    refusal: { code: 'delivery_withdrawn', detail: expect.stringContaining('contained its successor') as unknown },
  });
  expect(await hasActiveKey(order, OFFERS, status)).toEqual({ ok: true, value: false });
  expect(deliveriesOf(order, OFFERS, false).map(({ name }) => name)).toEqual(['notes']);
  expect(await deliver(order, 'notes', { ...deps, ...status })).toMatchObject({ ok: true });
});

test('a key that was revoked with its successors has none, whatever else became of it', async () => {
  const status = registryWith({ serial: 0, effectiveAtMs: 0 }, { serial: undefined, effectiveAtMs: 0 });
  expect(await deliver(order, 'key', { ...deps, ...status })).toMatchObject({
    refusal: { code: 'delivery_withdrawn', detail: 'The key was revoked, with all its successors.' },
  });
});

test('a key that nobody replaced is handed over until it expires', async () => {
  const at = (ms: number) => ({ ...deps, clock: { nowMs: () => order.createdAtMs + ms } });
  expect(await hasActiveKey(order, OFFERS, deps)).toEqual({ ok: true, value: true });
  expect(await deliver(order, 'key', at(30 * DAY - 60_000))).toMatchObject({ ok: true });
  expect(await deliver(order, 'key', at(30 * DAY))).toMatchObject({
    refusal: { code: 'delivery_withdrawn', detail: 'The key expired on 2027-01-31.' },
  });
  expect(await hasActiveKey(order, OFFERS, at(30 * DAY))).toEqual({ ok: true, value: false });
});

test('a key is not handed over while the database does not answer, and what is no key is', async () => {
  const unknown = { ...deps, agents: { status: () => Promise.reject(new Error('no database')) } };
  expect(await deliver(order, 'key', unknown)).toMatchObject({ refusal: { code: 'state_unavailable' } });
  expect(await hasActiveKey(order, OFFERS, unknown)).toMatchObject({ refusal: { code: 'state_unavailable' } });
  expect(await deliver(order, 'notes', unknown)).toMatchObject({ ok: true });
  const keyless = { ...order, lines: order.lines.map((line) => ({ ...line, offerId: 'other' })) };
  expect(await hasActiveKey(keyless, OFFERS, unknown)).toEqual({ ok: true, value: true });
});

test('the revocation of a sold key outlives every number of days that its offer may come to give it', async () => {
  const payload = decodePayload(await orderKeyPayload(order, 30, secrets));
  if (payload === undefined) throw new Error('not a payload');
  const longest = keyExpiresAtMs({ ...payload, ttlDays: LIMITS.keyTtlDays });
  expect(revocationOfKey(payload, 0).expiresAtMs).toBeGreaterThan(longest);
});

test('an order has one key, of an agent of its own, with the raised limit, for the days that were sold', async () => {
  const bytes = await orderKeyPayload(order, 30, secrets);
  expect(await orderKeyPayload(order, 30, secrets)).toEqual(bytes);
  const payload = decodePayload(bytes);
  if (payload === undefined) throw new Error('not a payload');
  expect(payload).toMatchObject({ isRaised: true, scopes: ['read', 'buy'] });
  expect(keyExpiresAtMs(payload)).toBe(NOW + 30 * DAY);
  const other = decodePayload(await orderKeyPayload({ ...order, id: 'ord_000000000000000000000002' }, 30, secrets));
  expect(other?.agent).not.toBe(payload.agent);
  const key = await mintKey(bytes, 'akg_test_', secrets[0]);
  expect(await verifyKey(key, 'akg_test_', secrets, NOW + 29 * DAY)).toMatchObject({ ok: true, value: { payload: { isRaised: true } } });
  expect(await verifyKey(key, 'akg_test_', secrets, NOW + 30 * DAY)).toMatchObject({ ok: false });
});

test('keys that are not sold have no raised limit', async () => {
  expect(decodePayload(new Uint8Array([1, ...new Uint8Array(18), 15]))).not.toHaveProperty('isRaised');
});

import { expect, test } from 'vitest';
import { decodePayload, keyExpiresAtMs, mintKey, verifyKey } from '../../../../../src/gateway/agents/api-key.ts';
import { orderKeyPayload } from '../../../../../src/gateway/commerce/orders/deliver.ts';
import { readSigningSecrets } from '../../../../../src/platform/signing-secrets.ts';
import { TEST_SIGNING_SECRETS } from '../../../../support/edge-gateway.ts';

const NOW = Date.UTC(2027, 0, 1);
const DAY = 86_400_000;

test('an order has one key, of an agent of its own, with the raised limit, for the days that were sold', async () => {
  const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
  if ('missing' in secrets) throw new Error(secrets.missing);
  const order = { id: 'ord_000000000000000000000001', createdAtMs: NOW };
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

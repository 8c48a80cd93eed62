import { describe, expect, test } from 'vitest';
import {
  decodePayload,
  encodePayload,
  type KeyPayload,
  keyIdOf,
  mintKey,
  minuteOf,
  verifyKey,
} from '../../../../src/gateway/agents/api-key.ts';
import { crc32, encodeBase62 } from '../../../../src/gateway/base62.ts';
import { signingSecret } from '../signing.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const payload: KeyPayload = {
  secretId: 1,
  agent: '00000000000000ff',
  serial: 7,
  issuedMinute: minuteOf(NOW_MS),
  ttlDays: 1,
  scopes: ['read'],
};
const detailOf = async (key: string, nowMs = NOW_MS): Promise<string> => {
  const result = await verifyKey(key, 'akg_live_', [await signingSecret(1)], nowMs);
  return result.ok ? 'accepted' : result.refusal.detail;
};
const mint = async (more: Partial<KeyPayload> = {}, secretId = 1) =>
  mintKey(encodePayload({ ...payload, ...more }), 'akg_live_', await signingSecret(secretId));

/** A key of any bytes with a checksum that fits. */
function keyOf(body: Uint8Array): string {
  const text = `akg_live_${encodeBase62(body, 54)}`;
  const crc = new Uint8Array(4);
  new DataView(crc.buffer).setUint32(0, crc32(text));
  return text + encodeBase62(crc, 6);
}

describe('a key is refused and told why, only where that helps its owner:', () => {
  const FOREIGN = 'This service did not issue the key, or its signing secret was withdrawn.';
  const FORM = 'The key is malformed.';

  test('another form', async () => {
    const key = await mint();
    for (const text of ['', key.slice(1), `x${key}`, `${key}x`, key.slice(0, -1), key.replace('live', 'work'), key.replace(/.$/, '-')])
      expect(await detailOf(text)).toBe(FORM);
  });

  test('the prefix of another deployment', async () => {
    const other = await mintKey(encodePayload(payload), 'akg_test_', await signingSecret(1));
    expect(await detailOf(other)).toBe('This deployment accepts keys that begin with akg_live_.');
  });

  test('a checksum that does not fit', async () => {
    const key = await mint();
    const other = key.endsWith('0') ? '1' : '0';
    expect(await detailOf(key.slice(0, -1) + other)).toBe('The checksum of the key is wrong: it was mistyped or truncated.');
  });

  test('another format, a number that is too large, another secret, another signature', async () => {
    const body = new Uint8Array(40);
    body.set(encodePayload(payload));
    expect(await detailOf(keyOf(body))).toBe(FOREIGN);
    expect(await detailOf(keyOf(body.with(0, 2)))).toBe(FOREIGN);
    const text = `akg_live_${'z'.repeat(54)}`;
    const crc = new Uint8Array(4);
    new DataView(crc.buffer).setUint32(0, crc32(text));
    expect(await detailOf(text + encodeBase62(crc, 6))).toBe(FOREIGN);
    expect(await detailOf(await mint({ secretId: 2 }, 2))).toBe(FOREIGN);
    expect(await detailOf(await mint({ secretId: 1 }, 2))).toBe(FOREIGN);
  });

  test('its end, to the millisecond, and a beginning that is more than five minutes ahead', async () => {
    const key = await mint();
    const endMs = NOW_MS + 86_400_000;
    expect(await detailOf(key, endMs - 1)).toBe('accepted');
    expect(await detailOf(key, endMs)).toBe('The key expired at 2026-11-22T09:30:00.000Z.');
    expect(await detailOf(key, NOW_MS - 5 * 60_000)).toBe('accepted');
    expect(await detailOf(key, NOW_MS - 5 * 60_000 - 1)).toBe(FOREIGN);
  });
});

test('a payload of another length is none', () => {
  const bytes = encodePayload(payload);
  expect(decodePayload(bytes)).toEqual(payload);
  expect(decodePayload(Uint8Array.of(...bytes, 0))).toBeUndefined();
});

test('the id of a key shows agent, serial number and minute, each at its full length', () => {
  expect(keyIdOf({ agent: '00000000000000ff', serial: 7, issuedMinute: 0xabc })).toBe('key_00000000000000ff_0007_00000abc');
});

import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  decodePayload,
  encodePayload,
  issuedKey,
  keyExpiresAtMs,
  keyIdOf,
  mintKey,
  readKeyId,
  verifyKey,
} from '../../../../src/gateway/agents/api-key.ts';
import { crc32, encodeBase62 } from '../../../../src/gateway/digests-and-base62.ts';
import { publishedRateLimits } from '../../../../src/gateway/limits/quotas.ts';
import type { SigningSecret } from '../../../../src/gateway/platform-ports.ts';
import { KEY_PATTERN } from '../../../../src/schemas/api-keys.ts';
import { QUOTAS, RATE_LIMITS } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES, NO_FEATURES } from '../../../support/features.ts';
import { keyPayload, keyPayloads, signingSecret } from '../signing.ts';

const ISSUED_MS = Date.UTC(2026, 10, 21, 9, 30);
const DAY_MS = 86_400_000;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const payload = keyPayload(ISSUED_MS, { scopes: ['read', 'buy'] });

let first: SigningSecret;
let second: SigningSecret;
let key: string;
beforeAll(async () => {
  first = await signingSecret(1);
  second = await signingSecret(2);
  key = await mintKey(encodePayload(payload), 'akg_live_', first);
});

const verify = (text: string, nowMs = ISSUED_MS, secrets: readonly [SigningSecret, ...SigningSecret[]] = [first]) =>
  verifyKey(text, 'akg_live_', secrets, nowMs);
const codeOf = (result: Awaited<ReturnType<typeof verify>>): string => (result.ok ? 'accepted' : result.refusal.code);

/** The text with the checksum that its other characters ask for, so that only the MAC stands in the way. */
function withChecksum(text: string): string {
  const crc = new Uint8Array(4);
  new DataView(crc.buffer).setUint32(0, crc32(text.slice(0, -6)));
  return text.slice(0, -6) + encodeBase62(crc, 6);
}

describe('a key', () => {
  test('has the published form and length', () => {
    expect(key).toMatch(new RegExp(KEY_PATTERN));
    expect(key).toHaveLength(69);
  });

  test('is the same for the same payload and secret', async () => {
    expect(await mintKey(encodePayload(payload), 'akg_live_', first)).toBe(key);
    expect(await mintKey(encodePayload({ ...payload, serial: 8 }), 'akg_live_', first)).not.toBe(key);
  });

  test('says what its payload says, for any payload', async () => {
    await fc.assert(
      fc.asyncProperty(keyPayloads, async (made) => {
        expect(decodePayload(encodePayload(made))).toEqual(made);
        const secret = await signingSecret(made.secretId);
        const text = await mintKey(encodePayload(made), 'akg_test_', secret);
        expect(text).toMatch(new RegExp(KEY_PATTERN));
        const verified = await verifyKey(text, 'akg_test_', [secret], made.issuedMinute * 60_000);
        expect(verified).toEqual(
          made.ttlDays === 0
            ? expect.objectContaining({ ok: false })
            : { ok: true, value: { payload: made, expiresAtMs: keyExpiresAtMs(made) } },
        );
      }),
    );
  });
});

describe('verifyKey() refuses', () => {
  test('every single character that is another one under a checksum that fits', async () => {
    for (let position = 9; position < 63; position += 1) {
      for (const digit of DIGITS) {
        const changed = withChecksum(key.slice(0, position) + digit + key.slice(position + 1));
        expect(codeOf(await verify(changed))).toBe(changed === key ? 'accepted' : 'api_key_invalid');
      }
    }
  });

  test.each(['', ' ', 'akg_live_', 'Bearer', 'akg_live_'.repeat(1_000), '\u0000'.repeat(69), '０'.repeat(69)])(
    'text that is no key: %j',
    async (text) => expect(codeOf(await verify(text))).toBe('api_key_invalid'),
  );

  test.each(['\n', ' ', '\u0000', '0'])('a key with %j before or behind it', async (more) => {
    expect(codeOf(await verify(key + more))).toBe('api_key_invalid');
    expect(codeOf(await verify(more + key))).toBe('api_key_invalid');
  });

  test('a key of the other kind of deployment, even with its checksum mended', async () => {
    const other = await mintKey(encodePayload(payload), 'akg_test_', first);
    expect(codeOf(await verify(other))).toBe('api_key_invalid');
    expect(codeOf(await verify(withChecksum(other.replace('akg_test_', 'akg_live_'))))).toBe('api_key_invalid');
  });

  test('a MAC of another key, of the payload without the prefix, or cut from its other end', async () => {
    const bytes = Uint8Array.from(encodePayload(payload));
    const sign = async (prefix: string): Promise<Uint8Array> =>
      new Uint8Array(await crypto.subtle.sign('HMAC', first.key, Uint8Array.from([...new TextEncoder().encode(prefix), ...bytes])));
    const withMac = (mac: Uint8Array): string => withChecksum(`akg_live_${encodeBase62(Uint8Array.from([...bytes, ...mac]), 54)}000000`);
    expect(withMac((await sign('akg_live_')).subarray(0, 20))).toBe(key);
    const other = await macOf(await mintKey(encodePayload({ ...payload, serial: 8 }), 'akg_live_', first));
    for (const mac of [other, (await sign('')).subarray(0, 20), (await sign('akg_live_')).subarray(12)])
      expect(codeOf(await verify(withMac(mac)))).toBe('api_key_invalid');
  });

  test('a payload of another format version, although it is signed', async () => {
    const bytes = encodePayload(payload);
    bytes[0] = 2;
    expect(codeOf(await verify(await mintKey(bytes, 'akg_live_', first)))).toBe('api_key_invalid');
  });

  const NOT_ISSUED = 'This service did not issue the key, or its signing secret was withdrawn.';
  test.each<[what: string, text: () => string | Promise<string>, detail: string]>([
    ['a malformed key', () => key.slice(1), 'The key is malformed. A key is akg_live_ followed by 60 letters and digits.'],
    ['a prefix', () => mintKey(encodePayload(payload), 'akg_test_', first), 'This deployment accepts keys that begin with akg_live_.'],
    ['a typo', () => key.replace(/.$/, key.endsWith('0') ? '1' : '0'), 'The checksum of the key is wrong: it was mistyped or truncated.'],
    ['a number that is too large', () => withChecksum(`akg_live_${'z'.repeat(60)}`), NOT_ISSUED],
    ['a wrong secret', () => mintKey(encodePayload({ ...payload, secretId: 9 }), 'akg_live_', first), NOT_ISSUED],
    ['a wrong MAC', () => mintKey(encodePayload(payload), 'akg_live_', second), NOT_ISSUED],
  ])('%s, and explains it only where that helps the owner', async (_what, text, detail) => {
    expect(await verify(await text())).toMatchObject({ refusal: { code: 'api_key_invalid', detail } });
  });

  test('an expired key with its expiry, and a payload of another length', async () => {
    const expired = await verify(key, ISSUED_MS + 90 * DAY_MS);
    expect(expired).toMatchObject({ refusal: { detail: `The key expired at ${new Date(keyExpiresAtMs(payload)).toISOString()}.` } });
    expect(decodePayload(Uint8Array.of(...encodePayload(payload), 0))).toBeUndefined();
  });
});

describe('verifyKey() takes', () => {
  test('keys of two secrets that are both in force, whichever signs', async () => {
    const newer = await mintKey(encodePayload({ ...payload, secretId: 2 }), 'akg_live_', second);
    for (const secrets of [
      [first, second],
      [second, first],
    ] as const) {
      expect(codeOf(await verify(key, ISSUED_MS, secrets))).toBe('accepted');
      expect(codeOf(await verify(newer, ISSUED_MS, secrets))).toBe('accepted');
    }
    expect(codeOf(await verify(key, ISSUED_MS, [second]))).toBe('api_key_invalid');
  });

  test.each<[when: string, offsetMs: number, outcome: string]>([
    ['in the minute of issue', 0, 'accepted'],
    ['one millisecond before it ends', 90 * DAY_MS - 1, 'accepted'],
    ['in the millisecond in which it ends', 90 * DAY_MS, 'api_key_expired'],
    ['years later', 4_000 * DAY_MS, 'api_key_expired'],
    ['with a clock five minutes behind', -5 * 60_000, 'accepted'],
    ['with a clock more than five minutes behind', -5 * 60_000 - 1, 'api_key_invalid'],
    ['long before it was issued', -400 * DAY_MS, 'api_key_invalid'],
  ])('or refuses a key %s', async (_when, offsetMs, outcome) => expect(codeOf(await verify(key, ISSUED_MS + offsetMs))).toBe(outcome));
});

describe('readKeyId()', () => {
  test('reads what keyIdOf() writes, for any key', () => {
    fc.assert(
      fc.property(keyPayloads, (made) => {
        const { agent, serial, issuedMinute } = made;
        expect(readKeyId(keyIdOf(made))).toEqual({ agent, serial, issuedMinute });
      }),
    );
  });

  test.each([
    '',
    'agt_0123456789abcdef_0007_01c9c380',
    'key_0123456789abcdef_0007_01c9c38',
    'key_0123456789ABCDEF_0007_01C9C380',
    ' key_0123456789abcdef_0007_01c9c380',
    'key_0123456789abcdef_0007_01c9c380\n',
  ])('takes %j for no key id', (text) => expect(readKeyId(text)).toBeUndefined());
});

/** The MAC that a key carries: its last 20 bytes, by the definition of base 62. */
async function macOf(text: string): Promise<Uint8Array> {
  const value = [...text.slice(9, 63)].reduce((sum, digit) => sum * 62n + BigInt(DIGITS.indexOf(digit)), 0n);
  return Uint8Array.from({ length: 20 }, (_, index) => Number((value >> BigInt(8 * (19 - index))) & 0xffn));
}

describe('issuedKey()', async () => {
  const mint = {
    baseUrl: 'https://signpost.example',
    keyPrefix: 'akg_live_',
    secrets: [await signingSecret(1)],
    features: ALL_FEATURES,
  } as const;

  test('a key is issued with every limit and quota', async () => {
    const { rate_limits } = await issuedKey(encodePayload(payload), mint);
    expect(rate_limits).toEqual(publishedRateLimits(ALL_FEATURES));
    expect(rate_limits.map(({ name, enforcement }) => [name, enforcement])).toEqual([
      ...Object.keys(RATE_LIMITS).map((name) => [name, 'isolate']),
      ...Object.keys(QUOTAS).map((name) => [name, 'exact']),
    ]);
  });

  test('a key is issued without limits of what is switched off', async () => {
    const { rate_limits } = await issuedKey(encodePayload(payload), { ...mint, features: NO_FEATURES });
    expect(rate_limits.filter(({ name }) => /submit|propos|buy|checkout|charge|order|invoice|pay/.test(name))).toEqual([]);
    expect(rate_limits.map(({ name }) => name)).toContain('query');
  });

  test('rejects a stored payload of another format', async () => {
    await expect(issuedKey(encodePayload(payload).with(0, 2), mint)).rejects.toThrow(
      new TypeError('a stored key payload has a foreign format'),
    );
  });
});

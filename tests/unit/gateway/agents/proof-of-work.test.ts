import { createHmac } from 'node:crypto';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifyKey } from '../../../../src/gateway/agents/api-key.ts';
import { challengeBits, issueChallenge, redeemChallenge } from '../../../../src/gateway/agents/proof-of-work.ts';
import { keyedDigest } from '../../../../src/gateway/digests-and-base62.ts';
import type { SigningSecrets } from '../../../../src/gateway/platform-ports.ts';
import { Challenge, type SolvedChallenge } from '../../../../src/schemas/api-keys.ts';
import { LIMITS, RATE_LIMITS } from '../../../../src/schemas/limits.ts';
import { solveChallenge } from '../../../support/solve-challenge.ts';
import { signingSecret } from '../signing.ts';

/** Fewer than any network gets, so that solving takes no time. */
const BITS = 8;
const ISSUED_MS = Date.UTC(2026, 10, 22, 8, 15, 30, 500);
const LIFE_MS = LIMITS.challengeMinutes * 60_000;
const randomness = { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) };
let secrets: SigningSecrets;
let challenge: Challenge;
let solved: SolvedChallenge;
beforeAll(async () => {
  secrets = [await signingSecret(1), await signingSecret(2)];
  challenge = await issueChallenge(BITS, secrets, ISSUED_MS, randomness);
  solved = await solveChallenge(challenge);
});
const redeem = (given = solved, bits: number = BITS, nowMs = ISSUED_MS, by = secrets) => redeemChallenge(given, bits, by, nowMs);
const refusalOf = async (...call: Parameters<typeof redeem>): Promise<string | undefined> => {
  const result = await redeem(...call);
  return result.ok ? undefined : `${result.refusal.code}: ${result.refusal.detail}`;
};

describe('a challenge', () => {
  test('has the published form', async () => {
    const published = await issueChallenge(LIMITS.challengeBitsMin, secrets, ISSUED_MS, randomness);
    expect(Challenge.parse(published)).toEqual(published);
    expect(challenge.token).toMatch(/^[A-Za-z0-9_-]{60}$/);
    expect(challenge.expires_at).toBe('2026-11-22T08:25:30Z');
  });

  test('solved leads to an agent and a minute of issue that follow from the token alone', async () => {
    const first = await redeem();
    expect(first).toEqual({
      ok: true,
      value: {
        agent: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        serial: expect.any(Number) as number,
        issuedMinute: Math.floor(ISSUED_MS / 60_000),
      },
    });
    expect(await redeem(solved, BITS, ISSUED_MS + LIFE_MS - 1_000)).toEqual(first);
    const reversed: SigningSecrets = [secrets[1] ?? secrets[0], secrets[0]];
    expect(await redeem(solved, BITS, ISSUED_MS, reversed)).toEqual(first);
  });

  test('leads to the same agent by another solution, and another challenge to another one', async () => {
    const { solution } = await solveChallenge({ ...challenge, difficulty_bits: BITS + 1 });
    const first = await redeem();
    expect(await redeem({ ...solved, solution })).toEqual(first);
    const other = await issueChallenge(BITS, secrets, ISSUED_MS, randomness);
    expect(await redeem(await solveChallenge(other))).not.toEqual(first);
  });

  test('is taken for exactly its life, and from a clock that is a little ahead', async () => {
    const issuedSecondMs = Math.floor(ISSUED_MS / 1_000) * 1_000;
    expect(await refusalOf(solved, BITS, issuedSecondMs + LIFE_MS - 1)).toBeUndefined();
    expect(await refusalOf(solved, BITS, issuedSecondMs + LIFE_MS)).toContain('older than');
    expect(await refusalOf(solved, BITS, issuedSecondMs - 5 * 60_000)).toBeUndefined();
    expect(await refusalOf(solved, BITS, issuedSecondMs - 5 * 60_000 - 1)).toContain('challenge_invalid');
  });

  test('that was easier than what the network has to solve now is refused', async () => {
    expect(await refusalOf(solved, BITS + 1)).toBe(
      `challenge_invalid: Your network now needs a challenge of ${BITS + 1} bits; this one has ${BITS}.`,
    );
    const hard = await issueChallenge(BITS + 1, secrets, ISSUED_MS, randomness);
    expect(await refusalOf(await solveChallenge(hard), BITS)).toBeUndefined();
    expect(await refusalOf(await solveChallenge(hard, BITS), BITS)).toContain(`has ${BITS} leading zero bits, not ${BITS + 1}`);
  });

  test('with one bit too few in its solution is refused', async () => {
    expect(await refusalOf(await solveChallenge(challenge, BITS - 1))).toContain(`has ${BITS - 1} leading zero bits, not ${BITS}`);
  });

  test('of another secret, or of one that was withdrawn, is refused', async () => {
    expect(await refusalOf(solved, BITS, ISSUED_MS, [await signingSecret(1, 9)])).toContain('not issued by this service');
    expect(await refusalOf(solved, BITS, ISSUED_MS, [await signingSecret(2)])).toContain('not issued by this service');
  });

  test('is refused after any bit of its token was turned', async () => {
    const bytes = Buffer.from(challenge.token, 'base64url');
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const turned = Buffer.from(bytes);
      turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(await refusalOf({ ...solved, token: turned.toString('base64url') })).toContain('challenge_invalid');
    }
  });

  test('has a token of the bytes that its format names, and of that version alone', async () => {
    const tokenOf = async (version: number): Promise<string> => {
      const payload = Buffer.alloc(23);
      payload.writeUInt8(version, 0);
      payload.writeUInt8(secrets[0].id, 1);
      payload.writeUInt32BE(Math.floor(ISSUED_MS / 1_000), 2);
      const mac = (await keyedDigest(secrets[0], 'challenge token', payload)).subarray(0, 22);
      return Buffer.concat([payload, mac]).toString('base64url');
    };
    const token = await tokenOf(1);
    const agent = Buffer.from(await keyedDigest(secrets[0], 'agent of a challenge', Buffer.from(token, 'base64url'))).toString('hex', 0, 8);
    expect(await redeem({ token, solution: '' }, 0)).toMatchObject({ ok: true, value: { agent } });
    expect(await refusalOf({ token: await tokenOf(2), solution: '' }, 0)).toContain('not issued by this service');
  });

  test('is refused whatever else is sent for a token', async () => {
    const text = fc.oneof(fc.string({ maxLength: 256 }), fc.stringMatching(/^[A-Za-z0-9_-]{60}$/), fc.constant(`${challenge.token}=`));
    await fc.assert(
      fc.asyncProperty(text, async (token) => {
        expect(await refusalOf({ ...solved, token })).toContain('challenge_invalid');
      }),
    );
  });

  test('is never a key, and a key is never a challenge', async () => {
    expect((await verifyKey(`akg_live_${challenge.token}`, 'akg_live_', secrets, ISSUED_MS)).ok).toBe(false);
  });
});

describe('challengeBits()', () => {
  const { requests } = RATE_LIMITS.register_solved;

  test('is least while nothing was solved, most when all is used up, and never falls between', () => {
    const levels = Array.from({ length: requests + 1 }, (_, used) => challengeBits(requests - used));
    expect([levels[0], levels.at(-1)]).toEqual([LIMITS.challengeBitsMin, LIMITS.challengeBitsMax]);
    expect(levels).toEqual([...levels].sort((a, b) => a - b));
    expect(new Set(levels).size).toBe(LIMITS.challengeBitsMax - LIMITS.challengeBitsMin + 1);
  });
});

describe('keyedDigest()', () => {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  const hex = async (...call: Parameters<typeof keyedDigest>): Promise<string> => Buffer.from(await keyedDigest(...call)).toString('hex');

  test('tells apart lists of parts that join to the same text', async () => {
    const [secret] = secrets;
    const made = [
      await hex(secret, 'a', bytes('bc'), bytes('d')),
      await hex(secret, 'a', bytes('b'), bytes('cd')),
      await hex(secret, 'ab', bytes('c'), bytes('d')),
      await hex(secret, 'a', bytes('bcd')),
      await hex(secret, 'a', bytes('bcd'), bytes('')),
    ];
    expect(new Set(made).size).toBe(made.length);
  });

  test('is HMAC-SHA256 over the purpose behind its length in a byte, and each field behind its length in two', async () => {
    // The bytes of the secret 1; see signing.ts.
    const key = Buffer.from(Array.from({ length: 32 }, (_, index) => (31 + index * 7) % 256));
    const long = new Uint8Array(300).fill(9);
    const message = Buffer.concat([Buffer.from([2]), Buffer.from('ab'), Buffer.from([0, 1, 99]), Buffer.from([0x01, 0x2c]), long]);
    expect(await hex(secrets[0], 'ab', bytes('c'), long)).toBe(createHmac('sha256', key).update(message).digest('hex'));
  });

  test('signs no text that begins as what a key signs begins', async () => {
    await expect(keyedDigest(secrets[0], 'a'.repeat(65))).rejects.toThrow('too long');
    expect('akg_live_'.charCodeAt(0)).toBeGreaterThan(64);
  });
});

import { fromBase64Url, toBase64Url, toHex } from '../../provenance/bytes-and-sha256.ts';
import { CHALLENGE_ALGORITHM, type Challenge, type SolvedChallenge } from '../../schemas/api-keys.ts';
import { LIMITS, RATE_LIMITS } from '../../schemas/limits.ts';
import { equalInConstantTime, keyedDigest } from '../digests-and-base62.ts';
import type { Randomness, SigningSecrets, SolvedChallengeUse } from '../platform-ports.ts';
import { ok, type Result, refuse } from '../result.ts';
import type { NamedKey } from './agent-ports.ts';
import { CLOCK_SKEW_MINUTES, isoSeconds } from './api-key.ts';

/**
 * A challenge is self-contained: its token is signed and nothing is stored. Agent id, serial number and minute of issue follow from the token,
 * so redeeming it again gives the same agent and key.
 *
 * Token: base64url of 45 bytes, big-endian: format version 1 byte, signing-secret id 1, issued second 4, leading zero bits 1, random 16,
 * HMAC-SHA256 over these, truncated to 22. 45 is a multiple of 3, so each token has one text.
 */
const FORMAT_VERSION = 1;
const PAYLOAD_BYTES = 23;
const MAC_BYTES = 22;
const RANDOM_BYTES = 16;
const TOKEN_PURPOSE = 'challenge token';
const AGENT_PURPOSE = 'agent of a challenge';

export async function issueChallenge(bits: number, secrets: SigningSecrets, nowMs: number, randomness: Randomness): Promise<Challenge> {
  const [secret] = secrets;
  const issuedSecond = Math.floor(nowMs / 1_000);
  const payload = new Uint8Array(PAYLOAD_BYTES);
  const view = new DataView(payload.buffer);
  view.setUint8(0, FORMAT_VERSION);
  view.setUint8(1, secret.id);
  view.setUint32(2, issuedSecond);
  view.setUint8(6, bits);
  payload.set(randomness.bytes(RANDOM_BYTES), PAYLOAD_BYTES - RANDOM_BYTES);
  const mac = (await keyedDigest(secret, TOKEN_PURPOSE, payload)).subarray(0, MAC_BYTES);
  return {
    token: toBase64Url(Uint8Array.of(...payload, ...mac)),
    algorithm: CHALLENGE_ALGORITHM,
    difficulty_bits: bits,
    expires_at: isoSeconds((issuedSecond + LIMITS.challengeMinutes * 60) * 1_000),
  };
}

export async function redeemChallenge(
  { token, solution }: SolvedChallenge,
  bits: number,
  secrets: SigningSecrets,
  nowMs: number,
): Promise<Result<NamedKey>> {
  const invalid = (detail: string): Result<NamedKey> => refuse('challenge_invalid', detail);
  const bytes = fromBase64Url(token);
  const payload = bytes?.subarray(0, PAYLOAD_BYTES);
  const secret = secrets.find(({ id }) => id === payload?.[1]);
  if (bytes === undefined || payload === undefined || payload[0] !== FORMAT_VERSION || secret === undefined)
    return invalid('The token was not issued by this service.');
  const expected = (await keyedDigest(secret, TOKEN_PURPOSE, payload)).subarray(0, MAC_BYTES);
  if (!equalInConstantTime(expected, bytes.subarray(PAYLOAD_BYTES))) return invalid('The token was not issued by this service.');
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  const issuedSecond = view.getUint32(2);
  const ageMinutes = (nowMs / 1_000 - issuedSecond) / 60;
  if (ageMinutes >= LIMITS.challengeMinutes || ageMinutes < -CLOCK_SKEW_MINUTES)
    return invalid(`The token is older than ${LIMITS.challengeMinutes} minutes.`);
  const difficulty = view.getUint8(6);
  if (difficulty < bits) return invalid(`Your network now needs a challenge of ${bits} bits; this one has ${difficulty}.`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`${token}.${solution}`)));
  if (leadingZeroBits(digest) < difficulty)
    return invalid(`The digest of token, full stop and solution has ${leadingZeroBits(digest)} leading zero bits, not ${difficulty}.`);
  const identity = await keyedDigest(secret, AGENT_PURPOSE, bytes);
  return ok({
    agent: toHex(identity.subarray(0, 8)),
    serial: new DataView(identity.buffer).getUint16(8),
    issuedMinute: Math.floor(issuedSecond / 60),
  });
}

export function usedOnce({ agent, issuedMinute }: Pick<NamedKey, 'agent' | 'issuedMinute'>): SolvedChallengeUse {
  return { id: agent, endsAtMs: (issuedMinute + LIMITS.challengeMinutes + CLOCK_SKEW_MINUTES + 1) * 60_000 };
}

/** Leading zero bits for a network: the minimum, then more with each registration of `register_solved`, up to the maximum. */
export function challengeBits(solvedLeft: number): number {
  const used = 1 - solvedLeft / RATE_LIMITS.register_solved.requests;
  return LIMITS.challengeBitsMin + Math.round(used * (LIMITS.challengeBitsMax - LIMITS.challengeBitsMin));
}

function leadingZeroBits(digest: Uint8Array): number {
  const at = digest.findIndex((byte) => byte !== 0);
  return at === -1 ? 8 * digest.length : 8 * at + Math.clz32(digest[at] ?? 0) - 24;
}

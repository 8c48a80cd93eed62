import type { Registration } from '../../schemas/agents.ts';
import { KEY_PATTERN, Scope } from '../../schemas/api-keys.ts';
import type { Features } from '../../schemas/feature-switches.ts';
import { PATHS } from '../../schemas/paths.ts';
import { crc32, decodeBase62, encodeBase62, equalInConstantTime } from '../digests-and-base62.ts';
import { publishedRateLimits } from '../limits/quotas.ts';
import type { LruCache } from '../memory-caches.ts';
import type { SigningSecret, SigningSecrets } from '../platform-ports.ts';
import { ok, type Result, refuse } from '../result.ts';
import type { KeyPayload, NamedKey } from './agent-ports.ts';

/** `akg_test_` where the service runs on a loopback address, `akg_live_` elsewhere. */
export type KeyPrefix = 'akg_live_' | 'akg_test_';

const NOT_ISSUED = 'This service did not issue the key, or its signing secret was withdrawn.';
const FORMAT_VERSION = 1;
const PAYLOAD_BYTES = 20;
const MAC_BYTES = 20;
const BODY_DIGITS = 54;
const CRC_DIGITS = 6;
const SCOPE_BITS: Readonly<Record<Scope, number>> = { read: 1, submit: 2, buy: 4, metrics: 8 };
const RAISED_BIT = 16;
const MS_PER_MINUTE = 60_000;
const MINUTES_PER_DAY = 1_440;
/** How far the minute of issue may be ahead of this machine's clock. */
export const CLOCK_SKEW_MINUTES = 5;

export function encodePayload(payload: KeyPayload): Uint8Array {
  const bytes = new Uint8Array(PAYLOAD_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, FORMAT_VERSION);
  view.setUint8(1, payload.secretId);
  view.setBigUint64(2, BigInt(`0x${payload.agent}`));
  view.setUint16(10, payload.serial);
  view.setUint32(12, payload.issuedMinute);
  view.setUint16(16, payload.ttlDays);
  const flags = payload.scopes.reduce((bits, scope) => bits | SCOPE_BITS[scope], payload.isRaised ? RAISED_BIT : 0);
  view.setUint16(18, flags);
  return bytes;
}

export function decodePayload(bytes: Uint8Array): KeyPayload | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length !== PAYLOAD_BYTES || view.getUint8(0) !== FORMAT_VERSION) return undefined;
  const bits = view.getUint16(18);
  return {
    secretId: view.getUint8(1),
    agent: view.getBigUint64(2).toString(16).padStart(16, '0'),
    serial: view.getUint16(10),
    issuedMinute: view.getUint32(12),
    ttlDays: view.getUint16(16),
    scopes: Scope.options.filter((scope) => (bits & SCOPE_BITS[scope]) !== 0),
    ...((bits & RAISED_BIT) === 0 ? {} : { isRaised: true as const }),
  };
}

export async function mintKey(payload: Uint8Array, prefix: KeyPrefix, secret: SigningSecret): Promise<string> {
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', secret.key, signedBytes(prefix, payload)));
  const body = new Uint8Array(PAYLOAD_BYTES + MAC_BYTES);
  body.set(payload);
  body.set(signature.subarray(0, MAC_BYTES), PAYLOAD_BYTES);
  const text = prefix + encodeBase62(body, BODY_DIGITS);
  return text + checksum(text);
}

export interface VerifiedKey {
  readonly payload: KeyPayload;
  readonly expiresAtMs: number;
}

export type KnownKeys = LruCache<string, KeyPayload>;

/** Verifies a key, cheapest check first. `known` keys are not decoded again; refusals explain only what helps the key's owner. */
export async function verifyKey(
  key: string,
  prefix: KeyPrefix,
  secrets: SigningSecrets,
  nowMs: number,
  known?: KnownKeys,
): Promise<Result<VerifiedKey>> {
  let payload = known?.get(key);
  if (payload === undefined) {
    const signed = await readSignedKey(key, prefix, secrets);
    if (!signed.ok) return signed;
    payload = signed.value;
    known?.set(key, payload);
  }
  const expiresAtMs = keyExpiresAtMs(payload);
  if (payload.issuedMinute > nowMs / MS_PER_MINUTE + CLOCK_SKEW_MINUTES) return refuse('api_key_invalid', NOT_ISSUED);
  if (nowMs >= expiresAtMs) return refuse('api_key_expired', `The key expired at ${new Date(expiresAtMs).toISOString()}.`);
  return ok({ payload, expiresAtMs });
}

async function readSignedKey(key: string, prefix: KeyPrefix, secrets: SigningSecrets): Promise<Result<KeyPayload>> {
  const invalid = (detail: string): Result<KeyPayload> => refuse('api_key_invalid', detail);
  if (!new RegExp(KEY_PATTERN).test(key)) return invalid(`The key is malformed. A key is ${prefix} followed by 60 letters and digits.`);
  if (!key.startsWith(prefix)) return invalid(`This deployment accepts keys that begin with ${prefix}.`);
  const text = key.slice(0, -CRC_DIGITS);
  if (checksum(text) !== key.slice(-CRC_DIGITS)) return invalid('The checksum of the key is wrong: it was mistyped or truncated.');
  const body = decodeBase62(text.slice(prefix.length), PAYLOAD_BYTES + MAC_BYTES);
  const payloadBytes = body?.subarray(0, PAYLOAD_BYTES);
  const payload = payloadBytes && decodePayload(payloadBytes);
  const secret = secrets.find(({ id }) => id === payload?.secretId);
  if (!body || !payloadBytes || !payload || !secret) return invalid(NOT_ISSUED);
  const expected = new Uint8Array(await crypto.subtle.sign('HMAC', secret.key, signedBytes(prefix, payloadBytes))).subarray(0, MAC_BYTES);
  if (!equalInConstantTime(expected, body.subarray(PAYLOAD_BYTES))) return invalid(NOT_ISSUED);
  return ok(payload);
}

export function keyExpiresAtMs(payload: Pick<KeyPayload, 'issuedMinute' | 'ttlDays'>): number {
  return (payload.issuedMinute + payload.ttlDays * MINUTES_PER_DAY) * MS_PER_MINUTE;
}

/** Id of a key. It grants nothing, so it may be shown and logged. */
export function keyIdOf({ agent, serial, issuedMinute }: NamedKey): string {
  return `key_${agent}_${serial.toString(16).padStart(4, '0')}_${issuedMinute.toString(16).padStart(8, '0')}`;
}

export function readKeyId(keyId: string): NamedKey | undefined {
  const [, agent, serial = '', minute = ''] = /^key_([0-9a-f]{16})_([0-9a-f]{4})_([0-9a-f]{8})$/.exec(keyId) ?? [];
  return agent === undefined ? undefined : { agent, serial: Number.parseInt(serial, 16), issuedMinute: Number.parseInt(minute, 16) };
}

export function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MS_PER_MINUTE);
}

function signedBytes(prefix: KeyPrefix, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(prefix.length + payload.length);
  bytes.set(new TextEncoder().encode(prefix));
  bytes.set(payload, prefix.length);
  return bytes;
}

function checksum(text: string): string {
  const crc = new Uint8Array(4);
  new DataView(crc.buffer).setUint32(0, crc32(text));
  return encodeBase62(crc, CRC_DIGITS);
}

export interface Mint {
  readonly baseUrl: string;
  readonly keyPrefix: KeyPrefix;
  readonly secrets: SigningSecrets;
  readonly features: Features;
}

/** The response that gives a key to its owner. The same payload gives the same response. */
export async function issuedKey(payloadBytes: Uint8Array, { baseUrl, keyPrefix, secrets, features }: Mint): Promise<Registration> {
  const payload = decodePayload(payloadBytes);
  if (payload === undefined) throw new TypeError('a stored key payload has a foreign format');
  // A key signed with a withdrawn secret would not work, so the secret in force signs it again.
  const secret = secrets.find(({ id }) => id === payload.secretId) ?? secrets[0];
  const key = await mintKey(encodePayload({ ...payload, secretId: secret.id }), keyPrefix, secret);
  return {
    agent_id: agentIdOf(payload),
    registration_id: agentIdOf(payload),
    key_id: keyIdOf(payload),
    api_key: key,
    credential_type: 'api_key',
    credential: key,
    scopes: [...payload.scopes],
    issued_at: isoSeconds(payload.issuedMinute * 60_000),
    expires_at: isoSeconds(keyExpiresAtMs(payload)),
    rate_limits: publishedRateLimits(features),
    links: {
      query: `${baseUrl}${PATHS.gateway}/query`,
      capabilities: `${baseUrl}${PATHS.gateway}/capabilities`,
      openapi: `${baseUrl}${PATHS.openApi}`,
    },
  };
}

export function agentIdOf({ agent }: Pick<KeyPayload, 'agent'>): string {
  return `agt_${agent}`;
}

export function isoSeconds(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

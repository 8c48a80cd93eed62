import { canonicalDigest, sha256Hex } from '../../provenance/digest.ts';
import { LIMITS, RATE_LIMITS, type RateLimitName } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { Registration, RegistrationRequest, Scope } from '../../schemas/registration.ts';
import type { Clock, Randomness, RegistrationClaims, RegistrationRecord, SigningSecrets } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import { decodePayload, encodePayload, type KeyPrefix, keyExpiresAtMs, minuteOf, mintKey } from './api-key.ts';

/** Scopes that are given, and how one comes by each. */
export const SCOPES: readonly {
  readonly scope: Scope;
  readonly granted: 'by_default' | 'on_request' | 'by_publisher';
  readonly description: string;
}[] = [
  { scope: 'read', granted: 'by_default', description: 'Query the index.' },
  { scope: 'buy', granted: 'on_request', description: 'Open checkout sessions, where commerce protocols are switched on.' },
  { scope: 'submit', granted: 'by_publisher', description: 'Propose capsules and corrections, where intake is open.' },
  { scope: 'metrics', granted: 'by_publisher', description: "Read the publisher's usage figures." },
];

/** What registration needs. */
export interface RegistrationDependencies {
  readonly baseUrl: string;
  readonly keyPrefix: KeyPrefix;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly secrets: SigningSecrets;
  /** Where replays are kept; `undefined` when no database is bound. */
  readonly claims: RegistrationClaims | undefined;
}

/**
 * Registers an agent and mints its key. Without an idempotency key nothing is read or written; with one, a repetition of
 * the same request within {@link LIMITS.idempotencyHours} hours gets the same key, minted again from the stored payload.
 */
export async function registerAgent(
  request: RegistrationRequest,
  idempotencyKey: string | undefined,
  deps: RegistrationDependencies,
): Promise<Result<Registration>> {
  const nowMs = deps.clock.nowMs();
  const wanted = new Set(request.scopes ?? []);
  const scopes = SCOPES.filter(({ scope, granted }) => granted === 'by_default' || (granted === 'on_request' && wanted.has(scope))).map(
    ({ scope }) => scope,
  );
  const random = deps.randomness.bytes(10);
  const fresh = encodePayload({
    secretId: deps.secrets[0].id,
    agent: toHex(random.subarray(0, 8)),
    serial: new DataView(random.buffer, random.byteOffset).getUint16(8),
    issuedMinute: minuteOf(nowMs),
    ttlDays: LIMITS.keyTtlDays,
    scopes,
  });
  if (idempotencyKey === undefined) return ok(await registrationOf(fresh, deps));
  if (deps.claims === undefined)
    return refuse('not_configured', 'No database is bound, so an Idempotency-Key cannot be kept. Send the request without one.');
  const record: RegistrationRecord = {
    bodySha256: await canonicalDigest(request),
    keyPayload: toHex(fresh),
    agentName: request.agent_name,
    platform: request.platform,
    contact: request.contact,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + LIMITS.idempotencyHours * 3_600_000,
  };
  let kept: RegistrationRecord;
  try {
    kept = await deps.claims.claim(await sha256Hex(idempotencyKey), record);
  } catch {
    return outage(
      'state_unavailable',
      'The registration could not be kept under its Idempotency-Key. Repeat the same request with the same key, or send it without one.',
    );
  }
  if (kept.bodySha256 !== record.bodySha256)
    return refuse('idempotency_conflict', 'This Idempotency-Key belongs to a registration with another body.');
  return ok(await registrationOf(fromHex(kept.keyPayload), deps));
}

async function registrationOf(payloadBytes: Uint8Array, deps: RegistrationDependencies): Promise<Registration> {
  const payload = decodePayload(payloadBytes);
  if (payload === undefined) throw new TypeError('a stored key payload has a foreign format');
  // A secret that was withdrawn since then signs no key that works: the same agent gets one of the secret in force.
  const secret = deps.secrets.find(({ id }) => id === payload.secretId) ?? deps.secrets[0];
  const key = await mintKey(encodePayload({ ...payload, secretId: secret.id }), deps.keyPrefix, secret);
  const agentId = `agt_${payload.agent}`;
  return {
    agent_id: agentId,
    registration_id: agentId,
    api_key: key,
    credential_type: 'api_key',
    credential: key,
    scopes: [...payload.scopes],
    issued_at: isoSeconds(payload.issuedMinute * 60_000),
    expires_at: isoSeconds(keyExpiresAtMs(payload)),
    rate_limits: publishedRateLimits(),
    links: {
      query: `${deps.baseUrl}${PATHS.gateway}/query`,
      capabilities: `${deps.baseUrl}${PATHS.gateway}/capabilities`,
      openapi: `${deps.baseUrl}${PATHS.openApi}`,
    },
  };
}

/** Rate limits in the form in which they are published. */
export function publishedRateLimits() {
  return Object.entries(RATE_LIMITS).map(([name, { requests, windowSeconds, per }]) => ({
    name: name as RateLimitName,
    requests,
    window_seconds: windowSeconds,
    per,
  }));
}

function isoSeconds(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16));
}

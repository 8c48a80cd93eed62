import type { Registration } from '../../schemas/agents/registration.ts';
import { PATHS } from '../../schemas/paths.ts';
import { publishedRateLimits } from '../limits/published-limits.ts';
import type { SigningSecrets } from '../ports.ts';
import { decodePayload, encodePayload, type KeyPayload, type KeyPrefix, keyExpiresAtMs, keyIdOf, mintKey } from './api-key.ts';

/** What keys of a deployment are minted with. */
export interface Mint {
  readonly baseUrl: string;
  readonly keyPrefix: KeyPrefix;
  readonly secrets: SigningSecrets;
}

/** The answer that hands a key to its owner: the only place where it is shown. The same payload gives the same answer. */
export async function issuedKey(payloadBytes: Uint8Array, { baseUrl, keyPrefix, secrets }: Mint): Promise<Registration> {
  const payload = decodePayload(payloadBytes);
  if (payload === undefined) throw new TypeError('a stored key payload has a foreign format');
  // A secret that was withdrawn since then signs no key that works: the same agent gets one of the secret in force.
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
    rate_limits: publishedRateLimits(),
    links: {
      query: `${baseUrl}${PATHS.gateway}/query`,
      capabilities: `${baseUrl}${PATHS.gateway}/capabilities`,
      openapi: `${baseUrl}${PATHS.openApi}`,
    },
  };
}

/** Text form of an agent id. */
export function agentIdOf({ agent }: Pick<KeyPayload, 'agent'>): string {
  return `agt_${agent}`;
}

/** A point in time to the second, RFC 3339. */
export function isoSeconds(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

import { issueChallenge } from '../../gateway/agents/challenge.ts';
import { AgentRegistry, registerAgent } from '../../gateway/agents/register-agent.ts';
import type { SigningSecrets } from '../../gateway/ports.ts';
import { expectValue, ok } from '../../gateway/result.ts';
import type { OperationExample } from '../../publication/publication.ts';
import type { KeyDetails, RevokedKeys, RotatedKey } from '../../schemas/agents/agent-keys.ts';
import type { Registration } from '../../schemas/agents/registration.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { deployedFeatures } from '../../schemas/features.ts';
import { LIMITS } from '../../schemas/limits.ts';

const AGENT = { agent_name: 'Example research agent', platform: 'example.org', contact: 'https://example.org/agent' };
type KeyDeployment = Pick<Deployment, 'baseUrl' | 'keyPrefix' | 'intake' | 'commerce' | 'payments' | 'offers' | 'quoteOnlyOffers'>;

const EARLIER_KEY = 'key_1122334455667788_a1b2_01c7ab35';

/** Time of all events in the examples of routes, in milliseconds since the epoch. */
export const EXAMPLE_TIME_MS = Date.UTC(2026, 10, 21, 9, 30);
const RANDOMNESS = { bytes: (length: number) => Uint8Array.from({ length }, (_, index) => 17 * (index + 1)) };

/** Secrets that no deployment has. */
export async function exampleSecrets(): Promise<SigningSecrets> {
  return [{ id: 1, key: await crypto.subtle.importKey('raw', new Uint8Array(32), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']) }];
}

/** Examples of the operations on agents and keys. */
export async function agentExamples(deployment: KeyDeployment): Promise<[string, OperationExample][]> {
  const registration = await exampleRegistration(deployment);
  const { agent_id, key_id, scopes, issued_at, expires_at } = registration;
  const { agent_name: name, platform, contact } = AGENT;
  const details: KeyDetails = {
    agent_id,
    key_id,
    scopes,
    issued_at,
    expires_at,
    agent: { name, platform, contact, registered_at: issued_at },
  };
  const rotated: RotatedKey = {
    ...registration,
    previous_key: { key_id: EARLIER_KEY, works_until: after(LIMITS.keyOverlapMinutesDefault * 60) },
  };
  const revoked: RevokedKeys = {
    agent_id,
    key_id,
    revoked: 'this',
    revoked_at: after(0),
    refused_everywhere_at: after(LIMITS.revocationMaxSeconds),
  };
  return [
    ['registerAgent', { request: AGENT, response: registration }],
    ['getChallenge', { response: await issueChallenge(LIMITS.challengeBitsMin, await exampleSecrets(), EXAMPLE_TIME_MS, RANDOMNESS) }],
    ['getKey', { response: details }],
    ['rotateKey', { request: { overlap_minutes: LIMITS.keyOverlapMinutesDefault }, response: rotated }],
    ['revokeKey', { request: { keys: 'this' }, response: revoked }],
  ];
}

function after(seconds: number): string {
  return `${new Date(EXAMPLE_TIME_MS + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

/** A real response to a registration, except for its key. */
async function exampleRegistration(deployment: KeyDeployment): Promise<Registration> {
  const { baseUrl, keyPrefix, intake } = deployment;
  const registered = await registerAgent(AGENT, undefined, {
    baseUrl,
    keyPrefix,
    intake,
    features: deployedFeatures(deployment),
    clock: { nowMs: () => EXAMPLE_TIME_MS },
    randomness: RANDOMNESS,
    secrets: await exampleSecrets(),
    claims: undefined,
    quotas: undefined,
    registry: new AgentRegistry(undefined, undefined),
    network: 'unknown',
    challengeBits: LIMITS.challengeBitsMin,
    bindKey: async () => ok(undefined),
    defer: () => undefined,
  });
  return withInvalidKey(expectValue(registered), keyPrefix);
}

/** The same registration with an invalid key of the right form: its checksum is wrong. */
export function withInvalidKey(registration: Registration, keyPrefix: Deployment['keyPrefix']): Registration {
  const invalid = keyPrefix + '0'.repeat(60);
  return { ...registration, api_key: invalid, credential: invalid };
}

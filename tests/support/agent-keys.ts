import type { KeyPayload } from '../../src/gateway/agents/agent-ports.ts';
import { encodePayload, type KeyPrefix, mintKey, minuteOf } from '../../src/gateway/agents/api-key.ts';
import { readSigningSecrets } from '../../src/platform/environment.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import { TEST_SIGNING_SECRETS } from './edge-gateway.ts';

export async function makeKey(
  payload: Partial<KeyPayload> = {},
  { prefix = 'akg_test_' as KeyPrefix, secrets = TEST_SIGNING_SECRETS } = {},
): Promise<string> {
  const read = await readSigningSecrets(secrets);
  if ('missing' in read) throw new Error(read.missing);
  const bytes = encodePayload({
    secretId: read[0].id,
    agent: '00000000000000aa',
    serial: 7,
    issuedMinute: minuteOf(Date.now()),
    ttlDays: LIMITS.keyTtlDays,
    scopes: ['read'],
    ...payload,
  });
  return mintKey(bytes, prefix, read[0]);
}

export function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` };
}

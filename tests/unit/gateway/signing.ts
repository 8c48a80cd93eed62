import * as fc from 'fast-check';
import type { KeyPayload } from '../../../src/gateway/agents/agent-ports.ts';
import type { SigningSecret } from '../../../src/gateway/platform-ports.ts';

export async function signingSecret(id: number, fill = id): Promise<SigningSecret> {
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => (fill * 31 + index * 7) % 256);
  return { id, key: await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']) };
}

export function keyPayload(issuedMs: number, more: Partial<KeyPayload> = {}): KeyPayload {
  const issuedMinute = Math.floor(issuedMs / 60_000);
  return { secretId: 1, agent: '0123456789abcdef', serial: 7, issuedMinute, ttlDays: 90, scopes: ['read'], ...more };
}

export const keyPayloads: fc.Arbitrary<KeyPayload> = fc.record({
  secretId: fc.integer({ min: 1, max: 255 }),
  agent: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((value) => value.toString(16).padStart(16, '0')),
  serial: fc.integer({ min: 0, max: 0xffff }),
  issuedMinute: fc.integer({ min: 0, max: 0xffff_ffff }),
  ttlDays: fc.integer({ min: 0, max: 0xffff }),
  scopes: fc.subarray(['read', 'submit', 'buy', 'metrics'] as const),
});

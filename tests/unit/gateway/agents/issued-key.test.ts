import { expect, test } from 'vitest';
import { encodePayload, issuedKey } from '../../../../src/gateway/agents/api-key.ts';
import { publishedRateLimits } from '../../../../src/gateway/limits/quotas.ts';
import { QUOTAS, RATE_LIMITS } from '../../../../src/schemas/limits.ts';
import { ALL_FEATURES, NO_FEATURES } from '../../../support/features.ts';
import { signingSecret } from '../signing.ts';

const payload = { secretId: 1, agent: '00000000000000aa', serial: 7, issuedMinute: 0, ttlDays: 90, scopes: ['read'] } as const;

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

import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { checkUsage } from '../../../../src/cli/commands/doctor.ts';
import { dayOf } from '../../../../src/schemas/time.ts';
import { type CloudflareAccount, startCloudflareAccount } from '../../../support/cloudflare-api.ts';
import { ROOT } from '../../../support/paths.ts';

const NOW = Date.UTC(2026, 10, 29, 12);
const days = (value: (age: number) => object): object[] =>
  Array.from({ length: 30 }, (_, age) => ({ dimensions: { date: dayOf(NOW - age * 86_400_000) }, ...value(age) }));

let account: CloudflareAccount;
beforeAll(async () => {
  account = await startCloudflareAccount();
  for (const [name, value] of Object.entries(account.environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await account.stop();
});

it('says what is needed where the token may not read analytics', async () => {
  expect(await checkUsage(ROOT, NOW)).toEqual([
    {
      name: 'use of the plan',
      ok: false,
      isOptional: true,
      detail: expect.stringContaining('not authorized for that account'),
      mend: expect.stringContaining('Account Analytics'),
    },
  ]);
});

it('says what each limit of the plan was used for in 30 days, and when it ends', async () => {
  Object.assign(account.analytics, {
    // As many every day, but for the newest, of which only half has passed.
    functions: days((age) => ({ sum: { requests: age === 0 ? 10 : 900 } })),
    workers: days(() => ({ sum: { requests: 100 } })),
    kv: [{ dimensions: { date: '2026-11-26', actionType: 'write' }, sum: { requests: 850 } }],
    // Two namespaces, which grow by 10 MB a day together.
    kvStorage: [
      ...days((age) => ({ max: { byteCount: 400e6 - age * 5e6 } })),
      ...days((age) => ({ max: { byteCount: 400e6 - age * 5e6 } })),
    ],
    rows: days((age) => ({ sum: { rowsRead: 5_000, rowsWritten: 60_000 - 500 * age } })),
    database: days(() => ({ max: { databaseSizeBytes: 600e6 } })),
  });
  const checks = await checkUsage(ROOT, NOW);
  const detail = Object.fromEntries(checks.map((check) => [check.name, `${check.ok ? 'ok' : 'near'}: ${check.detail}`]));
  expect(detail).toEqual({
    'requests to functions':
      'ok: 29,110 in 30 days, at most 1,000 of 100,000 a day (1 %, 2026-10-31); at this rate it lasts for more than a year',
    'KV reads': 'ok: 0 in 30 days, at most 0 of 100,000 a day (0 %); at this rate it lasts for more than a year',
    'KV writes': 'near: 850 in 30 days, at most 850 of 1,000 a day (85 %, 2026-11-26); at this rate it lasts for more than a year',
    'KV storage': 'near: 800.0 MB of 1.00 GB (80 %); at this rate the free plan ends on 2026-12-19',
    'rows read': 'ok: 150,000 in 30 days, at most 5,000 of 5,000,000 a day (1 %, 2026-10-31); at this rate it lasts for more than a year',
    'rows written':
      'ok: 1,582,500 in 30 days, at most 60,000 of 100,000 a day (60 %, 2026-11-29); at this rate the free plan ends on 2027-02-17',
    'database size': 'near: 600.0 MB of 500.0 MB (120 %); the free plan does not suffice',
  });
  expect(checks.find(({ name }) => name === 'rows written')).toMatchObject({
    isOptional: true,
    usage: { limit: 100_000, used: 1_582_500, most: 60_000, mostOn: '2026-11-29', reachedOn: '2027-02-17' },
  });
});

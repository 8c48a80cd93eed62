import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BudgetAccess } from '../../../../src/gateway/platform-ports.ts';
import { d1Budgets, d1Quotas, networkDigest } from '../../../../src/platform/d1/quotas.ts';
import { readSigningSecrets } from '../../../../src/platform/environment.ts';
import { BUDGETS, KNOWN_AGENTS_SHARE, LIMITS, QUOTAS, type QuotaName } from '../../../../src/schemas/limits.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../../support/simulated/database.ts';
import type { Fault, StoreWeather } from '../../../support/simulated/faults.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2027, 0, 1, 12, 30);
const NAMES = Object.keys(QUOTAS) as QuotaName[];
let time: SimulatedTime;
let database: SimulatedDatabase;
beforeEach(() => {
  time = new SimulatedTime(NOW);
  database = simulatedDatabase(time);
});
afterEach(() => database.close());

const plainly = async (network: string, window: string): Promise<string> => `${network} in ${window}`;
const quotas = (weather: StoreWeather = {}) => d1Quotas(database.binding(weather), plainly);
const counts = (): unknown[] =>
  database.look("SELECT count FROM quotas WHERE name NOT LIKE 'budget %' ORDER BY name, subject").map(({ count }) => count);

describe('d1Quotas().take()', () => {
  test.each(NAMES)('allows %s up to the limit, with the remainder and the end of the window', async (name) => {
    const { requests, windowSeconds } = QUOTAS[name];
    const endsAtMs = (Math.floor(NOW / (windowSeconds * 1_000)) + 1) * windowSeconds * 1_000;
    for (let remaining = requests - 1; remaining >= 0; remaining -= 1)
      expect(await quotas().take(name, 'a', NOW)).toEqual({ allowed: true, remaining, endsAtMs });
    expect(await quotas().take(name, 'a', NOW)).toEqual({ allowed: false, remaining: 0, endsAtMs, refusedBy: 'quota' });
    expect(await quotas().take(name, 'b', NOW)).toMatchObject({ allowed: true });
    expect(await quotas().take(name, 'a', endsAtMs - 1)).toMatchObject({ allowed: false });
    expect(await quotas().take(name, 'a', endsAtMs)).toMatchObject({ allowed: true, remaining: requests - 1 });
  });

  test('never exceeds the limit with concurrent requests and failing calls', async () => {
    const faults: readonly Fault[] = ['none', 'none', 'refused', 'reply_lost'];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ fault: fc.constantFrom(...faults), latencyMs: fc.nat(400) }), { minLength: 1, maxLength: 60 }),
        async (calls) => {
          const world = new SimulatedTime(NOW);
          const shared = simulatedDatabase(world);
          const taken = calls.map(({ fault, latencyMs }) =>
            d1Quotas(shared.binding({ fault: () => fault, latencyMs: () => latencyMs }), plainly)
              .take('submit_keys', 'a', NOW)
              .then(
                ({ allowed }) => (allowed ? 'allowed' : 'refused'),
                () => 'failed',
              ),
          );
          const outcomes = await world.run(Promise.all(taken));
          const applied = calls.filter(({ fault }) => fault !== 'refused').length;
          const limit = QUOTAS.submit_keys.requests;
          const lost = calls.filter(({ fault }) => fault === 'reply_lost').length;
          const allowed = outcomes.filter((outcome) => outcome === 'allowed').length;
          expect(allowed).toBeLessThanOrEqual(limit);
          expect(allowed).toBeGreaterThanOrEqual(Math.min(limit, applied) - lost);
          expect(shared.look('SELECT sum(count) AS taken FROM quotas')[0]?.['taken'] ?? 0).toBe(Math.min(limit, applied));
          shared.close();
        },
      ),
      { numRuns: 60 },
    );
  });

  test("stores a keyed digest instead of a network's address", async () => {
    const secrets = await readSigningSecrets(`1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`);
    const others = await readSigningSecrets(`1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index + 1)).toString('base64url')}`);
    if ('missing' in secrets || 'missing' in others) throw new Error('the secrets of this test cannot be used');
    const take = (digest: ReturnType<typeof networkDigest>, nowMs: number) =>
      d1Quotas(database.binding(), digest).take('registry', '203.0.113.0/24', nowMs);
    await take(networkDigest(secrets), NOW);
    await take(networkDigest(secrets), NOW);
    await take(networkDigest(secrets), NOW + 3_600_000);
    await take(networkDigest(others), NOW);
    await quotas().take('proposals', '0011223344556677', NOW);
    const rows = database.look("SELECT name, subject, count FROM quotas WHERE name NOT LIKE 'budget %' ORDER BY count DESC, name");
    expect(rows.map(({ name, count }) => [name, count])).toEqual([
      ['registry', 2],
      ['proposals', 1],
      ['registry', 1],
      ['registry', 1],
    ]);
    const subjects = rows.map(({ subject }) => String(subject));
    expect(new Set(subjects).size).toBe(4);
    expect(subjects.filter((subject) => /^[0-9a-f]{32}$/.test(subject))).toHaveLength(3);
    expect(subjects).toContain('0011223344556677');
  });
});

test('rows of windows that are over are deleted by requests, a few at a time, an hour after the window at the earliest', async () => {
  for (let network = 0; network < 12; network += 1) await quotas().take('registry', `n${network}`, NOW);
  const endsAtMs = Math.ceil(NOW / 3_600_000) * 3_600_000;
  await quotas().take('registry', 'later', endsAtMs + 3_599_999);
  expect(counts()).toHaveLength(13);
  await quotas().take('registry', 'later', endsAtMs + 3_600_000);
  expect(counts()).toHaveLength(9);
  for (let count = 0; count < 4; count += 1) await quotas().take('registry', 'later', endsAtMs + 3_600_000);
  expect(counts()).toEqual([1, 5]);
});

describe('a budget', () => {
  const challenge = (id: string) => ({ id, endsAtMs: NOW + 1_000_000 });
  const { requests, withoutChallenge } = BUDGETS.checkouts;
  const used = (): unknown => database.look("SELECT SUM(count) AS n FROM quotas WHERE name = 'budget checkouts'")[0]?.['n'] ?? 0;
  const setUsed = (count: number): void =>
    void database.look('INSERT OR REPLACE INTO quotas VALUES (?, ?, ?, ?)', Date.UTC(2027, 0, 2), 'budget checkouts', 'anybody', count);
  const takeMany = async (count: number, access: BudgetAccess = {}): Promise<void> => {
    for (let network = 0; network < count; network += 1)
      expect(await quotas().take('network_checkouts', `${JSON.stringify(access)} ${network}`, NOW, access)).toMatchObject({
        allowed: true,
      });
  };
  const take = (access?: BudgetAccess) => quotas().take('network_checkouts', 'one more', NOW, access);

  test('is counted together with the quota, and a refused request in neither', async () => {
    await takeMany(withoutChallenge);
    expect(used()).toBe(withoutChallenge);
    expect(await take()).toMatchObject({ allowed: false, refusedBy: 'challenge', endsAtMs: Date.UTC(2027, 0, 2) });
    expect(used()).toBe(withoutChallenge);
    expect(database.look("SELECT * FROM quotas WHERE subject LIKE 'one more%'")).toEqual([]);
  });

  test('spends a solved challenge once, and only where it is needed', async () => {
    const solved = { solvedChallenge: challenge('a1') };
    for (let count = 0; count < 3; count += 1) expect(await take(solved)).toMatchObject({ allowed: true });
    await takeMany(withoutChallenge - 3);
    expect(await take(solved)).toMatchObject({ allowed: true });
    expect(await take(solved)).toMatchObject({ allowed: false, refusedBy: 'used_challenge' });
    expect(await take({ solvedChallenge: challenge('b2') })).toMatchObject({ allowed: true });
    expect(used()).toBe(withoutChallenge + 2);
  });

  test('refuses all callers once it is used up, until the next day', async () => {
    setUsed(requests);
    expect(await take({ solvedChallenge: challenge('c3') })).toMatchObject({ allowed: false, refusedBy: 'budget' });
    expect(database.look("SELECT * FROM quotas WHERE name = 'solved_challenges'")).toEqual([]);
    expect(await quotas().take('network_checkouts', 'a', NOW + DAY)).toMatchObject({ allowed: true });
  });

  test('has a separate share for known agents', async () => {
    const share = Math.ceil(requests * KNOWN_AGENTS_SHARE);
    setUsed(requests);
    await takeMany(share, { isKnown: true });
    expect(await take({ isKnown: true })).toMatchObject({ allowed: false, refusedBy: 'budget' });
    setUsed(0);
    expect(await take({ isKnown: true })).toMatchObject({ allowed: true });
    setUsed(withoutChallenge);
    expect(await take({ isKnown: true })).toMatchObject({ allowed: false, refusedBy: 'challenge' });
    expect(await take({ isKnown: true, solvedChallenge: challenge('e5') })).toMatchObject({ allowed: true });
  });

  test('accepts a challenge once, also across the end of an hour', async () => {
    const late = Date.UTC(2027, 0, 1, 12, 58);
    const solvedChallenge = { id: 'f6', endsAtMs: late + 900_000 };
    setUsed(withoutChallenge);
    const at = (ms: number) => quotas().take('network_checkouts', 'a', late + ms, { solvedChallenge });
    expect([(await at(0)).allowed, (await at(60_000)).refusedBy, (await at(180_000)).refusedBy]).toEqual([
      true,
      'used_challenge',
      'used_challenge',
    ]);
  });

  test('returns a unit to the window in which it was taken', async () => {
    const payers = quotas();
    await payers.take('payer_claims', 'p', NOW);
    await payers.take('payer_claims', 'p', NOW);
    await payers.giveBack('payer_claims', 'p', NOW);
    const counted = (): unknown[] => database.look("SELECT count FROM quotas WHERE subject IN ('p', 'anybody')").map(({ count }) => count);
    expect(counted()).toEqual([1, 1]);
    await payers.giveBack('payer_claims', 'p', NOW + DAY);
    expect(counted()).toEqual([1, 1]);
    for (let again = 0; again < 3; again += 1) await payers.giveBack('payer_claims', 'p', NOW);
    expect(counted()).toEqual([0, 0]);
  });

  test('makes room by deleting old rows', async () => {
    const { rows } = BUDGETS.invoices.stored;
    const old = NOW - (LIMITS.invoiceWaitsDays + 1) * DAY;
    database.look(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO invoice_requests (receipt, content, created_at_ms, updated_at_ms) SELECT 'r' || i, '{}', ?, ? FROM n",
      rows,
      old,
      old,
    );
    expect(await quotas().take('invoices', 'a', NOW)).toMatchObject({ allowed: true });
    expect(Number(database.look('SELECT COUNT(*) AS n FROM invoice_requests')[0]?.['n'])).toBeLessThan(rows);
    database.look('UPDATE invoice_requests SET updated_at_ms = ?', NOW);
    database.look("UPDATE row_counts SET count = ? WHERE name = 'invoice_requests'", rows);
    expect(await quotas().take('invoices', 'b', NOW)).toMatchObject({ allowed: false, refusedBy: 'storage' });
  });

  test('deletes expired agents for each one that it admits', async () => {
    const insert = "INSERT INTO agents (agent, name, key_id, created_at_ms, expires_at_ms) VALUES (?, 'a', 'k', 0, ?)";
    for (const agent of ['a', 'b']) database.look(insert, agent, NOW);
    database.look(insert, 'c', NOW + 1);
    expect(await quotas().take('registry', 'a', NOW)).toMatchObject({ allowed: true });
    expect(database.look('SELECT agent FROM agents')).toEqual([{ agent: 'c' }]);
  });

  test('refuses unknown callers while its table is full', async () => {
    database.look("UPDATE row_counts SET count = ? WHERE name = 'checkout_sessions'", BUDGETS.checkouts.stored.rows);
    expect(await take({ solvedChallenge: challenge('d4') })).toMatchObject({ allowed: false, refusedBy: 'storage' });
    expect(await take({ isKnown: true })).toMatchObject({ allowed: true });
    database.look("UPDATE row_counts SET count = count - 1 WHERE name = 'checkout_sessions'");
    expect(await take()).toMatchObject({ allowed: true });
  });

  test('reports its use and the stored rows', async () => {
    await takeMany(3);
    await takeMany(2, { isKnown: true });
    database.look("UPDATE row_counts SET count = 7 WHERE name = 'checkout_sessions'");
    const all = await d1Budgets(database.binding())(NOW);
    expect([...all.keys()].sort()).toEqual(Object.keys(BUDGETS).sort());
    expect(all.get('checkouts')).toEqual({ requests: 3, rowsStored: 7 });
    expect((await d1Budgets(database.binding())(NOW + DAY)).get('checkouts')).toEqual({ requests: 0, rowsStored: 7 });
  });
});

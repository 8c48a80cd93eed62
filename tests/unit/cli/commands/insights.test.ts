import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { insightsCommand, readLogLine } from '../../../../src/cli/commands/insights.ts';
import { addInsightCounts } from '../../../../src/platform/d1/insight-counts.ts';
import { startCloudflareAccount } from '../../../support/cloudflare-api.ts';
import { runTask } from '../../../support/run-akg.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';
import { temporaryFolder } from '../../publication/content-world.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 9, 30);
const TODAY = Date.UTC(2026, 10, 22);
const database = useDatabase(NOW_MS);
const run = (line: string): Promise<string> => runTask(insightsCommand, line, database.binding(), { nowMs: NOW_MS });

describe('npm run insights', () => {
  test('says that nothing was counted', async () => expect(await run('--days 30')).toBe('Nothing was counted yet.'));

  test('shows who asked for what, and what no text answers, and never the words of strangers as they are', async () => {
    await addInsightCounts(database.binding())(
      TODAY,
      [
        { kind: 'request', name: 'page|browsers|200', count: 1_200 },
        { kind: 'request', name: 'markdown|Claude|402', count: 3 },
        { kind: 'request', name: 'API|programs|404', count: 5 },
        { kind: 'request', name: 'API|agent.example (signed)|200', count: 1 },
        { kind: 'latency', name: 'page|25', count: 3 },
        { kind: 'latency', name: 'page|more', count: 1 },
        { kind: 'capsule', name: 'retry-after agents', count: 7 },
        { kind: 'capsule', name: 'retry-after people', count: 2 },
        { kind: 'client', name: 'Claude', count: 4 },
        { kind: 'tool', name: 'search', count: 6 },
        { kind: 'offer', name: 'audit agents', count: 8 },
        { kind: 'offer', name: 'audit people', count: 5 },
        { kind: 'cart', name: 'audit', count: 3 },
        { kind: 'gap', name: 'graphql \u001b[31mred', count: 4 },
      ],
      NOW_MS,
    );
    database.look("INSERT INTO commerce_counts VALUES ('2026-11-22', 'order', 'audit', 2), ('2026-01-01', 'order', 'audit', 50)");
    const shown = await run('--days 30');
    expect(shown).toMatch(/^search +6$/m);
    expect(shown).toMatch(/^Offer +agents +people +in carts +ordered\naudit +8 +5 +3 +2$/m);
    expect(shown).toContain('2026-11-22 to 2026-11-22: 1,209 requests, at most 1,209 a day (2026-11-22).');
    expect(shown).toMatch(/^Page +0 +1,200 +0 +0$/m);
    expect(shown).toMatch(/^Claude +3 +0 +3 +0$/m);
    expect(shown).toMatch(/^Programs +5 +5 +0 +0$/m);
    expect(shown).toMatch(/^agent\.example \(signed\) +1 +0 +0 +0$/m);
    expect(shown).toMatch(/^Page +75 +0 +0 +0 +25$/m);
    expect(shown).toMatch(/^retry-after +7 +2$/m);
    expect(shown).toMatch(/^graphql <U\+001B>\[31mred +4$/m);
    expect(shown).toContain('npm run new -- capsule graphql-31mred');
    expect(JSON.parse(await run('--json --days 1'))).toMatchObject({ days: [{ day: '2026-11-22', requests: 1_209 }] });
  });
});

test('adds what is in the Analytics Engine to what the database has, where wrangler.toml binds a dataset', async () => {
  await addInsightCounts(database.binding())(TODAY, [{ kind: 'request', name: 'page|browsers|200', count: 2 }], NOW_MS);
  const account = await startCloudflareAccount();
  const folder = await temporaryFolder();
  try {
    for (const [name, value] of Object.entries(account.environment)) vi.stubEnv(name, value);
    await writeFile(join(folder, 'wrangler.toml'), '[[analytics_engine_datasets]]\nbinding = "ANALYTICS"\ndataset = "my_site"\n');
    account.events.rows = (sql) =>
      sql.includes('AS day')
        ? [{ day: '2026-11-21 00:00:00', requests: 40 }]
        : [
            { kind: 'request', name: 'page|browsers|200', count: '38' },
            { kind: 'cart', name: 'audit', count: '4' },
          ];
    const shown = await runTask(insightsCommand, '--days 7 --remote', database.binding(), { nowMs: NOW_MS, root: folder });
    expect(shown).toContain('2026-11-21 to 2026-11-22: 42 requests, at most 40 a day (2026-11-21).');
    expect(shown).toContain('the busiest day had less than 1 % of them.');
    expect(shown).toMatch(/^Page +0 +40 +0 +0$/m);
    expect(shown).toMatch(/^audit +0 +0 +4 +0$/m);
    expect(account.events.asked).toContainEqual(
      "SELECT blob2 AS kind, blob3 AS name, SUM(_sample_interval * double1) AS count FROM my_site WHERE blob1 = 'insight' AND timestamp > NOW() - INTERVAL '7' DAY GROUP BY kind, name ORDER BY count DESC LIMIT 10000 FORMAT JSON",
    );
  } finally {
    vi.unstubAllEnvs();
    await account.stop();
  }
});

describe('a log', () => {
  const printed = async (text: string): Promise<string> => {
    const file = join(await temporaryFolder(), 'access.log');
    await writeFile(file, text);
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    try {
      await insightsCommand(async () => undefined).parseAsync([file], { from: 'user' });
      return log.mock.calls.join('\n');
    } finally {
      log.mockRestore();
    }
  };

  test('of nginx, Caddy or Cloudflare gives the same counts; other lines are passed over', async () => {
    const lines = [
      '203.0.113.7 - - [29/Nov/2026:06:13:00 +0100] "GET /capsules/a-b.md?x=1 HTTP/2.0" 200 512 "-" "Mozilla/5.0 (compatible; ChatGPT-User/1.0)"',
      JSON.stringify({
        ts: 1_795_929_180.5,
        request: { uri: '/capsules/a-b.md', headers: { 'User-Agent': ['ChatGPT-User/1.0'] } },
        status: 200,
      }),
      JSON.stringify({
        EdgeStartTimestamp: '2026-11-29T05:13:00Z',
        ClientRequestURI: '/capsules/a-b.md',
        EdgeResponseStatus: 200,
        ClientRequestUserAgent: 'ChatGPT-User/1.0',
      }),
    ];
    for (const line of lines) {
      const request = readLogLine(line);
      expect(new Date(request?.timeMs ?? 0).toISOString()).toMatch(/^2026-11-29T05:13:00/);
      expect({ ...request, userAgent: '', timeMs: 0 }).toEqual({ timeMs: 0, path: '/capsules/a-b.md', status: 200, userAgent: '' });
    }
    const shown = await printed(['# a comment', '{"level":"info"}', '{', '', ...lines].join('\n'));
    expect(shown).toContain('2026-11-29 to 2026-11-29: 3 requests');
    expect(shown).not.toContain('Cloudflare');
    expect(shown).toMatch(/^ChatGPT +3 +0 +0 +0$/m);
    expect(shown).toMatch(/^a-b +3 +0$/m);
  });

  test('without a request is refused with the forms that are known', async () => {
    await expect(printed('hello\n')).rejects.toThrow(/none of the 1 lines of .*access\.log is a request in the Combined Log Format/);
  });
});

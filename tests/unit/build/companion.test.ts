import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { deployCompanion } from '../../../src/cli/commands/deploy-companion.ts';
import { statusHistory } from '../../../src/platform/d1/database.ts';
import { LOCATION_LIMITS } from '../../../src/platform/location-limiter.ts';
import { RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { PUBLICATION, ROOT } from '../../support/paths.ts';
import { useDatabase } from '../../support/simulated/use-database.ts';

const settings = await readFile(join(ROOT, 'src/companion/wrangler.toml'), 'utf8');
const project = await readFile(join(PUBLICATION, 'wrangler.toml'), 'utf8');

const settingOf = (name: string, text: string): string | undefined => new RegExp(`^\\s*${name}\\s*=\\s*"([^"]*)"`, 'm').exec(text)?.[1];

describe('the settings of the companion', () => {
  test('bind every limit that a location can count, with the published numbers, each in a namespace of its own', () => {
    const bound = [
      ...settings.matchAll(/\[\[ratelimits\]\]\nname = "(\w+)"\nnamespace_id = "(\d+)"\nsimple = \{ limit = (\d+), period = (\d+) \}/g),
    ];
    expect(Object.fromEntries(bound.map(([, name, , limit, period]) => [name, [Number(limit), Number(period)]]))).toEqual(
      Object.fromEntries(
        LOCATION_LIMITS.map((name) => [`LIMIT_${name.toUpperCase()}`, [RATE_LIMITS[name].requests, RATE_LIMITS[name].windowSeconds]]),
      ),
    );
    expect(new Set(bound.map(([, , namespace]) => namespace)).size).toBe(bound.length);
  });

  test('give it no address, no telemetry, a schedule, and the database and date of the project', () => {
    for (const line of [
      'workers_dev = false',
      'preview_urls = false',
      'send_metrics = false',
      '[observability]\nenabled = false',
      'crons = [',
    ])
      expect(settings).toContain(line);
    for (const name of ['compatibility_date', 'database_name']) expect(settingOf(name, settings)).toBe(settingOf(name, project));
    expect(project).toContain(`# service = "${settingOf('name', settings)}"`);
  });
});

describe('deployCompanion()', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'companion-'));
    await mkdir(join(root, '.akg'));
    for (const name of ['content', 'node_modules']) await symlink(join(name === 'content' ? PUBLICATION : ROOT, name), join(root, name));
  });
  afterAll(() => rm(root, { recursive: true }));

  const deploy = async (databaseId: string, dryRun: boolean): Promise<string> => {
    await writeFile(join(root, 'wrangler.toml'), `[[d1_databases]]\nbinding = "STATE"\ndatabase_id = "${databaseId}"\n`);
    const lines: string[] = [];
    await deployCompanion(root, { dryRun, baseUrl: 'https://docs.example', report: (line) => lines.push(line) });
    return lines.join('\n');
  };

  test('bundles it without a network, with all its bindings and the database of the project', async () => {
    const said = await deploy('11111111-2222-3333-4444-555555555555', true);
    for (const part of ['STATE', 'LIMIT_QUERY', 'LIMIT_NETWORK', 'LIMIT_BUY', 'WEBHOOK_HOSTS', '--dry-run']) expect(said).toContain(part);
    const bundle = await readFile(join(root, '.akg/companion/bundle/worker.js'), 'utf8');
    expect(bundle).toContain('DELETE FROM ');
    expect(bundle).toContain('Merchant-Signature');
    expect(bundle.length).toBeLessThan(100_000);
    const written = await readFile(join(root, '.akg/companion/wrangler.toml'), 'utf8');
    expect(written).toContain('database_id = "11111111-2222-3333-4444-555555555555"');
    expect(written).toContain('BASE_URL = "https://docs.example"');
  });

  test('fails in one sentence before the project has a database', async () => {
    await expect(deploy('00000000-0000-0000-0000-000000000000', false)).rejects.toThrow('has no database id');
  });
});

describe('the schedule of the companion', () => {
  /** A computed address: the types of Cloudflare, which the Worker needs, are not those of these tests. */
  const worker: Promise<{ default: { scheduled: (event: object, environment: object) => Promise<void> } }> = import(
    pathToFileURL(join(ROOT, 'src/companion/worker.ts')).href
  );
  const NOON = Date.UTC(2026, 10, 20, 12);
  const database = useDatabase(NOON);
  afterEach(() => vi.unstubAllGlobals());

  const run = async (atMs: number, fetch: () => Promise<Response>): Promise<void> => {
    vi.stubGlobal('fetch', vi.fn(fetch));
    vi.spyOn(console, 'log').mockReturnValue();
    await (await worker).default.scheduled({ scheduledTime: atMs }, { STATE: database.binding(), BASE_URL: 'https://docs.example' });
  };

  test('asks the public address for the status, and counts what failed by day in UTC, for 90 days', async () => {
    const DAY = 86_400_000;
    const answer = (status: string) => async () => Response.json({ status });
    await run(NOON - 90 * DAY, answer('ok'));
    await run(NOON - DAY, answer('ok'));
    await run(NOON - DAY, answer('degraded'));
    await run(NOON - 1, () => Promise.reject(new TypeError('no connection')));
    await run(NOON, async () => new Response('busy', { status: 500 }));
    await run(NOON, async () => new Response('<html>'));
    await run(NOON, answer('ok'));
    expect(vi.mocked(globalThis.fetch)).toHaveBeenCalledWith('https://docs.example/api/v1/capsules/public/status', expect.anything());
    expect(await statusHistory(database.binding(), { nowMs: () => NOON })()).toEqual([
      { date: '2026-11-19', checks: 2, failures: 1 },
      { date: '2026-11-20', checks: 4, failures: 3 },
    ]);
    expect(database.look('SELECT count(*) AS days FROM status_days')).toEqual([{ days: 2 }]);
    expect(await statusHistory(undefined, { nowMs: () => NOON })()).toBeUndefined();
  });
});

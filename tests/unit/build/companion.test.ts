import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { deployCompanion } from '../../../src/cli/commands/deploy-companion.ts';
import { LOCATION_LIMITS } from '../../../src/platform/companion-rate-limits.ts';
import { statusHistory } from '../../../src/platform/d1/database.ts';
import { RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { NotifySettings } from '../../../src/schemas/publisher.ts';
import { DAY_MS } from '../../../src/schemas/time.ts';
import { PUBLICATION, ROOT } from '../../support/paths.ts';
import { useDatabase } from '../../support/simulated/use-database.ts';
import { sharedFolder } from '../publication/content-world.ts';

const settings = await readFile(join(ROOT, 'src/functions/companion-worker.toml'), 'utf8');
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
  const root = sharedFolder();
  beforeAll(async () => {
    await mkdir(join(root, '.akg'));
    for (const name of ['content', 'node_modules']) await symlink(join(name === 'content' ? PUBLICATION : ROOT, name), join(root, name));
  });

  const deploy = async (databaseId: string, dryRun: boolean): Promise<string> => {
    await writeFile(join(root, 'wrangler.toml'), `[[d1_databases]]\nbinding = "STATE"\ndatabase_id = "${databaseId}"\n`);
    vi.stubEnv('BASE_URL', 'https://docs.example');
    return deployCompanion(root, dryRun).finally(() => vi.unstubAllEnvs());
  };

  test('bundles it without a network, with all its bindings and the database of the project', async () => {
    const said = await deploy('11111111-2222-3333-4444-555555555555', true);
    for (const part of ['STATE', 'LIMIT_QUERY', 'LIMIT_NETWORK', 'LIMIT_BUY', 'WEBHOOK_HOSTS', '--dry-run']) expect(said).toContain(part);
    const bundle = await readFile(join(root, '.akg/companion/bundle/companion-worker.js'), 'utf8');
    expect(bundle).toContain('DELETE FROM ');
    expect(bundle).toContain('Merchant-Signature');
    expect(bundle.length).toBeLessThan(127_500);
    expect(JSON.parse(await readFile(join(root, '.akg/companion/wrangler.json'), 'utf8'))).toMatchObject({
      d1_databases: [{ binding: 'STATE', database_id: '11111111-2222-3333-4444-555555555555' }],
      vars: { BASE_URL: 'https://docs.example' },
    });
  });

  test('fails in one sentence before the project has a database', async () => {
    await expect(deploy('00000000-0000-0000-0000-000000000000', false)).rejects.toThrow('has no database id');
  });
});

describe('the schedule of the companion', () => {
  /** A computed address: the types of Cloudflare, which the Worker needs, are not those of these tests. */
  const worker: Promise<{ default: { scheduled: (event: object, environment: object) => Promise<void> } }> = import(
    pathToFileURL(join(ROOT, 'src/functions/companion-worker.ts')).href
  );
  const NOON = Date.UTC(2026, 10, 20, 12);
  const database = useDatabase(NOON);
  afterEach(() => vi.unstubAllGlobals());

  const run = async (atMs: number, fetch: () => Promise<Response>, environment: object = {}): Promise<void> => {
    vi.stubGlobal('fetch', vi.fn(fetch));
    vi.spyOn(console, 'log').mockReturnValue();
    const bindings = { STATE: database.binding(), BASE_URL: 'https://docs.example', ...environment };
    await (await worker).default.scheduled({ scheduledTime: atMs }, bindings);
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

  describe('tells the publisher', () => {
    const MINUTE = 60_000;
    const secret = `whsec_${Buffer.from('a secret of twenty-four+').toString('base64')}`;
    const settings = { webhook: 'https://hooks.example/notices', mail: { to: 'desk@docs.example', from: 'notices@docs.example' } };
    const ok = async (): Promise<Response> => Response.json({ status: 'ok' });
    const posts = (): { type: string; data: object }[] =>
      vi
        .mocked(globalThis.fetch)
        .mock.calls.filter(([address]) => address === settings.webhook)
        .map(([, init]) => {
          const headers = init?.headers as Record<string, string>;
          expect(init?.redirect).toBe('manual');
          vi.setSystemTime(Number(headers['webhook-timestamp']) * 1_000);
          return new Webhook(secret).verify(String(init?.body), headers) as { type: string; data: object };
        });
    const mails: { to: string; subject: string; text: string }[] = [];
    const environment = (notify: object, more: object = {}) => ({
      NOTIFY: JSON.stringify(NotifySettings.parse(notify)),
      NOTIFY_SECRET: secret,
      NOTIFY_MAIL: { send: async (mail: (typeof mails)[number]) => void mails.push(mail) },
      ...more,
    });
    const AT = NOON + 60 * MINUTE;
    beforeEach(async () => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const sql = [
        `INSERT INTO checkout_sessions (id, owner, channel, state, currency, total_minor, content, revision, mark, created_at_ms, updated_at_ms, expires_at_ms) VALUES ('cs_1', 'a', 'acp', 'completed', 'USD', 4900, '{}', 1, 'm', ${AT}, ${AT}, ${AT})`,
        `INSERT INTO orders (id, receipt, session_id, total_minor, content, created_at_ms, updated_at_ms) VALUES ('ord_1', 'rct_1', 'cs_1', 4900, '{"currency":"USD","buyer":{"email":"ada@example.com"}}', ${AT}, ${AT})`,
        `INSERT INTO invoice_requests (receipt, content, created_at_ms, updated_at_ms) VALUES ('inv_1', '{"email":"ada@example.com"}', ${AT}, ${AT}), ('msg_1', '{"note":"hello"}', ${AT}, ${AT})`,
        `INSERT INTO proposals (sha256, kind, capsule_id, body, received_at_ms) VALUES ('aa', 'capsule', 'new-one', '{}', ${AT})`,
        `INSERT INTO quotas (name, subject, ends_at_ms, count) VALUES ('budget proposals', 'anybody', ${NOON + DAY_MS / 2}, 130)`,
      ];
      for (const statement of [...sql, `INSERT INTO status_days (day_ms, checks, failures) VALUES (${NOON - DAY_MS / 2}, 9, 3)`])
        await database.binding().prepare(statement).run();
    });
    afterEach(() => vi.useRealTimers());

    test('nothing, unless it is set', async () => {
      await run(AT, ok);
      expect(database.look('SELECT count(*) AS notices FROM publisher_notices')).toEqual([{ notices: 0 }]);
      expect(globalThis.fetch).toHaveBeenCalledTimes(1);
    });

    test('each event once, by a signed webhook and in one mail, without personal data', async () => {
      await run(AT, ok, environment(settings));
      expect(posts().map(({ type }) => type)).toHaveLength(5);
      await run(AT + 5 * MINUTE, ok, environment(settings));
      await run(AT + 10 * MINUTE, ok, environment(settings));
      const told = database.look('SELECT kind, channel, state FROM publisher_notices ORDER BY channel, kind');
      const kinds = ['invoice.requested', 'limit.near', 'message.received', 'order.created', 'proposal.received', 'service.failing'];
      expect(told).toEqual(['mail', 'webhook'].flatMap((channel) => kinds.map((kind) => ({ kind, channel, state: 'sent' }))));
      expect(mails.map(({ to }) => to)).toEqual(mails.map(() => 'desk@docs.example'));
      expect(mails.length).toBeLessThanOrEqual(2);
      expect(mails.map(({ text }) => text).join()).toContain('New order (order ord_1, total_minor 4900, currency USD): npm run orders');
      expect(JSON.stringify(database.look('SELECT * FROM publisher_notices'))).not.toMatch(/ada@|hello/);
      expect(posts()).toEqual([]);
    });

    test('again, later and later, while the receiver does not accept it, and of chosen events only', async () => {
      await database
        .binding()
        .prepare(
          `INSERT INTO invoice_requests (receipt, content, created_at_ms, updated_at_ms) VALUES ('msg_2', '{}', ${AT}, ${AT}), ('inv_2', '{}', ${AT}, ${AT})`,
        )
        .run();
      const only = environment({ webhook: settings.webhook, events: ['message.received'] });
      const failing = async (): Promise<Response> => new Response('busy', { status: 503 });
      await run(AT + 20 * MINUTE, failing, only);
      expect(posts()).toHaveLength(2);
      await run(AT + 20 * MINUTE, failing, only);
      expect(posts()).toHaveLength(0);
      await run(AT + 25 * MINUTE, failing, only);
      expect(posts()).toHaveLength(2);
      expect(database.look("SELECT state, attempts, fault FROM publisher_notices WHERE id = 'request_3'")).toEqual([
        { state: 'due', attempts: 2, fault: 'returned 503' },
      ]);
      await run(AT + 60 * MINUTE, ok, { ...only, NOTIFY_SECRET: '' });
      expect(posts()).toHaveLength(0);
      await run(AT + 120 * MINUTE, ok, only);
      expect(posts()).toMatchObject([2, 3].map((number) => ({ type: 'message.received', data: { number } })));
      expect(database.look("SELECT count(*) AS count FROM publisher_notices WHERE id = 'request_4'")).toEqual([{ count: 0 }]);
    });
  });
});

import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { buildSite } from '../../src/build/build-site.ts';
import { buildEnvironment, today } from '../../src/build/describe-deployment.ts';
import { inlineSqlDatabase } from '../../src/build/local/d1-connections.ts';
import { restoreBackup } from '../../src/cli/commands/backup.ts';
import { upload } from '../../src/cli/commands/deploy.ts';
import { checkSite } from '../../src/cli/deployment/check-site.ts';
import type { StatementResult } from '../../src/platform/d1/database.ts';
import { readSigningSecrets } from '../../src/platform/environment.ts';
import { loadPublisher } from '../../src/publication/read-publisher.ts';
import { type BuiltPublication, makeBuiltPublication } from '../support/built-publication.ts';
import { BOOKMARK, type CloudflareAccount, startCloudflareAccount } from '../support/cloudflare-api.ts';
import { type EdgeGateway, startEdgeGateway } from '../support/edge-gateway.ts';
import { ROOT } from '../support/paths.ts';
import { freePort } from '../support/project-copy.ts';
import { type CommandOutcome, callAkg, runAkg } from '../support/run-akg.ts';
import { words } from '../support/words.ts';

/** A publication of one text and one offer goes online with the real wrangler, at a double of Cloudflare's API. */
const BASE_URL = 'https://bicycle-notes.pages.dev';
const folder = join(ROOT, '.akg/test-deploy');
let account: CloudflareAccount;
let publication: BuiltPublication;
let service: EdgeGateway | undefined;
let address = '';
/** Whether uploads are online at the double; before that they lead to an address that nothing answers. */
let isServed = false;

beforeAll(async () => {
  publication = await makeBuiltPublication('deploy');
  const settings = (await readFile(join(ROOT, 'wrangler.toml'), 'utf8')).replaceAll('agent-knowledge-gateway', 'bicycle-notes');
  await publication.write({
    'package.json': JSON.stringify({ private: true, type: 'module' }),
    'wrangler.toml': settings.replace('src/platform', '../../src/platform'),
    'content/publisher.yaml': `name: Bicycle notes\nbase_url: ${BASE_URL}\ncontact_email: ada@bicycle-notes.org\ncheckout_host: https://buy.stripe.com\n`,
    'content/capsules/oil.md':
      '---\ntitle: Oil keeps a chain quiet\n---\n\nA drop of oil on each link keeps a chain quiet for about 200 km.\n',
    'content/offers/winter-service.md':
      '---\nname: Winter service\nprice_usd: 90\ncheckout: /winter\n---\n\nWe clean and oil your bicycle.\n',
  });
  account = await startCloudflareAccount({
    onDeploy: async () => {
      if (!isServed) return `http://127.0.0.1:${await freePort()}`;
      const signingSecrets = account.projects.get('bicycle-notes')?.secrets.get('SIGNING_SECRETS');
      service ??= await startEdgeGateway({ ...(await publication.service()), signingSecrets });
      address = (await service.miniflare.ready).origin;
      return address;
    },
  });
});
afterAll(async () => {
  await service?.stop();
  await account.stop();
  await publication.remove();
});

const akg = (...args: readonly string[]): Promise<CommandOutcome> => akgAt(account, ...args);
const akgAt = ({ environment }: CloudflareAccount, ...args: readonly string[]): Promise<CommandOutcome> =>
  callAkg(args, folder, { ...environment, BASE_URL: '' });
const runWhole = (at: CloudflareAccount, ...args: readonly string[]): Promise<CommandOutcome> =>
  runAkg(args, folder, { ...at.environment, BASE_URL: '' });
/** `akg deploy` in a folder that is built: in place of the commands that it runs, a program notes them. */
async function deployBuilt(): Promise<CommandOutcome & { readonly commands: string[] }> {
  const note = "import { appendFileSync } from 'node:fs';\nappendFileSync('commands', process.argv.slice(2).join(' ') + '\\n');\n";
  await publication.write({ 'note.mjs': note, commands: '' });
  const [, program = ''] = process.argv;
  process.argv[1] = join(folder, 'note.mjs');
  const outcome = await akg('deploy').finally(() => {
    process.argv[1] = program;
  });
  return { ...outcome, commands: (await readFile(join(folder, 'commands'), 'utf8')).trim().split('\n') };
}
const settings = (): Promise<string> => readFile(join(folder, 'wrangler.toml'), 'utf8');
const ledger = (): Promise<string> => readFile(join(folder, 'content/published.jsonl'), 'utf8').catch(() => 'none');
const kindsInKv = (): unknown[] =>
  [...account.namespaces.values()].flatMap(({ keys }) => [...keys.values()].map(({ metadata }) => (metadata as { kind: string }).kind));
const branches = (): string[] => account.projects.get('bicycle-notes')?.deployments.map(({ branch }) => branch) ?? [];

it('describes what it would make, and makes nothing', async () => {
  const before = await settings();
  const { exit, output } = await akg('setup', '--dry-run');
  expect({ exit, output }).toMatchObject({
    exit: 0,
    output: expect.stringContaining('  KV namespace: create bicycle-notes-capsules, and write its id into wrangler.toml'),
  });
  const [own = '', others = ''] = output.split('It leaves this to you:');
  for (const plan of [
    'tables: applies the migrations',
    'project: creates the Pages project',
    'secret SIGNING_SECRETS: makes a random one, and shows it once in a terminal',
    'companion: deploys the companion, a second Worker, and binds it in wrangler.toml',
  ])
    expect(own).toContain(`\n  ${plan}\n`);
  expect(own).not.toContain('account:');
  expect(others).toContain('signing key (optional): none');
  expect([await settings(), account.namespaces.size, account.databases.size, account.projects.size]).toEqual([before, 0, 0, 0]);
  expect((await deployBuilt()).output).toContain('Not ready to deploy: KV namespace, database, tables, project, secret SIGNING_SECRETS.');
});

it('makes what is missing once, and adopts what is there', async () => {
  account.databases.set('d0000000-0000-4000-8000-000000000009', { name: 'bicycle-notes', database: account.newDatabase() });
  expect((await runWhole(account, 'setup', '--yes')).exit).toBe(0);
  expect([...account.workers.keys()]).toEqual(['bicycle-notes-companion']);
  const first = await settings();
  expect(first).toContain('[[services]]\nbinding = "LIMITER"\nservice = "bicycle-notes-companion"');
  expect((await akg('setup', '--yes')).exit).toBe(0);
  const project = account.projects.get('bicycle-notes');
  expect(await settings()).toBe(first);
  expect(first).toContain('database_id = "d0000000-0000-4000-8000-000000000009"');
  expect([account.namespaces.size, account.databases.size]).toEqual([1, 1]);
  expect(await readSigningSecrets(project?.secrets.get('SIGNING_SECRETS'), 'live')).not.toHaveProperty('missing');
  expect(account.unknown).toEqual([]);
});

it('leaves the site as it is if the preview fails its checks, else puts it online and records it', async () => {
  await buildSite({
    ...buildEnvironment({}),
    root: folder,
    output: folder,
    mode: 'edge',
    mayBeUnsigned: false,
    isTrial: false,
    today: today(),
    report: () => undefined,
  });
  const failed = await deployBuilt();
  expect(failed).toMatchObject({ exit: 1, output: expect.stringMatching(/fails its checks\. The site that is online was not changed\./) });
  expect([branches(), await ledger()]).toEqual([['preview'], 'none']);
  // What was never online does not count as published.
  expect(kindsInKv()).not.toContain('manifest');
  isServed = true;
  const { exit, output, commands } = await deployBuilt();
  expect(commands).toEqual(['check', 'restore', 'build']);
  expect({ exit, output }).toMatchObject({ exit: 0, output: expect.stringMatching(/✓ lineage: "oil": all checks pass[\s\S]+Online: /) });
  expect(branches()).toEqual(['preview', 'preview', 'main']);
  expect(await ledger()).toContain('"capsule":"oil"');
  expect(kindsInKv()).toContain('manifest');
  const [namespace] = account.namespaces.values();
  expect(namespace?.keys.size).toBeGreaterThan(5);
  expect(account.unknown).toEqual([]);
});

it('names what is wrong with a site, and what mends it', async () => {
  const { exit, stdout } = await callAkg(['doctor', address, '--json'], folder, { ...account.environment, BASE_URL: '' });
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] };
  // Its documents name the address for which it was built, and no companion counts.
  expect({ exit, failed: failedOf(checks) }).toEqual({ exit: 1, failed: ['addresses', 'limits'] });
  await publication.write({ 'other/dist/offers.json': JSON.stringify({ offers: [{ id: 'winter-service', price_usd: 91 }] }) });
  const built = { root: join(folder, 'other'), generation: '0'.repeat(64) };
  const found = await checkSite(address, { baseUrl: BASE_URL, built, nowMs: () => Date.now() + 3_600_000 });
  expect(failedOf(found)).toEqual(['clock', 'corpus', 'prices', 'limits']);
  const gone = `http://127.0.0.1:${await freePort()}`;
  expect(await checkSite(gone, { baseUrl: gone, nowMs: Date.now })).toEqual([
    { name: 'site', ok: false, detail: `${gone} cannot be reached`, mend: 'npm start' },
  ]);
});

it('restores a backup into an empty account, once, and refuses one that was altered', async () => {
  const [{ database: state = account.newDatabase() } = {}] = account.databases.values();
  const typed = `'; DROP TABLE agents; -- "Grüße" 日本 \n`;
  state.prepare("INSERT INTO proposals VALUES (7, 'a', 'capsule', 'oil', ?, 1, 'pending', NULL, NULL)").run(typed);
  const saved = await akg('backup', 'saved.jsonl.gz');
  expect(saved).toMatchObject({ exit: 0, output: expect.stringMatching(/^saved\.jsonl\.gz: [1-9]\d* rows, [1-9]\d* blocks$/m) });
  const other = await startCloudflareAccount();
  try {
    const copy = await addEmptyStores(other);
    await rm(join(folder, 'content/published.jsonl'));
    expect(await akgAt(other, 'restore', '--from', 'saved.jsonl.gz')).toMatchObject({ exit: 0 });
    expect(await ledger()).toContain('"capsule":"oil"');
    expect(rowsOf(copy)).toEqual(rowsOf(state));
    const blocksOf = ({ namespaces }: CloudflareAccount): unknown[] => [...namespaces.values()].map(({ keys }) => [...keys].sort());
    expect(blocksOf(other)).toEqual(blocksOf(account));
    const stores = { database: inlineSqlDatabase(async (statements) => statements.map((sql) => runOn(copy, sql))), namespace: undefined };
    const restore = (file: string): Promise<unknown> => restoreBackup(folder, join(folder, file), stores, false);
    await expect(restore('saved.jsonl.gz')).rejects.toThrow(
      'holds rows already: for a new one, write zeros in the place of database_id in wrangler.toml and run "npm run setup"',
    );
    expect(await akgAt(other, 'restore', '--from', 'saved.jsonl.gz', '--resume')).toMatchObject({ exit: 0 });
    expect(rowsOf(copy)).toEqual(rowsOf(state));
    const lines = gunzipSync(await readFile(join(folder, 'saved.jsonl.gz'))).toString('utf8');
    await writeFile(join(folder, 'altered.jsonl.gz'), gzipSync(lines.replace('DROP TABLE', 'drop table')));
    await expect(restore('altered.jsonl.gz')).rejects.toThrow('its digest does not match');
  } finally {
    await other.stop();
  }
});

it('makes the Worker of a site, and uploads the same build to it: a preview, then what is online, with the schedule', async () => {
  const other = await startCloudflareAccount();
  for (const [name, value] of Object.entries(other.environment)) vi.stubEnv(name, value);
  try {
    const database = await addEmptyStores(other);
    const text = await readFile(join(folder, 'content/publisher.yaml'), 'utf8');
    await publication.write({
      'content/publisher.yaml': `${text.replace(BASE_URL, 'https://bicycle-notes.ada.workers.dev')}target: workers\n`,
    });
    // The newest migration fails, because what it makes is there and its record is not.
    database.exec('DELETE FROM d1_migrations WHERE id = (SELECT max(id) FROM d1_migrations)');
    const before = rowsOf(database);
    const undo = `npx wrangler d1 time-travel restore STATE --bookmark=${BOOKMARK}`;
    const failed = await akgAt(other, 'setup', '--yes');
    expect(failed).toMatchObject({ exit: 1, output: expect.stringMatching(`changed nothing[^]*${undo}`) });
    expect(rowsOf(database)).toEqual(before);
    await addEmptyStores(other, 1);
    const said = await runWhole(other, 'setup', '--yes');
    expect(said.output).toMatch(`1 migration applied. To go back to the state before, which loses what was written since: ${undo}`);
    expect(said).toMatchObject({ exit: 0, output: expect.stringContaining('✓ project: bicycle-notes (bicycle-notes.ada.workers.dev)\n') });
    for (const line of ['✓ domain: bicycle-notes.ada.workers.dev\n', '✓ companion: its work is a part of the Worker\n'])
      expect(said.output).toContain(line);
    const publisher = await loadPublisher(folder, { baseUrl: undefined });
    const worker = other.workers.get('bicycle-notes');
    expect(await readSigningSecrets(worker?.secrets.get('SIGNING_SECRETS'), 'live')).not.toHaveProperty('missing');
    expect(await upload(folder, publisher, 'preview')).toMatchObject({ url: 'https://preview-bicycle-notes.ada.workers.dev' });
    expect([worker?.versions.length, worker?.online]).toEqual([2, 1]);
    expect(await upload(folder, publisher, 'main')).toMatchObject({ url: 'https://bicycle-notes.ada.workers.dev' });
    expect([worker?.versions.length, worker?.online, worker?.crons]).toEqual([3, 3, [{ cron: '*/5 * * * *' }]]);
    const { metadata, modules } = worker?.versions[2] ?? { metadata: {}, modules: [] };
    expect(modules).toEqual(expect.arrayContaining(['index.js', 'gateway.js', 'generated.js', expect.stringMatching(/^kernel-.*\.wasm$/)]));
    expect(worker?.files).toContain('/capsules/oil.html');
    expect(worker?.files.filter((file) => /^\/[._]/.test(file) && !/^\/(_astro|\.well-known)\//.test(file))).toEqual([]);
    expect(metadata['assets']).toMatchObject({
      config: { not_found_handling: '404-page', run_worker_first: expect.arrayContaining(['/*', '!/_astro/*']) },
    });
    const bound = (metadata['bindings'] as { name: string }[]).map(({ name }) => name).sort();
    expect(bound).toEqual(
      words`ASSETS BASE_URL CAPSULES LIMIT_BUY LIMIT_NETWORK LIMIT_QUERY LIMIT_QUERY_RAISED NOTIFY STATE WEBHOOK_HOSTS`,
    );
    expect(other.unknown).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    await other.stop();
  }
});

/** Gives an account the stores that wrangler.toml names, with tables and nothing in them, before the newest `due` migrations. */
async function addEmptyStores(to: CloudflareAccount, due = 0): Promise<DatabaseSync> {
  const migrations = join(ROOT, 'src/platform/d1/migrations');
  const database = to.newDatabase();
  database.exec(
    'CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)',
  );
  for (const name of (await readdir(migrations)).sort().slice(0, due === 0 ? undefined : -due)) {
    database.exec(await readFile(join(migrations, name), 'utf8'));
    database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name);
  }
  for (const [id, { title }] of account.namespaces) to.namespaces.set(id, { title, keys: new Map() });
  for (const [id, { name }] of account.databases) to.databases.set(id, { name, database });
  return database;
}

function runOn(database: DatabaseSync, sql: string): StatementResult<unknown> {
  return { results: database.prepare(sql).all() };
}

function rowsOf(database: DatabaseSync): unknown[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'd1_migrations'")
    .all();
  return tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${String(name)}"`).all()]);
}

function failedOf(checks: readonly { readonly name: string; readonly ok: boolean }[]): string[] {
  return checks.flatMap(({ name, ok }) => (ok ? [] : [name]));
}

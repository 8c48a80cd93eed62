import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkSite } from '../../src/cli/deployment/check-site.ts';
import { readSigningSecrets } from '../../src/platform/signing-secrets.ts';
import { type CloudflareAccount, startCloudflareAccount } from '../support/cloudflare-api.ts';
import { PUBLICATION, ROOT } from '../support/paths.ts';
import { freePort, type StartedService, startService } from '../support/project-copy.ts';
import { type CommandOutcome, runAkg } from '../support/run-akg.ts';

/** A publication of one text and one offer goes online with the real wrangler, at a double of Cloudflare's API. */
const BASE_URL = 'https://bicycle-notes.pages.dev';
const folder = join(ROOT, '.akg/test-deploy');

let account: CloudflareAccount;
let service: StartedService | undefined;
/** Whether uploads are online at the double; before that they lead to an address that nothing answers. */
let isServed = false;

beforeAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(PUBLICATION, 'functions'), join(folder, 'functions'), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const settings = (await readFile(join(ROOT, 'wrangler.toml'), 'utf8')).replaceAll('agent-knowledge-gateway', 'bicycle-notes');
  await write({
    'package.json': JSON.stringify({ private: true, type: 'module', scripts: { start: 'node ../../src/cli/akg.mjs start' } }),
    'wrangler.toml': settings.replace('src/platform', '../../src/platform'),
    'content/publisher.yaml': `name: Bicycle notes\nbase_url: ${BASE_URL}\ncontact_email: ada@bicycle-notes.org\ncheckout_host: https://buy.stripe.com\n`,
    'content/capsules/oil.md':
      '---\ntitle: Oil keeps a chain quiet\n---\n\nA drop of oil on each link keeps a chain quiet for about 200 km.\n',
    'content/offers/winter-service.md':
      '---\nname: Winter service\nprice_usd: 90\ncheckout: /winter\n---\n\nWe clean and oil your bicycle.\n',
  });
  account = await startCloudflareAccount({
    onDeploy: async () => {
      const port = await freePort();
      if (!isServed) return `http://127.0.0.1:${port}`;
      service ??= await startService(folder, port, { BASE_URL });
      return service.baseUrl;
    },
  });
});
afterAll(async () => {
  await service?.interrupt();
  await account.stop();
  await rm(folder, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const akg = (...args: readonly string[]): Promise<CommandOutcome> => akgAt(account, ...args);
const akgAt = ({ environment }: CloudflareAccount, ...args: readonly string[]): Promise<CommandOutcome> =>
  runAkg(args, folder, { ...environment, BASE_URL: '' });
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
    output: expect.stringContaining('create bicycle-notes-capsules, and write its id into wrangler.toml'),
  });
  expect([await settings(), account.namespaces.size, account.databases.size, account.projects.size]).toEqual([before, 0, 0, 0]);
  expect((await akg('deploy')).output).toContain('Not ready to deploy: KV namespace, database, tables, project, secret SIGNING_SECRETS.');
});

it('makes what is missing once, and adopts what is there', async () => {
  account.databases.set('d0000000-0000-4000-8000-000000000009', { name: 'bicycle-notes', database: account.newDatabase() });
  expect((await akg('setup', '--yes')).exit).toBe(0);
  const first = await settings();
  expect((await akg('setup', '--yes')).exit).toBe(0);
  const project = account.projects.get('bicycle-notes');
  expect(await settings()).toBe(first);
  expect(first).toContain('database_id = "d0000000-0000-4000-8000-000000000009"');
  expect([account.namespaces.size, account.databases.size]).toEqual([1, 1]);
  expect(await readSigningSecrets(project?.secrets.get('SIGNING_SECRETS'), 'live')).not.toHaveProperty('missing');
  expect(account.unknown).toEqual([]);
});

it('leaves the site as it is if the preview fails its checks, else puts it online and records it', async () => {
  const failed = await akg('deploy');
  expect(failed).toMatchObject({
    exit: 1,
    output: expect.stringMatching(/fails its checks\. The site that is online was not changed\./),
  });
  expect([branches(), await ledger()]).toEqual([['preview'], 'none']);
  // What was never online does not count as published.
  expect(kindsInKv()).not.toContain('manifest');
  isServed = true;
  const { exit, output } = await akg('deploy');
  expect({ exit, output }).toMatchObject({ exit: 0, output: expect.stringMatching(/✓ lineage: "oil": all checks pass[\s\S]+Online: /) });
  expect(branches()).toEqual(['preview', 'preview', 'main']);
  expect(await ledger()).toContain('"capsule":"oil"');
  expect(kindsInKv()).toContain('manifest');
  const [namespace] = account.namespaces.values();
  expect(namespace?.keys.size).toBeGreaterThan(5);
  expect(account.unknown).toEqual([]);
});

it('names what is wrong with a site, and what mends it', async () => {
  const address = service?.baseUrl ?? '';
  const { exit, output } = await akg('doctor', address, '--json');
  const { checks } = JSON.parse(output) as { checks: { name: string; ok: boolean }[] };
  // Its documents name the address for which it was built, and no companion counts.
  expect({ exit, failed: failedOf(checks) }).toEqual({ exit: 1, failed: ['addresses', 'limits'] });
  await write({ 'other/dist/offers.json': JSON.stringify({ offers: [{ id: 'winter-service', price_usd: 91 }] }) });
  const built = { root: join(folder, 'other'), generation: '0'.repeat(64) };
  const found = await checkSite(address, { baseUrl: BASE_URL, built, nowMs: () => Date.now() + 3_600_000 });
  expect(failedOf(found)).toEqual(['clock', 'corpus', 'prices', 'limits']);
  const gone = `http://127.0.0.1:${await freePort()}`;
  expect(await checkSite(gone, { baseUrl: gone, nowMs: Date.now })).toEqual([
    { name: 'site', ok: false, detail: `${gone} cannot be reached`, mend: expect.stringContaining('npm run deploy') },
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
    await write({
      'wrangler.toml': (await settings())
        .replace(/"d[0-9a-f]{31}"/, `"${'0'.repeat(32)}"`)
        .replace(/"d[0-9a-f-]{35}"/, '"00000000-0000-0000-0000-000000000000"'),
    });
    expect((await akgAt(other, 'setup', '--yes')).exit).toBe(0);
    await rm(join(folder, 'content/published.jsonl'));
    expect(await akgAt(other, 'restore', '--from', 'saved.jsonl.gz')).toMatchObject({ exit: 0 });
    expect(await ledger()).toContain('"capsule":"oil"');
    const [copy] = other.databases.values();
    expect(rowsOf(copy?.database)).toEqual(rowsOf(state));
    const blocksOf = ({ namespaces }: CloudflareAccount): unknown[] => [...namespaces.values()].map(({ keys }) => [...keys].sort());
    expect(blocksOf(other)).toEqual(blocksOf(account));
    expect(await akgAt(other, 'restore', '--from', 'saved.jsonl.gz')).toMatchObject({
      exit: 1,
      output: expect.stringContaining('holds rows already'),
    });
    expect(await akgAt(other, 'restore', '--from', 'saved.jsonl.gz', '--resume')).toMatchObject({ exit: 0 });
    expect(rowsOf(copy?.database)).toEqual(rowsOf(state));
    const lines = gunzipSync(await readFile(join(folder, 'saved.jsonl.gz'))).toString('utf8');
    await writeFile(join(folder, 'altered.jsonl.gz'), gzipSync(lines.replace('DROP TABLE', 'drop table')));
    expect(await akgAt(other, 'restore', '--from', 'altered.jsonl.gz')).toMatchObject({
      exit: 1,
      output: expect.stringContaining('its digest does not match'),
    });
  } finally {
    await other.stop();
  }
});

/** Every row of a database but those of its migrations. */
function rowsOf(database: DatabaseSync | undefined): unknown[] {
  const tables =
    database
      ?.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'd1_migrations'")
      .all() ?? [];
  return tables.map(({ name }) => [name, database?.prepare(`SELECT * FROM "${String(name)}"`).all()]);
}

function failedOf(checks: readonly { readonly name: string; readonly ok: boolean }[]): string[] {
  return checks.flatMap(({ name, ok }) => (ok ? [] : [name]));
}

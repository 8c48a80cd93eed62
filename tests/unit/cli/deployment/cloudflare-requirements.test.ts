import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type Check, type Finding, hostAddress, inspectRequirements } from '../../../../src/cli/deployment/cloudflare-requirements.ts';
import { loadPublisher } from '../../../../src/publication/read-publisher.ts';
import { type CloudflareAccount, startCloudflareAccount, type WorkerScript } from '../../../support/cloudflare-api.ts';
import { temporaryFolder } from '../../publication/content-world.ts';

const DATABASE = 'd0000000-0000-4000-8000-000000000001';
const COMPANION = 'my-site-companion';
const COMMENT = `# [[services]]\n# binding = "LIMITER"\n# service = "${COMPANION}"\n`;
const SETTINGS = `name = "my-site"\n[[d1_databases]]\nbinding = "STATE"\ndatabase_id = "${DATABASE}"\n`;
let account: CloudflareAccount;
let folder: string;
let refused = '';
beforeAll(async () => {
  account = await startCloudflareAccount({ onRequest: (_, path) => (refused !== '' && path.includes(refused) ? 403 : undefined) });
  account.databases.set(DATABASE, { name: 'my-site', database: account.newDatabase() });
  for (const [name, value] of Object.entries(account.environment)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await account.stop();
});
beforeEach(async () => {
  folder = await temporaryFolder();
  await mkdir(join(folder, 'content'));
  account.projects.set('my-site', { secrets: new Map(), domains: new Map(), deployments: [] });
  account.workers.clear();
});

const worker = (...secrets: readonly string[]): WorkerScript => ({
  secrets: new Map(secrets.map((name) => [name, ''])),
  versions: [],
  files: [],
  online: 0,
  crons: [],
  subdomain: {},
});

type Settle = (requirement: Pick<Check, 'name'>, finding: Finding) => Promise<Finding>;

/** The checks by name. @param made Names of those that are made if they are missing. */
async function checked(
  settings: string,
  publisher: string,
  made: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Map<string, Check>> {
  await writeFile(join(folder, 'wrangler.toml'), settings);
  const address = publisher.includes('base_url') ? '' : 'base_url: https://docs.my-site.org\n';
  const base = 'name: My site\ncontact_email: ada@my-site.org\ncheckout_host: https://buy.stripe.com\n';
  await writeFile(join(folder, 'content/publisher.yaml'), base + address + publisher);
  const options = { root: folder, publisher: await loadPublisher(folder, {}), environment, today: '2026-11-29' };
  const make: Settle = async ({ name }, finding) => {
    if (!made.includes(name)) return finding;
    const does = finding.ok ? finding.offer?.make : finding.make;
    return does === undefined ? finding : does();
  };
  const checks = new Map<string, Check>();
  for await (const check of inspectRequirements(options, make)) checks.set(check.name, check);
  return checks;
}

it.each([
  ['workers', 'pages.dev'],
  ['pages', 'workers.dev'],
])('does not take a site with target %s for ready at an address below %s', async (target, host) => {
  const checks = await checked(SETTINGS, `base_url: https://my-site.${host}\ntarget: ${target}\n`);
  expect(checks.get('address')).toMatchObject({ ok: false, detail: expect.stringContaining(`no site with "target: ${target}" can be`) });
});

it('adds the domain to the project once, and says what its DNS needs until it works', async () => {
  expect((await checked(SETTINGS, '')).get('domain')).toMatchObject({ ok: false, mend: 'add docs.my-site.org to the project' });
  expect(account.projects.get('my-site')?.domains.size).toBe(0);
  const domains = account.projects.get('my-site')?.domains;
  for (const _ of ['added', 'waiting']) {
    const found = (await checked(SETTINGS, '', ['domain'])).get('domain');
    expect(found).toMatchObject({ ok: false, isOptional: true, mend: expect.stringContaining('lead to my-site.pages.dev by a CNAME') });
    expect([...(domains ?? [])]).toEqual([['docs.my-site.org', 'initializing']]);
  }
  expect(await hostAddress(folder, await loadPublisher(folder, {}))).toBe('https://my-site.pages.dev');
  domains?.set('docs.my-site.org', 'active');
  expect((await checked(SETTINGS, '')).get('domain')).toMatchObject({ ok: true, detail: 'docs.my-site.org' });
});

it('says without an account what a setup would make', async () => {
  refused = '/accounts';
  const checks = await checked(SETTINGS, '').finally(() => {
    refused = '';
  });
  expect(checks.get('database')).toMatchObject({
    detail: 'not checked, because the account comes first',
    mend: 'npm run setup creates it unless the account has it, and writes its id into wrangler.toml',
  });
});

it('goes on where the token may not do one thing, and says what it must be allowed', async () => {
  refused = '/pages/projects';
  const checks = await checked(SETTINGS, '').finally(() => {
    refused = '';
  });
  expect(checks.get('project')).toMatchObject({
    ok: false,
    mend: expect.stringMatching(/^set CLOUDFLARE_API_TOKEN .* may edit Cloudflare Pages/),
  });
  expect(checks.get('secret SIGNING_SECRETS')).toMatchObject({ detail: 'not checked, because the project comes first' });
  expect(checks.get('companion')).toMatchObject({ ok: false, detail: expect.stringContaining('none') });
});

it('names the Worker that a change back to Pages leaves with its schedule', async () => {
  const bound = `${SETTINGS}[[services]]\nbinding = "LIMITER"\nservice = "${COMPANION}"\n`;
  account.workers.set(COMPANION, worker()).set('my-site', worker());
  expect((await checked(bound, '')).get('companion')).toMatchObject({
    detail: expect.stringContaining('the Worker my-site, from before "target: pages"'),
    mend: expect.stringContaining('npx wrangler delete --name my-site --cwd /'),
  });
});

it('binds a companion that is there, and names one that wrangler.toml binds and nobody deployed', async () => {
  const bound = SETTINGS + COMMENT.replaceAll('# ', '');
  expect((await checked(bound, '')).get('companion')).toMatchObject({ ok: false, detail: expect.stringContaining('deploying fails') });
  account.workers.set(COMPANION, worker());
  expect((await checked(bound, '')).get('companion')).toMatchObject({ ok: true });
  for (const settings of [SETTINGS + COMMENT, SETTINGS]) {
    expect((await checked(settings, '', ['companion'])).get('companion')).toMatchObject({ ok: true });
    expect(await readFile(join(folder, 'wrangler.toml'), 'utf8')).toContain(COMMENT.replaceAll('# ', ''));
    expect(await readFile(join(folder, 'wrangler.toml'), 'utf8')).not.toContain('# [[services]]');
  }
});

it('makes no other signing secret for a site that moves from Pages to a Worker, unless a person wants one', async () => {
  const name = 'secret SIGNING_SECRETS';
  const before = ['SIGNING_SECRETS', 'PAYMENT_RPC_URL'].map((secret) => [secret, ''] as const);
  account.projects.set('my-site', { secrets: new Map(before), domains: new Map(), deployments: [] });
  const moved = worker();
  account.workers.set('my-site', moved).set(COMPANION, worker());
  const checks = await checked(SETTINGS, 'target: workers\n', [name]);
  expect(checks.get(name)).toMatchObject({
    ok: false,
    detail: expect.stringMatching(/the Pages project has SIGNING_SECRETS, PAYMENT_RPC_URL, .* API keys, passes .* stop working/),
    mend: expect.stringContaining('npx wrangler secret put <name> --name my-site --cwd /'),
    offer: expect.objectContaining({ question: expect.stringContaining('Make another') }),
  });
  expect(checks.get('companion')).toMatchObject({ mend: expect.stringContaining(`npx wrangler delete --name ${COMPANION} --cwd /`) });
  expect(moved.secrets.size).toBe(0);
  const given = async (SIGNING_SECRETS: string): Promise<Check | undefined> =>
    (await checked(SETTINGS, 'target: workers\n', [name], { SIGNING_SECRETS })).get(name);
  expect(await given('1:short')).toMatchObject({ ok: false, detail: expect.stringContaining('cannot be used') });
  const kept = `1:${randomBytes(32).toString('base64url')}`;
  // A preview was uploaded and is not online.
  moved.versions.push({ metadata: {}, modules: [] }, { metadata: {}, modules: [] });
  await expect(given(kept)).rejects.toThrow('newest version of the Worker is a preview: run "npm run deploy" first');
  moved.online = 2;
  expect(await given(kept)).toMatchObject({ ok: true });
  expect([...moved.secrets]).toEqual([['SIGNING_SECRETS', kept]]);
  expect((await checks.get(name)?.offer?.make())?.detail).toContain('is set');
  expect(moved.secrets.get('SIGNING_SECRETS')).not.toBe(kept);
});

it('offers the Analytics Engine, and says where counts are', async () => {
  expect((await checked(SETTINGS, '')).get('counts')).toMatchObject({ ok: true, detail: expect.stringContaining('in the database') });
  expect((await checked(SETTINGS, '', ['counts'])).get('counts')).toMatchObject({ ok: true, detail: expect.stringContaining('my_site') });
  const settings = await readFile(join(folder, 'wrangler.toml'), 'utf8');
  expect(settings).toContain('[[analytics_engine_datasets]]\nbinding = "ANALYTICS"\ndataset = "my_site"');
  expect((await checked(settings, '')).get('counts')).toMatchObject({ detail: expect.stringContaining('dataset my_site') });
  expect((await checked(SETTINGS, 'insights: off\n')).has('counts')).toBe(false);
});

it('checks who sends notifications, and their secret', async () => {
  const notify = 'notify:\n  webhook: https://hooks.my-site.org/notices\n  mail: { to: desk@my-site.org, from: notices@my-site.org }\n';
  const bound = SETTINGS + COMMENT.replaceAll('# ', '');
  const notices = async (settings: string, publisher: string): Promise<Check | undefined> =>
    (await checked(settings, publisher)).get('notices');
  expect(await notices(bound, '')).toBeUndefined();
  expect(await notices(SETTINGS, notify)).toMatchObject({
    ok: false,
    detail: 'no companion sends them to hooks.my-site.org and desk@my-site.org',
    mend: 'npm run deploy:companion',
  });
  for (const deployed of [undefined, worker()]) {
    if (deployed !== undefined) account.workers.set(COMPANION, deployed);
    expect(await notices(bound, notify)).toMatchObject({
      ok: false,
      mend: expect.stringContaining(`npx wrangler secret put NOTIFY_SECRET --name ${COMPANION} --cwd /`),
    });
  }
  // Mail needs no secret.
  expect(await notices(bound, notify.replace(/ {2}webhook.*\n/, ''))).toMatchObject({ ok: true });
  account.workers.set(COMPANION, worker('NOTIFY_SECRET'));
  expect(await notices(bound, notify)).toMatchObject({ ok: true, detail: 'go to hooks.my-site.org and desk@my-site.org' });
});

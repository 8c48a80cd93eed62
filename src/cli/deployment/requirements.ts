import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { styleText } from 'node:util';
import * as z from 'zod';
import {
  type Account,
  type CloudflareApi,
  CloudflareError,
  chooseAccount,
  chosenAccount,
  cloudflareApi,
  NO_ACCOUNT,
} from '../../build/cloudflare-api.ts';
import { remoteDatabase } from '../../build/local/database.ts';
import { runInTerminal, runWrangler, wranglerProgram } from '../../build/run-process.ts';
import { UserError } from '../../build/user-error.ts';
import { addBinding, readWranglerSettings, writeStoreId } from '../../build/wrangler-settings.ts';
import { appliedMigrations } from '../../platform/d1/database.ts';
import { readKeys } from '../../publication/read/read-keys.ts';
import { FREE_PLAN } from '../../schemas/limits.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { deployCompanion } from '../commands/deploy-companion.ts';

/** What a check found. `mend` is what a person does about it; `make` does it, and says what it did. An `offer` is an alternative. */
export type Finding =
  | { readonly ok: true; readonly detail: string; readonly offer?: { readonly question: string; readonly make: () => Promise<string> } }
  | { readonly ok: false; readonly detail: string; readonly mend: string; readonly make?: () => Promise<string> };

/** A check by its name. The site works without what is optional. */
export type Check = Finding & { readonly name: string; readonly isOptional?: true };

/** A check in two lines at most: a mark, its name and what was found; what mends it. */
export function describeCheck(check: Check): string {
  const mark = check.ok ? styleText('green', '✓') : check.isOptional ? styleText('yellow', '○') : styleText('red', '✗');
  const line = `${mark} ${check.name}: ${check.detail}`;
  return check.ok ? line : `${line}\n    → ${check.mend}`;
}

/** Something that a deployment with functions needs at Cloudflare. */
interface Requirement extends Pick<Check, 'name' | 'isOptional'> {
  /** Names of the requirements without which this one cannot be inspected. */
  readonly needs?: readonly string[];
  readonly inspect: () => Promise<Finding>;
}

interface RequirementOptions {
  readonly root: string;
  readonly publisher: Publisher;
  /** Variables that may hold secrets of the payment processor, and the signing key. */
  readonly environment: NodeJS.ProcessEnv;
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * Inspects what a deployment needs at Cloudflare, one requirement after another, each before those that need it, with the
 * credentials of `wrangler login` or of `CLOUDFLARE_API_TOKEN`.
 *
 * @param settle What becomes of a finding before the next requirement is inspected: a setup makes what is missing.
 */
export async function* inspectRequirements(
  options: RequirementOptions,
  settle: (requirement: Pick<Check, 'name'>, finding: Finding) => Promise<Finding> = async (_, finding) => finding,
): AsyncGenerator<Check> {
  const missing = new Set<string>();
  for (const { name, isOptional, needs = [], inspect } of requirementsOf(options)) {
    const needed = needs.find((one) => missing.has(one));
    const finding: Finding =
      needed === undefined
        ? await settle({ name }, await inspect())
        : { ok: false, detail: `not checked, because the ${needed} comes first`, mend: 'npm run setup' };
    if (!finding.ok) missing.add(name);
    yield { name, ...(isOptional && { isOptional }), ...finding };
  }
}

interface Inspection extends RequirementOptions {
  readonly api: CloudflareApi;
  readonly host: Host;
}

function requirementsOf(given: RequirementOptions): Requirement[] {
  const api = cloudflareApi(given.root);
  const options: Inspection = { ...given, api, host: hostOf(given.root, given.publisher, api) };
  const { publisher, environment } = options;
  const { acp, ucp, processor } = publisher.commerce;
  const secret = (name: string, value: string | undefined, isOptional?: true): Requirement => ({
    name: `secret ${name}`,
    ...(isOptional && { isOptional }),
    needs: ['project'],
    inspect: () => inspectSecret(options, name, value),
  });
  const ofStripe = (name: string, isOptional?: true): Requirement => secret(name, environment[name], isOptional);
  return [
    { name: 'address', inspect: () => inspectAddress(options) },
    { name: 'page views', inspect: async () => ({ ok: true, detail: pageViews(options) }) },
    { name: 'account', inspect: () => inspectAccount(options) },
    ...(publisher.storage === 'kv' ? [{ name: 'KV namespace', needs: ['account'], inspect: () => inspectNamespace(options) }] : []),
    { name: 'database', needs: ['account'], inspect: () => inspectDatabase(options) },
    { name: 'tables', needs: ['database'], inspect: () => inspectTables(options) },
    // Stores that the account lacks may mean that it is the wrong one.
    { name: 'project', needs: ['database'], inspect: () => inspectProject(options) },
    { name: 'domain', isOptional: true, needs: ['address', 'project'], inspect: () => inspectDomain(options) },
    secret('SIGNING_SECRETS', `1:${randomBytes(32).toString('base64url')}`),
    ...(processor === 'stripe' || publisher.payments?.stripe_profile ? [ofStripe('STRIPE_SECRET_KEY')] : []),
    ...(processor === 'stripe' ? [ofStripe('STRIPE_WEBHOOK_SECRETS')] : []),
    adminSecret(options),
    // Stripe reports here what is paid by a payment link; without it, sessions of agents are not completed.
    ...(processor === 'links' && (acp || ucp) ? [ofStripe('STRIPE_WEBHOOK_SECRETS', true)] : []),
    { name: 'companion', isOptional: true, needs: ['database'], inspect: () => inspectCompanion(options) },
    ...(publisher.notify === undefined ? [] : [{ name: 'notices', inspect: () => inspectNotices(options) }]),
    ...(publisher.insights === 'off' ? [] : [{ name: 'counts', inspect: () => inspectCounts(options) }]),
    { name: 'signing key', isOptional: true, inspect: () => inspectSigningKey(options) },
  ];
}

function lacks(detail: string, mend: string, make?: () => Promise<string>): Finding {
  return { ok: false, detail, mend, ...(make && { make }) };
}

async function inspectAddress({ root, publisher: { base_url, target } }: RequirementOptions): Promise<Finding> {
  const { project } = await readWranglerSettings(root);
  const { hostname } = new URL(base_url);
  // Reserved names, at which nothing can answer (RFC 2606, RFC 6761).
  const isReserved = /(^|\.)(example|test|invalid|localhost)$|^127\./.test(hostname);
  const isOfOtherTarget = hostname.endsWith(target === 'pages' ? '.workers.dev' : '.pages.dev');
  if (!isReserved && !isOfOtherTarget) return { ok: true, detail: base_url };
  return lacks(
    `base_url of content/publisher.yaml is ${base_url}, at which ${isReserved ? 'no site' : `no site with "target: ${target}"`} can be`,
    `set base_url to your own domain, or to https://${project}.${target === 'pages' ? 'pages.dev' : '<subdomain of your account>.workers.dev'}`,
  );
}

/** What a view of a page costs (developers.cloudflare.com/pages/functions/pricing). */
function pageViews({ publisher: { markdown_negotiation: negotiates } }: RequirementOptions): string {
  return negotiates
    ? `each is a function request, of ${FREE_PLAN.requestsADay.toLocaleString('en')} a day on the free plan; "markdown_negotiation: false" in publisher.yaml leaves pages to the file server`
    : 'the file server answers pages that are files, which costs nothing';
}

async function inspectAccount({ root, environment, api }: Inspection): Promise<Finding> {
  const signedOut = {
    ok: false,
    ...NO_ACCOUNT,
    // In a browser, which a pipeline does not have.
    ...(process.stdin.isTTY && {
      make: async () => {
        await runInTerminal(root, [process.execPath, await wranglerProgram(), 'login']);
        const [account] = await api.accounts();
        return account === undefined ? 'no account' : `${account.name} (${account.id})`;
      },
    }),
  } as const;
  let accounts: readonly Account[];
  try {
    accounts = await api.accounts();
  } catch (error) {
    const { status, message } = error instanceof CloudflareError ? error : { status: 401, message: '' };
    if (status === 0) return lacks(message, 'check the network of this machine');
    if (status >= 500) return lacks('Cloudflare answers with an error of its own', 'try again later: https://www.cloudflarestatus.com');
    if (environment['CLOUDFLARE_API_TOKEN'] === undefined) return signedOut;
    return lacks(
      'Cloudflare does not accept the token in CLOUDFLARE_API_TOKEN',
      'make one in the dashboard, under My Profile, API Tokens, that may edit Cloudflare Pages, Workers Scripts, Workers KV Storage and D1, and read Account Settings',
    );
  }
  if (accounts.length === 0) return signedOut;
  const account = chooseAccount(accounts, await chosenAccount(root));
  if (!('id' in account)) return lacks(account.detail, account.mend);
  return { ok: true, detail: `${account.name} (${account.id})` };
}

interface StoreKind {
  /** The id that wrangler.toml has. */
  readonly id: string | undefined;
  readonly name: string;
  /** Where the account lists these stores, and creates one. */
  readonly path: string;
  readonly Store: z.ZodType<{ readonly id: string; readonly name: string }>;
  /** Member that names a store when it is created. */
  readonly nameMember: 'name' | 'title';
}

/** Looks a store up by the id of wrangler.toml; without one, by its name: an existing store is adopted, else one is created. */
async function inspectStore(
  store: 'namespace' | 'database',
  { root, api }: Inspection,
  { id, name, path, Store, nameMember }: StoreKind,
): Promise<Finding> {
  const stores = z.array(Store).parse(await api.list(path));
  const present = stores.find((one) => (id === undefined ? one.name === name : one.id === id));
  if (id !== undefined)
    return present === undefined
      ? lacks(
          `wrangler.toml has the id ${id}, which the account does not have`,
          'sign in to the account that has it, or replace the id by zeros and run "npm run setup"',
        )
      : { ok: true, detail: `${present.name} (${id})` };
  return lacks(
    present === undefined ? 'there is none yet' : `wrangler.toml lacks the id of ${name}`,
    present === undefined ? `create ${name}, and write its id into wrangler.toml` : `write the id of ${name} into wrangler.toml`,
    async () => {
      const made = present ?? Store.parse(await api.request(path, { method: 'POST', body: { [nameMember]: name } }));
      await writeStoreId(root, store, made.id);
      return `${name} (${made.id}), in wrangler.toml`;
    },
  );
}

async function inspectNamespace(options: Inspection): Promise<Finding> {
  const { namespaceId: id, project } = await readWranglerSettings(options.root);
  const Store = z.object({ id: z.string(), title: z.string() }).transform(({ id, title }) => ({ id, name: title }));
  return inspectStore('namespace', options, {
    id,
    name: `${project}-capsules`,
    path: '/storage/kv/namespaces',
    Store,
    nameMember: 'title',
  });
}

async function inspectDatabase(options: Inspection): Promise<Finding> {
  const { databaseId: id, databaseName, project } = await readWranglerSettings(options.root);
  const Store = z.object({ uuid: z.string(), name: z.string() }).transform(({ uuid, name }) => ({ id: uuid, name }));
  return inspectStore('database', options, { id, name: databaseName ?? project, path: '/d1/database', Store, nameMember: 'name' });
}

async function inspectTables({ root, api }: Inspection): Promise<Finding> {
  const { migrationsFolder, databaseId } = await readWranglerSettings(root);
  const migrations = (await readdir(join(root, migrationsFolder)).catch((): string[] => [])).filter((name) => name.endsWith('.sql'));
  if (migrations.length === 0)
    return lacks(`${migrationsFolder} has no migrations`, 'set migrations_dir in wrangler.toml as "npm run init" writes it');
  const applied = await appliedMigrations(remoteDatabase(root));
  const due = migrations.filter((name) => !applied.includes(name));
  if (due.length === 0) return { ok: true, detail: `${applied.length} migrations are applied` };
  return lacks(
    `${due.length} of ${migrations.length} migrations are not applied`,
    'npx wrangler d1 migrations apply STATE --remote',
    async () => {
      // A new database has no state to go back to.
      const undo = applied.length === 0 ? '' : `. ${undoCommand(await api.request(`/d1/database/${databaseId}/time_travel/bookmark`))}`;
      await runWrangler(root, ['d1', 'migrations', 'apply', 'STATE', '--remote']).catch(({ message }: Error) => {
        throw new UserError(`${message.trim()}\nThe migration that failed changed nothing; those before it are applied${undo}`);
      });
      return `${due.length} ${due.length === 1 ? 'migration' : 'migrations'} applied${undo}`;
    },
  );
}

/** What runs the site at Cloudflare: a Pages project or a Worker. Both have the name of wrangler.toml. */
interface Host {
  readonly kind: string;
  /** The address at Cloudflare, such as `my-site.pages.dev`, and the names of the secrets; `undefined` before it was created. */
  readonly find: () => Promise<{ readonly address: string; readonly secrets: readonly string[] } | undefined>;
  readonly inspectDomain: (hostname: string, address: string) => Promise<Finding>;
  readonly create: (name: string) => Promise<unknown>;
  readonly setSecret: (name: string, value: string) => Promise<unknown>;
  /** The command of wrangler that does the same. */
  readonly secretCommand: string;
}

/** How to go back to a state of the database (developers.cloudflare.com/d1/reference/time-travel), for 30 days, or 7 on the free plan. */
function undoCommand(found: unknown): string {
  const { bookmark } = z.object({ bookmark: z.string() }).parse(found);
  return `To go back to the state before, which loses what was written since: npx wrangler d1 time-travel restore STATE --bookmark=${bookmark}`;
}

const Project = z.object({
  /** Host of the project at Cloudflare, such as `my-site.pages.dev`. */
  subdomain: z.string(),
  deployment_configs: z.object({
    production: z.looseObject({ env_vars: z.record(z.string(), z.unknown()).nullish(), wrangler_config_hash: z.unknown().optional() }),
  }),
});

const Domain = z.object({ name: z.string(), status: z.string() });

/** Code of Cloudflare for a Pages project that does not exist. */
const NO_PROJECT = 8_000_007;

function hostOf(root: string, { target }: Publisher, api: CloudflareApi): Host {
  return target === 'workers' ? workerHost(root, api) : pagesHost(root, api);
}

function pagesHost(root: string, api: CloudflareApi): Host {
  const nameOf = async (): Promise<string> => (await readWranglerSettings(root)).project;
  const read = async (): Promise<z.infer<typeof Project> | undefined> => {
    try {
      return Project.parse(await api.request(`/pages/projects/${await nameOf()}`));
    } catch (error) {
      if (error instanceof CloudflareError && (error.status === 404 || error.codes.includes(NO_PROJECT))) return undefined;
      throw error;
    }
  };
  return {
    kind: 'Pages project',
    secretCommand: 'npx wrangler pages secret put',
    find: async () => {
      const found = await read();
      return found && { address: found.subdomain, secrets: Object.keys(found.deployment_configs.production.env_vars ?? {}) };
    },
    inspectDomain: async (hostname, address) => {
      const project = await nameOf();
      const path = `/pages/projects/${project}/domains`;
      const status = z
        .array(Domain)
        .parse(await api.list(path))
        .find(({ name }) => name === hostname)?.status;
      const record = `where the DNS of the domain is, let ${hostname} lead to ${address} by a CNAME record`;
      if (status === 'active') return { ok: true, detail: hostname };
      if (status !== undefined)
        return lacks(`${hostname} is added to the project ${project}, and ${status}`, `${record}, and wait some minutes`);
      return lacks(`${hostname} does not lead to the project ${project}`, `add ${hostname} to the project`, async () => {
        await api.request(path, { method: 'POST', body: { name: hostname } });
        return `${hostname} is added; ${record}`;
      });
    },
    create: (name) => api.request('/pages/projects', { method: 'POST', body: { name, production_branch: 'main' } }),
    setSecret: async (name, value) => {
      // The hash says that wrangler.toml has the other settings of the project, as "wrangler pages secret put" keeps it.
      const changed = {
        env_vars: { [name]: { type: 'secret_text', value } },
        wrangler_config_hash: (await read())?.deployment_configs.production.wrangler_config_hash,
      };
      return api.request(`/pages/projects/${await nameOf()}`, { method: 'PATCH', body: { deployment_configs: { production: changed } } });
    },
  };
}

/** Answers until the first deployment: secrets and previews need a Worker that is there. */
const PLACEHOLDER = "export default { fetch: () => new Response('Not deployed yet', { status: 503 }) };\n";

/** The requests are those of developers.cloudflare.com/api/resources/workers. */
function workerHost(root: string, api: CloudflareApi): Host {
  const scriptPath = async (): Promise<string> => `/workers/scripts/${(await readWranglerSettings(root)).project}`;
  return {
    kind: 'Worker',
    secretCommand: 'npx wrangler secret put',
    find: async () => {
      const { project } = await readWranglerSettings(root);
      const scripts = z.array(z.object({ id: z.string() })).parse(await api.list('/workers/scripts'));
      if (!scripts.some(({ id }) => id === project)) return undefined;
      const { subdomain } = z.object({ subdomain: z.string() }).parse(await api.request('/workers/subdomain'));
      return { address: `${project}.${subdomain}.workers.dev`, secrets: await workerSecrets(api, project) };
    },
    inspectDomain: async (hostname) => {
      const { project } = await readWranglerSettings(root);
      const domains = z.array(z.object({ hostname: z.string(), service: z.string() })).parse(await api.list('/workers/domains'));
      if (domains.some((domain) => domain.hostname === hostname && domain.service === project)) return { ok: true, detail: hostname };
      const place = `Workers & Pages, ${project}, Settings, Domains & Routes`;
      return lacks(`${hostname} does not lead to the Worker ${project}`, `add ${hostname} in the dashboard of Cloudflare: ${place}`);
    },
    create: async (name) => {
      const form = new FormData();
      form.set('metadata', JSON.stringify({ main_module: 'index.js' }));
      form.set('index.js', new File([PLACEHOLDER], 'index.js', { type: 'application/javascript+module' }));
      await api.request(`/workers/scripts/${name}`, { method: 'PUT', body: form });
      return api.request(`/workers/scripts/${name}/subdomain`, { method: 'POST', body: { enabled: true, previews_enabled: true } });
    },
    setSecret: async (name, text) =>
      api.request(`${await scriptPath()}/secrets`, { method: 'PUT', body: { name, text, type: 'secret_text' } }),
  };
}

/** Names of the secrets of a Worker. */
async function workerSecrets(api: CloudflareApi, name: string): Promise<string[]> {
  return z
    .array(z.object({ name: z.string() }))
    .parse(await api.list(`/workers/scripts/${name}/secrets`))
    .map((secret) => secret.name);
}

async function inspectProject({ root, host }: Inspection): Promise<Finding> {
  const { project } = await readWranglerSettings(root);
  const describe = async (): Promise<string | undefined> => {
    const found = await host.find();
    return found && `${project} (${found.address})`;
  };
  const detail = await describe();
  if (detail !== undefined) return { ok: true, detail };
  return lacks(`the account has no ${host.kind} ${project}`, 'create it (npm run setup)', async () => {
    await host.create(project);
    return (await describe()) ?? project;
  });
}

async function inspectDomain({ host, publisher: { base_url } }: Inspection): Promise<Finding> {
  const { hostname } = new URL(base_url);
  const address = (await host.find())?.address ?? '';
  return hostname === address ? { ok: true, detail: hostname } : host.inspectDomain(hostname, address);
}

/** Where the site is before its domain leads to it. */
export async function hostAddress(root: string, publisher: Publisher): Promise<string | undefined> {
  const found = await hostOf(root, publisher, cloudflareApi(root)).find();
  return found && `https://${found.address}`;
}

/** The secret of the dashboard. A random one is shown once: only a person at a terminal may see it. */
function adminSecret(options: Inspection): Requirement {
  const name = 'ADMIN_SECRET';
  const given = options.environment[name];
  const made = process.stdout.isTTY ? randomBytes(32).toString('base64url') : undefined;
  const inspect = async (): Promise<Finding> => {
    const finding = await inspectSecret(options, name, given ?? made);
    if (finding.ok || finding.make === undefined || given !== undefined) return finding;
    const { make } = finding;
    return { ...finding, make: async () => `${await make()}. Keep it in a password manager, it is not shown again: ${made}` };
  };
  return { name: `secret ${name}`, isOptional: true, needs: ['project'], inspect };
}

async function inspectSecret({ host }: Inspection, name: string, value: string | undefined): Promise<Finding> {
  if ((await host.find())?.secrets.includes(name)) return { ok: true, detail: 'is set' };
  const command = `${host.secretCommand} ${name}`;
  if (value === undefined) return lacks('is not set', `${command}, or run "npm run setup" with the variable ${name}`);
  return lacks('is not set', command, async () => {
    await host.setSecret(name, value.trimEnd());
    return 'is set; the next deployment has it';
  });
}

async function inspectCompanion({ root, api, publisher: { target } }: Inspection): Promise<Finding> {
  if (target === 'workers') return { ok: true, detail: 'its work is a part of the Worker' };
  const { companion, isCompanionBound } = await readWranglerSettings(root);
  // A token that may not look at Workers knows nothing of it.
  const isMissing = await api.request(`/workers/scripts/${companion}/secrets`).then(
    () => false,
    (error: unknown) => error instanceof CloudflareError && error.status === 404,
  );
  if (isCompanionBound && !isMissing) return { ok: true, detail: `${companion} is bound` };
  const without = 'none: every isolate counts limits for itself, and nothing is done on a schedule';
  const detail = isCompanionBound ? `wrangler.toml binds ${companion}, which the account does not have, so that deploying fails` : without;
  return lacks(detail, `deploy the Worker ${companion} (npm run deploy:companion), and bind it in wrangler.toml`, async () => {
    if (isMissing) await deployCompanion(root, { dryRun: false, baseUrl: process.env['BASE_URL'], report: () => undefined });
    if (!isCompanionBound) await addBinding(root, 'services', companion);
    return `${companion} is bound; the next deployment uses it`;
  });
}

async function inspectCounts({ root }: RequirementOptions): Promise<Finding> {
  const { dataset, project } = await readWranglerSettings(root);
  if (dataset !== undefined) return { ok: true, detail: `what is asked is counted in the dataset ${dataset} of the Analytics Engine` };
  const question = 'Count in the Analytics Engine instead, which must be enabled in the dashboard of Cloudflare, for much traffic?';
  const make = async (): Promise<string> => {
    const name = project.replace(/\W/g, '_');
    await addBinding(root, 'analytics_engine_datasets', name);
    return `the dataset ${name} is bound; the next deployment counts there`;
  };
  return { ok: true, detail: 'what is asked is counted in the database', offer: { question, make } };
}

/** The companion tells the publisher what happens. */
async function inspectNotices({ root, api, publisher: { notify, target } }: Inspection): Promise<Finding> {
  const { project, companion, isCompanionBound } = await readWranglerSettings(root);
  const sender = target === 'workers' ? project : companion;
  const receivers = [...(notify?.webhook ? [new URL(notify.webhook).host] : []), ...(notify?.mail ? [notify.mail.to] : [])];
  if (target === 'pages' && !isCompanionBound)
    return { ok: false, detail: `no companion sends them to ${receivers.join(' and ')}`, mend: 'npm run deploy:companion' };
  const secrets = notify?.webhook === undefined ? undefined : await workerSecrets(api, sender).catch(() => []);
  if (secrets === undefined || secrets.includes('NOTIFY_SECRET')) return { ok: true, detail: `go to ${receivers.join(' and ')}` };
  return {
    ok: false,
    detail: `${sender} lacks the secret NOTIFY_SECRET, so no webhook is sent`,
    mend: `npx wrangler secret put NOTIFY_SECRET --name ${sender}, with whsec_ and the output of "openssl rand -base64 32"`,
  };
}

async function inspectSigningKey({ root, environment, today }: RequirementOptions): Promise<Finding> {
  const active = (await readKeys(root, today, [])).filter(({ retired }) => retired === undefined);
  if (active.length === 0) return lacks('none: what you publish is not signed', 'npm run keys:new');
  if (environment['LINEAGE_KEY'] !== undefined) return { ok: true, detail: `${active.at(-1)?.kid}, in LINEAGE_KEY` };
  return lacks(
    `content/keys.yaml has ${active.at(-1)?.kid}, but LINEAGE_KEY is not set here, so that builds fail`,
    'set LINEAGE_KEY to the private half where you build',
  );
}

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
import { remoteDatabase } from '../../build/local/d1-connections.ts';
import { runInTerminal, runWrangler, wranglerProgram } from '../../build/run-process.ts';
import { addBinding, expectFunctions, readWranglerSettings, writeStoreId } from '../../build/wrangler-settings.ts';
import { appliedMigrations } from '../../platform/d1/database.ts';
import { readSigningSecrets } from '../../platform/environment.ts';
import { UserError } from '../../publication/content-problem.ts';
import { readKeys } from '../../publication/read/read-keys.ts';
import { FREE_PLAN } from '../../schemas/limits.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { deployCompanion } from '../commands/deploy-companion.ts';
import { type Host, hasWorker, hostsOf, workerCommand, workerSecrets } from './pages-or-workers.ts';

/** What a check found. `mend` is what a person does about it; `make` does it, and finds what is there then. Only a person at a terminal takes an `offer`. */
export type Finding = (
  | { readonly ok: true; readonly detail: string }
  | { readonly ok: false; readonly detail: string; readonly mend: string; readonly make?: () => Promise<Finding> }
) & { readonly offer?: { readonly question: string; readonly make: () => Promise<Finding> } };

/** A check by its name. The site works without what is optional. */
export type Check = Finding & { readonly name: string; readonly isOptional?: true };

/** A check in two lines at most: a mark, its name and what was found; what mends it. */
export function describeCheck(check: Check): string {
  const mark = check.ok ? styleText('green', '✓') : check.isOptional ? styleText('yellow', '○') : styleText('red', '✗');
  const line = `${mark} ${check.name}: ${check.detail}`;
  return check.ok ? line : `${line}\n    → ${check.mend}`;
}

interface Requirement extends Pick<Check, 'name' | 'isOptional'> {
  /** Names of the requirements without which this one cannot be inspected. */
  readonly needs?: readonly string[];
  /** What "npm run setup" does about it once these are there. */
  readonly plan?: string;
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
 * Inspects what a deployment needs at Cloudflare, each requirement before those that need it.
 *
 * @param settle What becomes of a finding before the next requirement is inspected: a setup makes what is missing.
 */
export async function* inspectRequirements(
  options: RequirementOptions,
  settle: (requirement: Pick<Check, 'name'>, finding: Finding) => Promise<Finding> = async (_, finding) => finding,
): AsyncGenerator<Check> {
  expectFunctions(options.root);
  const missing = new Set<string>();
  for (const { name, isOptional, needs = [], plan = '', inspect } of requirementsOf(options)) {
    const needed = needs.find((one) => missing.has(one));
    const finding: Finding =
      needed === undefined
        ? await settle({ name }, await inspect().catch(refusedBy))
        : { ok: false, detail: `not checked, because the ${needed} comes first`, mend: `npm run setup ${plan}`.trimEnd() };
    if (!finding.ok) missing.add(name);
    yield { name, ...(isOptional && { isOptional }), ...finding };
  }
}

interface Inspection extends RequirementOptions {
  readonly api: CloudflareApi;
  readonly host: Host;
  /** Where the site was before its `target` changed, if it was anywhere. */
  readonly former: Host;
}

function requirementsOf(given: RequirementOptions): Requirement[] {
  const api = cloudflareApi(given.root);
  const [host, former] = hostsOf(given.root, given.publisher, api);
  const options: Inspection = { ...given, api, host, former };
  const { publisher, environment } = options;
  const { acp, ucp, processor } = publisher.commerce;
  const ofStripe = (name: string, isOptional?: true): Requirement => ({
    name: `secret ${name}`,
    ...(isOptional && { isOptional }),
    needs: ['project'],
    plan: `sets it to the value of the variable ${name}`,
    inspect: () => inspectSecret(options, name, environment[name]),
  });
  const store = { needs: ['account'], plan: 'creates it unless the account has it, and writes its id into wrangler.toml' };
  const made = { needs: ['project'], plan: 'makes a random one, and shows it once in a terminal' };
  return [
    { name: 'address', inspect: () => inspectAddress(options) },
    { name: 'page views', inspect: async () => has(pageViews(options)) },
    { name: 'account', inspect: () => inspectAccount(options) },
    ...(publisher.storage === 'kv' ? [{ name: 'KV namespace', ...store, inspect: () => inspectStore('namespace', options) }] : []),
    { name: 'database', ...store, inspect: () => inspectStore('database', options) },
    { name: 'tables', needs: ['database'], plan: 'applies the migrations', inspect: () => inspectTables(options) },
    // Stores that the account lacks may mean that it is the wrong one.
    { name: 'project', needs: ['database'], plan: `creates the ${host.kind}`, inspect: () => inspectProject(options) },
    {
      name: 'domain',
      isOptional: true,
      needs: ['address', 'project'],
      plan: `${host.addDomain === undefined ? 'says where to add' : 'adds'} the domain of base_url`,
      inspect: () => inspectDomain(options),
    },
    { name: 'secret SIGNING_SECRETS', ...made, inspect: () => inspectSigningSecrets(options) },
    ...(processor === 'stripe' || publisher.payments?.stripe_profile ? [ofStripe('STRIPE_SECRET_KEY')] : []),
    ...(processor === 'stripe' ? [ofStripe('STRIPE_WEBHOOK_SECRETS')] : []),
    { name: 'secret ADMIN_SECRET', isOptional: true, ...made, inspect: () => inspectRandomSecret(options, 'ADMIN_SECRET') },
    // Stripe reports here what is paid by a payment link; without it, sessions of agents are not completed.
    ...(processor === 'links' && (acp || ucp) ? [ofStripe('STRIPE_WEBHOOK_SECRETS', true)] : []),
    {
      name: 'companion',
      isOptional: true,
      needs: ['database'],
      plan: publisher.target === 'workers' ? '' : 'deploys the companion, a second Worker, and binds it in wrangler.toml',
      inspect: () => inspectCompanion(options),
    },
    ...(publisher.notify === undefined ? [] : [{ name: 'notices', inspect: () => inspectNotices(options) }]),
    ...(publisher.insights === 'off' ? [] : [{ name: 'counts', inspect: () => inspectCounts(options) }]),
    { name: 'signing key', isOptional: true, inspect: () => inspectSigningKey(options) },
  ];
}

function lacks(detail: string, mend: string, make?: () => Promise<Finding>): Finding {
  return { ok: false, detail, mend, ...(make && { make }) };
}

function has(detail: string): Finding {
  return { ok: true, detail };
}

async function inspectAddress({ root, publisher: { base_url, target } }: RequirementOptions): Promise<Finding> {
  const { project } = await readWranglerSettings(root);
  const { hostname } = new URL(base_url);
  // Reserved names, at which nothing can answer (RFC 2606, RFC 6761).
  const isReserved = /(^|\.)(example|test|invalid|localhost)$|^127\./.test(hostname);
  const isOfOtherTarget = hostname.endsWith(target === 'pages' ? '.workers.dev' : '.pages.dev');
  if (!isReserved && !isOfOtherTarget) return has(base_url);
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

const TOKEN_MEND =
  'set CLOUDFLARE_API_TOKEN to a token (dashboard, My Profile, API Tokens) that may edit Cloudflare Pages, Workers Scripts, Workers KV Storage and D1, and read Account Settings';

function refusedBy(error: unknown): Finding {
  if (!(error instanceof CloudflareError)) throw error;
  const { status, message } = error;
  if (status === 0) return lacks(message, 'check the network of this machine');
  return lacks(message, status < 500 ? TOKEN_MEND : 'try again later: https://www.cloudflarestatus.com');
}

async function inspectAccount({ root, environment, api }: Inspection): Promise<Finding> {
  const signIn = async (): Promise<Finding> => {
    await runInTerminal(root, [process.execPath, await wranglerProgram(), 'login']);
    const [account] = await api.accounts();
    return account === undefined ? signedOut : has(`${account.name} (${account.id})`);
  };
  // In a browser, which a pipeline does not have.
  const signedOut = lacks(NO_ACCOUNT.detail, NO_ACCOUNT.mend, process.stdin.isTTY ? signIn : undefined);
  let accounts: readonly Account[];
  try {
    accounts = await api.accounts();
  } catch (error) {
    if (error instanceof CloudflareError && (error.status === 0 || error.status >= 500)) return refusedBy(error);
    if (environment['CLOUDFLARE_API_TOKEN'] === undefined) return signedOut;
    return lacks('Cloudflare does not accept the token in CLOUDFLARE_API_TOKEN', TOKEN_MEND);
  }
  if (accounts.length === 0) return signedOut;
  const account = chooseAccount(accounts, await chosenAccount(root));
  if (!('id' in account)) return lacks(account.detail, account.mend);
  return has(`${account.name} (${account.id})`);
}

const STORES = {
  namespace: { path: '/storage/kv/namespaces', idMember: 'id', nameMember: 'title' },
  database: { path: '/d1/database', idMember: 'uuid', nameMember: 'name' },
} as const;

/** Looks a store up by the id of wrangler.toml; without one, by its name: an existing store is adopted, else one is created. */
async function inspectStore(store: keyof typeof STORES, { root, api }: Inspection): Promise<Finding> {
  const { path, idMember, nameMember } = STORES[store];
  const { namespaceId, databaseId, databaseName, project } = await readWranglerSettings(root);
  const [id, name] = store === 'namespace' ? [namespaceId, `${project}-capsules`] : [databaseId, databaseName ?? project];
  const read = (one: unknown) => {
    const found = z.record(z.string(), z.unknown()).parse(one);
    return { id: String(found[idMember]), name: String(found[nameMember]) };
  };
  const present = (await api.list(path)).map(read).find((one) => (id === undefined ? one.name === name : one.id === id));
  if (id !== undefined && present !== undefined) return has(`${present.name} (${id})`);
  if (id !== undefined)
    return lacks(
      `wrangler.toml has the id ${id}, which the account does not have`,
      'sign in to the account that has it, or replace the id by zeros and run "npm run setup"',
    );
  const make = async (): Promise<Finding> => {
    const made = present ?? read(await api.request(path, { method: 'POST', body: { [nameMember]: name } }));
    await writeStoreId(root, store, made.id);
    return has(`${name} (${made.id}), in wrangler.toml`);
  };
  if (present === undefined) return lacks('there is none yet', `create ${name}, and write its id into wrangler.toml`, make);
  return lacks(`wrangler.toml lacks the id of ${name}`, `write the id of ${name} into wrangler.toml`, make);
}

async function inspectTables({ root, api }: Inspection): Promise<Finding> {
  const { migrationsFolder, databaseId } = await readWranglerSettings(root);
  const migrations = (await readdir(join(root, migrationsFolder)).catch((): string[] => [])).filter((name) => name.endsWith('.sql'));
  if (migrations.length === 0)
    return lacks(`${migrationsFolder} has no migrations`, 'set migrations_dir in wrangler.toml as "npm run init" writes it');
  const applied = await appliedMigrations(remoteDatabase(root));
  const due = migrations.filter((name) => !applied.includes(name));
  if (due.length === 0) return has(`${applied.length} migrations are applied`);
  const detail = `${due.length} of ${migrations.length} migrations are not applied`;
  return lacks(detail, 'npx wrangler d1 migrations apply STATE --remote', async () => {
    // A new database has no state to go back to.
    const undo = applied.length === 0 ? '' : `. ${undoCommand(await api.request(`/d1/database/${databaseId}/time_travel/bookmark`))}`;
    await runWrangler(root, ['d1', 'migrations', 'apply', 'STATE', '--remote']).catch(({ message }: Error) => {
      throw new UserError(`${message.trim()}\nThe migration that failed changed nothing; those before it are applied${undo}`);
    });
    return has(`${due.length} ${due.length === 1 ? 'migration' : 'migrations'} applied${undo}`);
  });
}

/** How to go back to a state of the database (developers.cloudflare.com/d1/reference/time-travel), for 30 days, or 7 on the free plan. */
function undoCommand(found: unknown): string {
  const { bookmark } = z.object({ bookmark: z.string() }).parse(found);
  return `To go back to the state before, which loses what was written since: npx wrangler d1 time-travel restore STATE --bookmark=${bookmark}`;
}

async function inspectProject({ root, host }: Inspection): Promise<Finding> {
  const { project } = await readWranglerSettings(root);
  const describe = async (): Promise<string | undefined> => {
    const found = await host.find();
    return found && `${project} (${found.address})`;
  };
  const detail = await describe();
  if (detail !== undefined) return has(detail);
  return lacks(`the account has no ${host.kind} ${project}`, 'create it (npm run setup)', async () => {
    await host.create(project);
    return has((await describe()) ?? project);
  });
}

async function inspectDomain(options: Inspection): Promise<Finding> {
  const { root, host, publisher } = options;
  const { hostname } = new URL(publisher.base_url);
  const { project } = await readWranglerSettings(root);
  const address = (await host.find())?.address ?? '';
  const status = hostname === address ? 'active' : await host.domainStatus(hostname);
  if (status === 'active') return has(hostname);
  if (status !== undefined)
    return lacks(
      `${hostname} is added to the ${host.kind} ${project}, and ${status}`,
      `where the DNS of the domain is, let ${hostname} lead to ${address} by a CNAME record, and wait some minutes`,
    );
  const { addDomain } = host;
  const detail = `${hostname} does not lead to the ${host.kind} ${project}`;
  const place = `Workers & Pages, ${project}, Settings, Domains & Routes`;
  if (addDomain === undefined)
    return lacks(detail, `in the dashboard of Cloudflare, remove it from the Pages project if that has it, and add it in ${place}`);
  return lacks(detail, `add ${hostname} to the project`, async () => {
    await addDomain(hostname);
    return inspectDomain(options);
  });
}

/** Where the site is before its domain leads to it. */
export async function hostAddress(root: string, publisher: Publisher): Promise<string | undefined> {
  const found = await hostsOf(root, publisher, cloudflareApi(root))[0].find();
  return found && `https://${found.address}`;
}

/** Cloudflare returns no value of a secret: a random one of before a change of `target` would be replaced by another one without a word. */
async function inspectSigningSecrets(options: Inspection): Promise<Finding> {
  const name = 'SIGNING_SECRETS';
  const { host, former, environment } = options;
  const finding = await inspectRandomSecret(options, name, '1:');
  if (finding.ok || finding.make === undefined) return finding;
  if (environment[name] !== undefined) {
    const read = await readSigningSecrets(environment[name], 'live');
    return 'missing' in read ? lacks(`the variable ${name} cannot be used. ${read.missing}`, 'correct it') : finding;
  }
  // A token for one of the two sees nothing of the other.
  const secrets = (await former.find().catch(() => undefined))?.secrets ?? [];
  if (!secrets.includes(name)) return finding;
  return {
    ok: false,
    detail: `is not set, and the ${former.kind} has ${secrets.join(', ')}, whose values Cloudflare does not show. With another ${name}, API keys, passes of buyers and secrets of webhooks from before stop working`,
    mend: `set each to the value that you kept, such as from the terminal in which setup made it: ${await host.secretCommand('<name>')}`,
    offer: { question: `Make another ${name}, so that they stop working?`, make: finding.make },
  };
}

async function inspectRandomSecret(options: Inspection, name: string, prefix = ''): Promise<Finding> {
  const given = options.environment[name];
  const made = process.stdout.isTTY || prefix !== '' ? `${prefix}${randomBytes(32).toString('base64url')}` : undefined;
  const finding = await inspectSecret(options, name, given ?? made);
  if (finding.ok || finding.make === undefined || given !== undefined) return finding;
  const { make } = finding;
  const kept = process.stdout.isTTY
    ? `Keep it in a password manager, nothing shows it again: ${made}`
    : `Only a terminal shows it. To have a copy for another account or target, replace it now: ${finding.mend}`;
  return { ...finding, make: async () => has(`${(await make()).detail}. ${kept}`) };
}

async function inspectSecret({ host }: Inspection, name: string, value: string | undefined): Promise<Finding> {
  if ((await host.find())?.secrets.includes(name)) return has('is set');
  const command = await host.secretCommand(name);
  if (value === undefined) return lacks('is not set', `${command}, or run "npm run setup" with the variable ${name}`);
  return lacks('is not set', command, async () => {
    await host.setSecret(name, value.trimEnd());
    return has('is set; the next deployment has it');
  });
}

/** A Worker that a change of `target` left: with its schedule, it does again what the site of today does. */
async function findLeftWorker({ root, api, host, publisher: { target } }: Inspection): Promise<Finding | undefined> {
  const { project, companion } = await readWranglerSettings(root);
  const left = target === 'workers' ? companion : project;
  // A token that may not look at Workers knows nothing of it.
  if (!(await hasWorker(api, left).catch(() => false))) return undefined;
  const detail = `the Worker ${left}, from before "target: ${target}", still does the work of the companion on its schedule`;
  return lacks(detail, `once the ${host.kind} is online: ${workerCommand('delete', left)}`);
}

async function inspectCompanion(options: Inspection): Promise<Finding> {
  const { root, api, publisher } = options;
  if (publisher.target === 'workers') return (await findLeftWorker(options)) ?? has('its work is a part of the Worker');
  const { companion, isCompanionBound } = await readWranglerSettings(root);
  // A token that may not look at Workers knows nothing of it.
  const isMissing = await api.request(`/workers/scripts/${companion}/secrets`).then(
    () => false,
    (error: unknown) => error instanceof CloudflareError && error.status === 404,
  );
  if (isCompanionBound && !isMissing) return (await findLeftWorker(options)) ?? has(`${companion} is bound`);
  const without = 'none: every isolate counts limits for itself, and nothing is done on a schedule';
  const detail = isCompanionBound ? `wrangler.toml binds ${companion}, which the account does not have, so that deploying fails` : without;
  return lacks(detail, `deploy the Worker ${companion} (npm run deploy:companion), and bind it in wrangler.toml`, async () => {
    if (isMissing) await deployCompanion(root);
    if (!isCompanionBound) await addBinding(root, 'services', companion);
    return has(`${companion} is bound; the next deployment uses it`);
  });
}

async function inspectCounts({ root }: RequirementOptions): Promise<Finding> {
  const { dataset, project } = await readWranglerSettings(root);
  if (dataset !== undefined) return has(`what is asked is counted in the dataset ${dataset} of the Analytics Engine`);
  const question = 'Count in the Analytics Engine instead, which must be enabled in the dashboard of Cloudflare, for much traffic?';
  const make = async (): Promise<Finding> => {
    const name = project.replace(/\W/g, '_');
    await addBinding(root, 'analytics_engine_datasets', name);
    return has(`the dataset ${name} is bound; the next deployment counts there`);
  };
  return { ...has('what is asked is counted in the database'), offer: { question, make } };
}

async function inspectNotices({ root, api, publisher: { notify, target } }: Inspection): Promise<Finding> {
  const { project, companion, isCompanionBound } = await readWranglerSettings(root);
  const sender = target === 'workers' ? project : companion;
  const receivers = [...(notify?.webhook ? [new URL(notify.webhook).host] : []), ...(notify?.mail ? [notify.mail.to] : [])];
  if (target === 'pages' && !isCompanionBound)
    return lacks(`no companion sends them to ${receivers.join(' and ')}`, 'npm run deploy:companion');
  const secrets = notify?.webhook === undefined ? undefined : await workerSecrets(api, sender).catch(() => []);
  if (secrets === undefined || secrets.includes('NOTIFY_SECRET')) return has(`go to ${receivers.join(' and ')}`);
  return lacks(
    `${sender} lacks the secret NOTIFY_SECRET, so no webhook is sent`,
    `${workerCommand('secret put NOTIFY_SECRET', sender)}, with whsec_ and the output of "openssl rand -base64 32"`,
  );
}

async function inspectSigningKey({ root, environment, today }: RequirementOptions): Promise<Finding> {
  const active = (await readKeys(root, today, [])).filter(({ retired }) => retired === undefined);
  if (active.length === 0) return lacks('none: what you publish is not signed', 'npm run keys:new');
  if (environment['LINEAGE_KEY'] !== undefined) return has(`${active.at(-1)?.kid}, in LINEAGE_KEY`);
  return lacks(
    `content/keys.yaml has ${active.at(-1)?.kid}, but LINEAGE_KEY is not set here, so that builds fail`,
    'set LINEAGE_KEY to the private half where you build',
  );
}

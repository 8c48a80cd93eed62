import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import * as z from 'zod';
import { type ContentProblem, UserError } from '../publication/content-problem.ts';
import type { Publisher } from '../schemas/publisher.ts';
import { suggestName } from '../search/did-you-mean.ts';

const WRANGLER_FILE = 'wrangler.toml';

/** Ids of stores that were not created yet, as in the templates of wrangler.toml. */
const NO_DATABASE = '00000000-0000-0000-0000-000000000000';
const NO_NAMESPACE = '00000000000000000000000000000000';

/** The form of ids at Cloudflare (developers.cloudflare.com/workers/wrangler/configuration). */
const NAMESPACE_ID = {
  list: 'kv_namespaces',
  member: 'id',
  zeros: NO_NAMESPACE,
  form: /^[0-9a-f]{32}$/,
  rule: 'must be 32 hexadecimal digits; "npm run setup" writes them in the place of zeros',
} as const;
const DATABASE_ID = {
  list: 'd1_databases',
  member: 'database_id',
  zeros: NO_DATABASE,
  form: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  rule: 'must be a UUID; "npm run setup" writes it in the place of zeros',
} as const;

const Binding = z.looseObject({ binding: z.string().optional() });
const WranglerFile = z.looseObject({
  name: z.string().optional(),
  account_id: z.string().optional(),
  kv_namespaces: z.array(Binding.extend({ id: z.string().optional() })).optional(),
  d1_databases: z
    .array(
      Binding.extend({
        database_id: z.string().optional(),
        database_name: z.string().optional(),
        // The default of wrangler (developers.cloudflare.com/d1/reference/migrations).
        migrations_dir: z.string().default('migrations'),
      }),
    )
    .optional(),
  services: z.array(Binding.extend({ service: z.string().optional() })).optional(),
  analytics_engine_datasets: z.array(Binding.extend({ dataset: z.string().optional() })).optional(),
});
type WranglerFile = z.infer<typeof WranglerFile>;

/** Bindings that the engine reads (src/platform/environment.ts), by the list of wrangler.toml that makes them. */
const BINDINGS = { kv_namespaces: 'CAPSULES', d1_databases: 'STATE', services: 'LIMITER', analytics_engine_datasets: 'ANALYTICS' } as const;

/** What writes the ids of stores. */
const SETUP = '"npm run setup"';

/** The name of the companion of a project. Cloudflare allows 63 characters for a Worker. */
export function companionName(project: string): string {
  return `${project.slice(0, 53)}-companion`;
}

/** Reads wrangler.toml; without one, there are no stores and services. @throws {UserError} If it cannot be read as TOML. */
export async function readWranglerSettings(root: string) {
  const { file, problem } = parseSettings(await textOf(root));
  if (problem !== undefined) throw new UserError(`${WRANGLER_FILE}:${problem.line} ${problem.message}`);
  const database = bound(file, 'd1_databases');
  const namespaceId = bound(file, 'kv_namespaces')?.id;
  const project = file.name ?? 'agent-knowledge-gateway';
  const companion = bound(file, 'services')?.service;
  const analytics = bound(file, 'analytics_engine_datasets');
  return {
    project,
    accountId: file.account_id || undefined,
    namespaceId: namespaceId === NO_NAMESPACE ? undefined : namespaceId || undefined,
    databaseId: database?.database_id === NO_DATABASE ? undefined : database?.database_id || undefined,
    databaseName: database?.database_name,
    migrationsFolder: database?.migrations_dir ?? '',
    companion: companion ?? companionName(project),
    isCompanionBound: companion !== undefined,
    /** By default a dataset is called like its binding. */
    dataset: analytics && (analytics.dataset ?? BINDINGS.analytics_engine_datasets),
  };
}

/** The module of the companion, which is a Worker of its own, or with `target: workers` a part of the site's. */
export const COMPANION_MODULE = join(import.meta.dirname, `../functions/companion-worker${extname(import.meta.filename)}`);

/** Files of `dist/` for Pages alone, which a Worker does not serve (developers.cloudflare.com/workers/static-assets/binding/#ignoring-assets). */
const PAGES_FILES = '_worker.js\n_routes.json\n';

/**
 * Writes the settings with which wrangler deploys a Worker below `.akg`: the companion of a Pages project, or with `target: workers` the built
 * site, with the bindings of wrangler.toml and the schedule, limits and variables of the companion. Returns the file, and the Worker's name.
 */
export async function writeWorkerSettings(root: string, worker: 'companion' | 'site', publisher: Publisher) {
  const { project, companion, databaseId, databaseName = project } = await readWranglerSettings(root);
  const settings = parse(await readFile(COMPANION_MODULE.replace(/\.[jt]s$/, '.toml'), 'utf8'));
  const { mail } = publisher.notify ?? {};
  const vars = {
    BASE_URL: publisher.base_url,
    WEBHOOK_HOSTS: publisher.commerce.webhook_hosts.join(),
    NOTIFY: publisher.notify === undefined ? '' : JSON.stringify(publisher.notify),
  };
  const shared = { ...settings, ...(mail && { send_email: [{ name: 'NOTIFY_MAIL', destination_address: mail.to }] }) };
  const ofCompanion = {
    name: companion,
    main: COMPANION_MODULE,
    vars,
    d1_databases: [{ binding: BINDINGS.d1_databases, database_name: databaseName, database_id: databaseId ?? NO_DATABASE }],
  };
  const folder = join(root, '.akg', worker);
  await mkdir(folder, { recursive: true });
  const written = { ...shared, ...(worker === 'companion' ? ofCompanion : await settingsOfSite(root, vars)) };
  const config = join(folder, 'wrangler.json');
  await writeFile(config, JSON.stringify(written, undefined, 2));
  return { config, name: written.name };
}

/** Settings of the Worker of a site beyond those of the companion: modules and files of `dist/`, and the bindings of wrangler.toml. */
async function settingsOfSite(root: string, vars: TomlTable) {
  const { pages_build_output_dir: _, services = [], ...project } = parse((await textOf(root)) ?? '');
  const site = join(root, 'dist');
  const { include, exclude } = Routes.parse(JSON.parse(await readFile(join(site, '_routes.json'), 'utf8')));
  await writeFile(join(site, '.assetsignore'), PAGES_FILES);
  return {
    ...project,
    name: String(project['name']),
    main: join(site, '_worker.js/index.js'),
    // The build has compiled the modules.
    no_bundle: true,
    rules: [{ type: 'ESModule', globs: ['**/*.js'] }],
    assets: {
      directory: site,
      binding: 'ASSETS',
      not_found_handling: '404-page',
      run_worker_first: [...include, ...exclude.map((path) => `!${path}`)],
    },
    services: z
      .array(Binding)
      .parse(services)
      .filter(({ binding }) => binding !== BINDINGS.services),
    vars: { ...z.looseObject({}).parse(project['vars'] ?? {}), ...vars },
    workers_dev: true,
    preview_urls: true,
  };
}

/** Paths that functions answer, as Pages reads them (developers.cloudflare.com/pages/functions/routing). */
const Routes = z.object({ include: z.array(z.string()), exclude: z.array(z.string()) });

/** Writes the id of a store into wrangler.toml, in the place of zeros or below its binding. @throws {UserError} If there is no binding. */
export async function writeStoreId(root: string, store: 'namespace' | 'database', id: string): Promise<void> {
  const text = (await textOf(root)) ?? '';
  const { list, member, zeros } = store === 'namespace' ? NAMESPACE_ID : DATABASE_ID;
  const lines = text.split('\n');
  const isOf = (line: string, name: string, value: string): boolean => line.replace(/\s/g, '').startsWith(`${name}="${value}"`);
  const line = `${member} = "${id}"`;
  const unset = lines.findIndex((one) => isOf(one, member, zeros) || isOf(one, member, ''));
  const binding = lines.findIndex((one) => isOf(one, 'binding', BINDINGS[list]));
  if (unset >= 0) lines[unset] = line;
  else if (binding >= 0) lines.splice(binding + 1, 0, line);
  const written = lines.join('\n');
  if (written === text)
    throw new UserError(`${WRANGLER_FILE} binds nothing as ${BINDINGS[list]}: add [[${list}]] with binding = "${BINDINGS[list]}"`);
  await writeFile(join(root, WRANGLER_FILE), written);
}

/** Binds a Worker or a dataset: where the file has these lines as a comment there, else at its end. */
export async function addBinding(root: string, list: 'services' | 'analytics_engine_datasets', target: string): Promise<void> {
  const text = (await textOf(root)) ?? '';
  const lines = [`[[${list}]]`, `binding = "${BINDINGS[list]}"`, `${list === 'services' ? 'service' : 'dataset'} = "${target}"`];
  const comment = lines.map((line) => `# ${line}`).join('\n');
  const written = text.includes(comment) ? text.replace(comment, lines.join('\n')) : `${text.trimEnd()}\n\n${lines.join('\n')}\n`;
  await writeFile(join(root, WRANGLER_FILE), written);
}

/** @throws {UserError} If a publication is a site of files, without functions and stores. */
export function expectFunctions(root: string): void {
  if (existsSync(join(root, WRANGLER_FILE))) return;
  throw new UserError(
    `this folder has no ${WRANGLER_FILE}, so its site has neither functions nor stores, and this command has nothing to do. "npx akg build --static" makes the files for any host; "npx akg insights <log>" counts what the log of its server says`,
  );
}

/** @throws {UserError} If wrangler.toml is missing, or has no id of the namespace, which has to exist before KV at Cloudflare is used. */
export async function requireNamespace(root: string): Promise<void> {
  expectFunctions(root);
  if ((await readWranglerSettings(root)).namespaceId !== undefined) return;
  const line = lineOf(await textOf(root), NO_NAMESPACE);
  throw new UserError(`${WRANGLER_FILE}:${line} has no id of the KV namespace CAPSULES: run ${SETUP}`);
}

/** Checks wrangler.toml: errors where it is no TOML or a binding is missing or misspelt, warnings for ids that deploying needs. */
export async function checkWranglerSettings(root: string, storage: Publisher['storage']): Promise<ContentProblem[]> {
  const text = await textOf(root);
  if (text === undefined) return [];
  const { file, problem } = parseSettings(text);
  if (problem !== undefined) return [problem];
  const found: ContentProblem[] = [];
  const report = (where: string, field: string, message: string, level: 'error' | 'warning' = 'error'): void => {
    found.push({ file: WRANGLER_FILE, line: lineOf(text, where), field, message, level });
  };
  const lists = Object.keys(BINDINGS) as (keyof typeof BINDINGS)[];
  const misnamed = new Map<string, string>();
  for (const key of Object.keys(file)) {
    const list = suggestName(key, lists);
    if (list !== undefined && list !== key && file[list as keyof WranglerFile] === undefined) misnamed.set(list, key);
  }
  for (const [list, key] of misnamed) report(key, key, `is not read: write [[${list}]]`);
  for (const list of lists) {
    if (misnamed.has(list) || bound(file, list) !== undefined) continue;
    const name = BINDINGS[list];
    const isNeeded = list === 'd1_databases' || (list === 'kv_namespaces' && storage === 'kv');
    const others = (file[list] ?? []).flatMap(({ binding }) => binding ?? []);
    const misspelt = others.find((other) => other.toUpperCase() === name || suggestName(other, [name]) !== undefined);
    if (misspelt !== undefined) report(`"${misspelt}"`, 'binding', `"${misspelt}" is not read: write binding = "${name}"`);
    else if (isNeeded) report(`[[${list}]]`, list, `nothing is bound as ${name}: add [[${list}]] with binding = "${name}"`);
  }
  const checkId = (id: string, { list, member, zeros, form, rule }: typeof NAMESPACE_ID | typeof DATABASE_ID): void => {
    if (id === zeros || id === '')
      report(
        id || `"${BINDINGS[list]}"`,
        member,
        `is ${id === '' ? 'missing' : 'a placeholder'}; before you deploy, run ${SETUP}`,
        'warning',
      );
    else if (!form.test(id)) report(`"${id}"`, member, rule);
  };
  const [namespace, database] = [bound(file, 'kv_namespaces'), bound(file, 'd1_databases')];
  if (namespace !== undefined && storage === 'kv') checkId(namespace.id ?? '', NAMESPACE_ID);
  if (database !== undefined) checkId(database.database_id ?? '', DATABASE_ID);
  return found;
}

function textOf(root: string): Promise<string | undefined> {
  return readFile(join(root, WRANGLER_FILE), 'utf8').catch(() => undefined);
}

function parseSettings(text = ''): { readonly file: WranglerFile; readonly problem?: ContentProblem } {
  const refused = (line: number, field: string, message: string) => ({
    file: {},
    problem: { file: WRANGLER_FILE, line, field, message },
  });
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    return refused(error.line, '', `is no valid TOML: ${reason}. Correct this line`);
  }
  const { data, error } = WranglerFile.safeParse(value);
  if (data !== undefined) return { file: data };
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  const [list = ''] = path.map(String);
  const isSingle = path.length === 1 && list in BINDINGS;
  return refused(lineOf(text, list), list, isSingle ? `is one table: write [[${list}]]` : `${path.join('.')}: ${message}`);
}

function bound<List extends keyof typeof BINDINGS>(file: WranglerFile, list: List): NonNullable<WranglerFile[List]>[number] | undefined {
  return file[list]?.find(({ binding }) => binding === BINDINGS[list]);
}

function lineOf(text: string | undefined, part: string): number {
  const index = (text ?? '').split('\n').findIndex((line) => !line.trim().startsWith('#') && line.includes(part));
  return Math.max(0, index) + 1;
}

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type { Miniflare } from 'miniflare';
import { GENERATED_MODULE } from '../../src/build/functions-worker.ts';
import type { DeployedGeneration } from '../../src/gateway/knowledge/corpus.ts';
import type { GatewayDependencies } from '../../src/http/gateway-dependencies.ts';
import type { RenderPage } from '../../src/http/on-demand-page-props.ts';
import { deployedRoutes } from '../../src/routes/lazy-routes.ts';
import { routeTable } from '../../src/routes/route-table.ts';
import type { Deployment } from '../../src/schemas/deployment.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { serveBuiltFiles } from './built-files.ts';
import { COMPANION, companionWorker } from './companion-worker.ts';
import { duringTests } from './during-tests.ts';
import { FUNCTIONS_BUNDLE, PUBLICATION, TEST_BASE_URL } from './paths.ts';
import { migratedSchema } from './simulated/database.ts';
import { TEST_WEBHOOK_SECRETS } from './stripe-messages.ts';
import { startWorkerd, type WorkerModules } from './workerd.ts';

// Miniflare starts the program that this names, which ends workerd with this process.
const { default: workerd } = createRequire(createRequire(import.meta.url).resolve('miniflare'))('workerd') as { readonly default: string };
process.env['WORKERD'] = workerd;
process.env['MINIFLARE_WORKERD_PATH'] ??= join(import.meta.dirname, 'workerd.sh');

/** A secret for tests only: 32 counted bytes. */
export const TEST_SIGNING_SECRETS = `1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 1)).toString('base64url')}`;

export interface Generated {
  readonly deployment: Deployment;
  readonly generation: DeployedGeneration;
  readonly documents: GatewayDependencies['documents'];
}

export interface EdgeOptions {
  readonly signingSecrets?: string | undefined;
  /** What the publisher signs in to the dashboard with, which is off without one. */
  readonly adminSecret?: string | undefined;
  /** Secrets that messages of the payment processor are signed with; those of the tests by default. */
  readonly webhookSecrets?: string | undefined;
  readonly stripe?: { readonly secretKey: string; readonly apiBase: string };
  readonly paymentNode?: string;
  readonly bundle?: string;
  /** Blocks in KV: those of the build by default, none for an empty store, or given ones by their names. */
  readonly blocks?: 'built' | 'none' | Iterable<[string, Uint8Array]>;
  readonly kv?: 'bound' | 'unbound';
  /** D1: with its tables, without them (every statement fails), or not bound. */
  readonly state?: 'migrated' | 'empty' | 'unbound';
  /** What is bound as LIMITER: nothing by default, the companion with limits of so many requests a minute, or a stand-in for it. */
  readonly limiter?: Readonly<Record<'query' | 'network', number>> | ((request: Request) => Response | Promise<Response>);
  /** Folder in which KV and D1 are kept; in memory without one. */
  readonly persist?: string;
  readonly generated?: Partial<Generated>;
  /** Whether reads of the stores are counted, for {@link countedReads}. */
  readonly countsReads?: boolean;
  /** The static files; by default each answers with its path, so that tests see that it was asked for. */
  readonly files?: (request: Request) => Response | Promise<Response>;
}

export interface EdgeGateway {
  /**
   * Sends a request. It comes from a network of its own, so that no test eats another's rate limit, unless the init has
   * `CF-Connecting-IP`. {@link NOW_HEADER} sets the clock of one request.
   */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Address of the socket of the service, which requests reach without passing the Worker of Miniflare. */
  readonly origin: string;
  readonly miniflare: Miniflare;
  readonly logs: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Header by which a test sets the service's clock for one request, in milliseconds since the epoch. */
export const NOW_HEADER = 'Test-Now-Ms';

/** Header that holds the whole address of a request: `fetch` names the socket that it goes to as its host. */
const ADDRESS_HEADER = 'Test-Address';

/** Header that marks a request which fills or reads a store, instead of being answered by the service. */
const SETUP_HEADER = 'Test-Setup';

/** Reads since the start. */
export interface CountedReads {
  readonly blocks: number;
  readonly cachedBlocks: number;
  readonly cachedDocuments: number;
}

const COUNTING = `const reads = { blocks: 0, cachedBlocks: 0, cachedDocuments: 0 };
const location = Object.getPrototypeOf(caches.default);
const { match } = location;
location.match = async function (address, ...others) {
  const found = await match.call(this, address, ...others);
  const isBlock = /[0-9a-f]{64}$/.test(address);
  if (isBlock) reads.blocks += 1;
  if (found !== undefined) reads[isBlock ? 'cachedBlocks' : 'cachedDocuments'] += 1;
  return found;
};
`;

/** Runs the bundle under a clock and an address that headers set; nothing else of it is changed. Stores are quicker from inside. */
const ENTRY = `import worker from './index.js';
const realNow = Date.now;
export default {
  async fetch(request, env, context) {
    const setup = request.headers.get('${SETUP_HEADER}');
    if (setup === 'reads') return Response.json(reads);
    if (setup === 'sql') {
      const statements = (await request.json()).map((text) => env.STATE.prepare(text));
      return env.STATE.batch(statements).then((results) => Response.json(results), ({ message }) => new Response(message, { status: 500 }));
    }
    if (setup !== null) {
      const bytes = await request.arrayBuffer();
      let end = 0;
      const put = ([key, length]) => env.CAPSULES.put(key, bytes.slice(end, (end += length)));
      await Promise.all(JSON.parse(setup).map(put));
      return new Response();
    }
    const now = request.headers.get('${NOW_HEADER}');
    Date.now = now === null ? realNow : () => Number(now);
    const address = request.headers.get('${ADDRESS_HEADER}');
    return worker.fetch(address === null ? request : new Request(address, request), env, context);
  },
};`;

export async function startEdgeGateway(options: EdgeOptions = {}): Promise<EdgeGateway> {
  const secrets = 'signingSecrets' in options ? options.signingSecrets : TEST_SIGNING_SECRETS;
  const files =
    options.files ??
    (async (request: Request) => {
      const { pathname } = new URL(request.url);
      // Functions send the text of this file as their own.
      if (pathname === PATHS.openApi) return new Response(await builtOpenApi());
      return new Response(fileText(pathname), { headers: { 'Content-Type': 'text/html' } });
    });
  const logs: string[] = [];
  const gateway = {
    name: 'gateway',
    modules: {
      'entry.js': { type: 'esm' as const, contents: ENTRY + (options.countsReads ? COUNTING : '') },
      ...(await readModules(options)),
    },
    env: {
      ...(options.kv === 'unbound' ? {} : { CAPSULES: { type: 'kv', id: 'capsules' } }),
      ...(options.state === 'unbound' ? {} : { STATE: { type: 'd1', id: 'state' } }),
      ASSETS: { type: 'fetcher', handler: files },
      ...limiterBinding(options),
      ...textBindings({
        SIGNING_SECRETS: secrets,
        ADMIN_SECRET: options.adminSecret,
        STRIPE_WEBHOOK_SECRETS: 'webhookSecrets' in options ? options.webhookSecrets : TEST_WEBHOOK_SECRETS,
        STRIPE_SECRET_KEY: options.stripe?.secretKey,
        STRIPE_API_BASE: options.stripe?.apiBase,
        PAYMENT_RPC_URL: options.paymentNode,
      }),
    },
  };
  const companions = typeof options.limiter === 'object' ? [await companionWorker(options.limiter)] : [];
  const miniflare = startWorkerd([gateway, ...companions], {
    persist: options.persist,
    onLog: ({ level, message }) => void logs.push(`${level} ${message}`),
  });
  if (options.kv !== 'unbound' && options.blocks !== 'none')
    await putBlocks(miniflare, options.blocks === undefined || options.blocks === 'built' ? await builtBlocks() : options.blocks);
  if (options.state === undefined || options.state === 'migrated') await runSql(miniflare, migratedSchema());
  const { origin } = await miniflare.unsafeGetDirectURL('gateway');
  let network = 0;
  return {
    origin,
    miniflare,
    logs,
    fetch: async (path, init = {}) => {
      const headers = new Headers(init.headers);
      network += 1;
      if (!headers.has('CF-Connecting-IP')) headers.set('CF-Connecting-IP', `10.${network >> 8}.${network & 255}.1`);
      const address = new URL(TEST_BASE_URL + path).href;
      headers.set(ADDRESS_HEADER, address);
      const response = await send(origin + path, { redirect: 'manual', ...init, headers });
      return Object.defineProperty(response, 'url', { value: address });
    },
    stop: () => miniflare.dispose(),
  };
}

export function fileText(pathname: string): string {
  return `file ${pathname}`;
}

export const renderAsJson: RenderPage = async (page, props) => JSON.stringify({ page, props });

function textBindings(values: Readonly<Record<string, string | undefined>>): Record<string, object> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, { type: 'text', value }]));
}

function limiterBinding({ limiter }: EdgeOptions): Record<string, object> {
  if (limiter === undefined) return {};
  return { LIMITER: typeof limiter === 'function' ? { type: 'fetcher', handler: limiter } : { type: 'worker', worker: COMPANION } };
}

/** That of the platform, also while a test has put another in its place. */
const { fetch: platformFetch } = globalThis;

const RESENT_MAX = 3;

/** Codes of a connection that the other side has closed. */
const CLOSED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/**
 * Sends a request. A body that is refused before all of it was read may meet a closed connection instead of the answer, which is
 * a race that HTTP leaves to the client (RFC 9112, section 9.6): the request is sent again, if its body can be.
 */
async function send(address: string, init: RequestInit): Promise<Response> {
  for (let sent = 1; ; sent += 1) {
    try {
      return await platformFetch(address, init);
    } catch (error) {
      const { code = '' } = error instanceof Error ? ((error.cause ?? {}) as { code?: string }) : {};
      if (sent > RESENT_MAX || init.body instanceof ReadableStream || !CLOSED.includes(code)) throw error;
    }
  }
}

const MODULE_TYPES: Readonly<Record<string, 'esm' | 'wasm'>> = { '.js': 'esm', '.wasm': 'wasm' };

/** The modules of the compiled functions; `generated` replaces what the build decided, and the operations follow from the deployment. */
async function readModules({ bundle = FUNCTIONS_BUNDLE, generated: replaced = {} }: EdgeOptions): Promise<WorkerModules> {
  const { deployment } = replaced;
  const generated = deployment ? { ...replaced, routes: await deployedRoutes(routeTable(deployment), deployment) } : replaced;
  const folder = dirname(bundle);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => extname(path) in MODULE_TYPES);
  const modules = paths.map(async (path) => {
    const contents = await readFile(join(folder, path));
    const isReplaced = path === GENERATED_MODULE;
    return [path, { type: MODULE_TYPES[extname(path)], contents: isReplaced ? withGenerated(contents.toString(), generated) : contents }];
  });
  return Object.fromEntries(await Promise.all(modules)) as WorkerModules;
}

function withGenerated(module: string, generated: Partial<Generated>): string {
  return Object.entries(generated).reduce((text, [name, value]) => {
    const declaration = new RegExp(`^export const ${name} = .*;$`, 'm');
    if (!declaration.test(text)) throw new Error(`the build decides nothing called "${name}"`);
    return text.replace(declaration, () => `export const ${name} = ${JSON.stringify(value)};`);
  }, module);
}

export async function builtGenerated(folder: string = PUBLICATION): Promise<Generated> {
  const written = await readFile(join(folder, '.akg/generated.js'), 'utf8');
  const [, deployment = ''] = /^export const deployment = (.*);$/m.exec(written) ?? [];
  const { sections } = JSON.parse(deployment) as Generated['deployment'];
  const text = written.replace('"tree":deployment.sections', () => `"tree":${JSON.stringify(sections)}`);
  const values = [...text.matchAll(/^export const (\w+) = (.*);$/gm)].map(
    ([, name = '', json = '']) => [name, JSON.parse(json) as unknown] as const,
  );
  return Object.fromEntries(values) as unknown as Generated;
}

/** The same for a service that counts nothing of what is asked, and so writes nothing where an operation does not. */
export async function uncountedGenerated(): Promise<Generated> {
  const { deployment, ...generated } = await builtGenerated();
  const { insights: _counted, ...uncounted } = deployment;
  return { ...generated, deployment: uncounted };
}

export function builtOpenApi(): Promise<string> {
  return readFile(join(PUBLICATION, 'dist', PATHS.openApi), 'utf8');
}

export async function builtBlocks(folder: string = PUBLICATION): Promise<Map<string, Uint8Array>> {
  const blocks = join(folder, '.akg/blocks');
  return new Map(
    await Promise.all((await readdir(blocks)).map(async (name) => [name, new Uint8Array(await readFile(join(blocks, name)))] as const)),
  );
}

/** Blocks of one request: their names have to fit into a header. */
const BLOCKS_AT_ONCE = 50;

export async function putBlocks(miniflare: Miniflare, blocks: Iterable<[string, Uint8Array]>): Promise<void> {
  const all = [...blocks];
  for (let start = 0; start < all.length; start += BLOCKS_AT_ONCE) {
    const some = all.slice(start, start + BLOCKS_AT_ONCE);
    const places = some.map(([name, bytes]) => [`b/${name}`, bytes.length]);
    await setUp(miniflare, JSON.stringify(places), Buffer.concat(some.map(([, bytes]) => bytes)));
  }
}

/** Runs statements on the database of a service in one transaction, inside of it, and gives what D1 says of each. */
export async function runSql(miniflare: Miniflare, statements: readonly string[]): Promise<D1Result[]> {
  return JSON.parse(await setUp(miniflare, 'sql', JSON.stringify(statements))) as D1Result[];
}

/** What a service with `countsReads` has read. */
export async function countedReads(miniflare: Miniflare): Promise<CountedReads> {
  return JSON.parse(await setUp(miniflare, 'reads', '')) as CountedReads;
}

async function setUp(miniflare: Miniflare, what: string, body: Uint8Array | string): Promise<string> {
  const response = await miniflare.dispatchFetch(TEST_BASE_URL, { method: 'POST', headers: { [SETUP_HEADER]: what }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

export interface Requests extends Pick<EdgeGateway, 'fetch'> {
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

export interface UsedGateway extends Requests {
  readonly running: () => EdgeGateway;
}

export function useEdgeGateway(options: EdgeOptions | (() => Promise<EdgeOptions>) = {}): UsedGateway {
  const start = async () => startEdgeGateway(typeof options === 'function' ? await options() : options);
  const running = duringTests(start);
  return { running, ...requestsTo((path, init) => running().fetch(path, init)) };
}

export function requestsTo(fetch: EdgeGateway['fetch']): Requests {
  return {
    fetch,
    post: (path, body, headers = {}) =>
      fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

/** Variations that files of tests can share: nothing in them is there for tests to change. */
export interface SharedOptions extends Pick<EdgeOptions, 'signingSecrets' | 'webhookSecrets' | 'kv' | 'state'> {
  readonly blocks?: 'none';
  /** The files of the tested build, or a host that fails for each; by default each answers with its path. */
  readonly files?: 'built' | 'failing';
}

export interface SharedGateway extends Requests {
  /** Address of its socket, for programs that tests start; their requests come from one network. */
  readonly origin: () => string;
}

const running = new Map<string, Promise<EdgeGateway>>();

/**
 * A service that all files of tests in one process share, because starting one takes most of a second. It is warm, and what its agents
 * asked before counts. Tests cannot reach its stores and its log, and cannot set its clock or their network; those that do, and those
 * about an isolate that has just begun, start one of their own with `useEdgeGateway`.
 */
export function useSharedGateway(options: SharedOptions = {}): SharedGateway {
  const name = JSON.stringify(options, (_key, value: unknown) => (value === undefined ? null : value));
  const started = duringTests(
    () => {
      const gateway = running.get(name) ?? startShared(options);
      running.set(name, gateway);
      // A start that fails is tried again by the next file.
      gateway.catch(() => running.delete(name));
      return gateway;
    },
    { isShared: true },
  );
  const requests = requestsTo(async (path, init) => {
    const headers = new Headers(init?.headers);
    if (headers.has(NOW_HEADER) || headers.has('CF-Connecting-IP'))
      throw new Error('a shared service keeps its clock, and its networks apart; take useEdgeGateway');
    return started().fetch(path, init);
  });
  return { ...requests, origin: () => started().origin };
}

async function startShared({ files, ...options }: SharedOptions): Promise<EdgeGateway> {
  if (files === undefined) return startEdgeGateway(options);
  return startEdgeGateway({ ...options, files: files === 'built' ? await serveBuiltFiles() : () => new Response('', { status: 500 }) });
}

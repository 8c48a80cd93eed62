import { createServer, type IncomingMessage } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { close, listen } from './listen.ts';

/** One account at Cloudflare, as wrangler reaches it: the shapes of developers.cloudflare.com/api, for what setting up and deploying needs. */
export interface CloudflareAccount {
  /** Variables with which wrangler asks this account. */
  readonly environment: Readonly<Record<string, string>>;
  readonly namespaces: Map<string, { readonly title: string; readonly keys: Map<string, { value: Uint8Array; metadata?: unknown }> }>;
  readonly databases: Map<string, { readonly name: string; readonly database: DatabaseSync }>;
  readonly projects: Map<
    string,
    {
      readonly secrets: Map<string, string>;
      readonly domains: Map<string, string>;
      readonly deployments: { readonly branch: string; readonly files: number }[];
    }
  >;
  readonly workers: Map<string, WorkerScript>;
  readonly newDatabase: () => DatabaseSync;
  /** Rows of each data set in the GraphQL Analytics API, by the alias that a query gives it; without any, the token may not read them. */
  readonly analytics: Record<string, readonly object[]>;
  /** Statements that the SQL API of the Analytics Engine received, and the rows that it answers each with. */
  readonly events: { readonly asked: string[]; rows: (sql: string) => readonly object[] };
  readonly unknown: string[];
  readonly stop: () => Promise<void>;
}

/** What was uploaded of a Worker: the settings and modules of each version, the files of the newest, and what is online. */
export interface WorkerScript {
  readonly secrets: Map<string, string>;
  readonly versions: { readonly metadata: Readonly<Record<string, unknown>>; readonly modules: readonly string[] }[];
  files: readonly string[];
  online: number;
  crons: unknown;
  subdomain: { readonly enabled?: boolean; readonly previews_enabled?: boolean };
}

interface AccountOptions {
  readonly onDeploy?: (branch: string) => Promise<string>;
  /** A status with which a request is answered instead. */
  readonly onRequest?: (method: string, path: string) => number | undefined;
}

const ID = 'a'.repeat(32);
const TOKEN = 'a-token-of-the-double';

export const BOOKMARK = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683';

/** Keys of one page of a list, at most and by default (developers.cloudflare.com/api, "List a Namespace's Keys"). */
const KEYS_PER_PAGE = 1_000;

export async function startCloudflareAccount({ onDeploy, onRequest }: AccountOptions = {}): Promise<CloudflareAccount> {
  const namespaces: CloudflareAccount['namespaces'] = new Map();
  const databases: CloudflareAccount['databases'] = new Map();
  const projects: CloudflareAccount['projects'] = new Map();
  const workers: CloudflareAccount['workers'] = new Map();
  const analytics: CloudflareAccount['analytics'] = {};
  const events: CloudflareAccount['events'] = { asked: [], rows: () => [] };
  const unknown: string[] = [];
  let made = 0;
  const newId = (): string => {
    made += 1;
    return `d${String(made).padStart(31, '0')}`;
  };
  const describeProject = (name: string): object => ({
    name,
    subdomain: `${name}.pages.dev`,
    domains: [`${name}.pages.dev`, ...(projects.get(name)?.domains.keys() ?? [])],
    production_branch: 'main',
    created_on: '2026-11-01T00:00:00Z',
    deployment_configs: Object.fromEntries(
      ['production', 'preview'].map((environment) => [
        environment,
        {
          env_vars: Object.fromEntries([...(projects.get(name)?.secrets ?? [])].map(([key]) => [key, { type: 'secret_text', value: '' }])),
        },
      ]),
    ),
  });

  const respond = async (method: string, { pathname, searchParams }: URL, request: IncomingMessage): Promise<unknown> => {
    const body = await bodyOf(request);
    const json = (): Record<string, unknown> => JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    if (pathname === '/user/tokens/verify') return { id: 'token', status: 'active' };
    if (pathname === '/user') return { id: 'user', email: 'ada@publisher.example' };
    if (pathname === '/accounts') return [{ id: ID, name: 'Ada' }];
    if (pathname === '/memberships') return [{ id: 'member', account: { id: ID, name: 'Ada' } }];
    if (pathname === '/pages/assets/check-missing') return (json() as { hashes: string[] }).hashes;
    if (pathname === '/pages/assets/upload' || pathname === '/pages/assets/upsert-hashes') return null;
    // The shapes of developers.cloudflare.com/analytics/graphql-api and /analytics/analytics-engine/sql-api, which have no envelope.
    if (pathname === '/graphql')
      return Object.keys(analytics).length === 0
        ? new Raw({ data: null, errors: [{ message: 'not authorized for that account', path: null, extensions: { code: 'authz' } }] })
        : new Raw({ data: { viewer: { accounts: [analytics] } }, errors: null });
    const path = pathname.replace(`/accounts/${ID}`, '');
    if (path === '/analytics_engine/sql') {
      const sql = body.toString('utf8');
      events.asked.push(sql);
      const data = events.rows(sql);
      return new Raw({ meta: [], data, rows: data.length, rows_before_limit_at_least: data.length });
    }
    if (path === '/storage/kv/namespaces' && method === 'POST') {
      const id = newId();
      namespaces.set(id, { title: String(json()['title']), keys: new Map() });
      return { id, title: json()['title'] };
    }
    // Every list is one page.
    if (Number(searchParams.get('page') ?? 1) > 1) return [];
    if (path === '/storage/kv/namespaces') return [...namespaces].map(([id, { title }]) => ({ id, title, supports_url_encoding: true }));
    const [, namespace = '', operation = ''] = /^\/storage\/kv\/namespaces\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const keys = namespaces.get(namespace)?.keys;
    if (keys !== undefined && operation === 'keys') {
      const all = [...keys].filter(([name]) => name.startsWith(searchParams.get('prefix') ?? '')).sort(([a], [b]) => (a < b ? -1 : 1));
      const from = Number(searchParams.get('cursor') ?? 0);
      const page = all.slice(from, from + KEYS_PER_PAGE);
      return new Page(
        page.map(([name, { metadata }]) => ({ name, ...(metadata !== undefined && { metadata }) })),
        from + page.length < all.length ? String(from + page.length) : '',
      );
    }
    if (keys !== undefined && operation === 'bulk' && method === 'PUT') {
      for (const pair of JSON.parse(body.toString('utf8')) as { key: string; value: string; base64?: boolean; metadata?: unknown }[])
        keys.set(pair.key, { value: Buffer.from(pair.value, pair.base64 ? 'base64' : 'utf8'), metadata: pair.metadata });
      return { successful_key_count: keys.size, unsuccessful_keys: [] };
    }
    if (keys !== undefined && operation === 'bulk/delete') {
      for (const key of JSON.parse(body.toString('utf8')) as string[]) keys.delete(key);
      return { successful_key_count: keys.size, unsuccessful_keys: [] };
    }
    if (keys !== undefined && operation === 'bulk/get') {
      const values = (json() as { keys: string[] }).keys.map((key) => [key, keys.get(key)?.value] as const);
      return { values: Object.fromEntries(values.map(([key, value]) => [key, value ? Buffer.from(value).toString('utf8') : null])) };
    }
    const [, key = ''] = /^values\/(.+)$/.exec(operation) ?? [];
    const stored = keys?.get(decodeURIComponent(key))?.value;
    if (stored !== undefined) return stored;
    if (key !== '') throw new ApiError(404, 10_009, "get: 'key not found'");
    if (path === '/d1/database' && method === 'POST') {
      const id = newId().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
      databases.set(id, { name: String(json()['name']), database: new DatabaseSync(':memory:') });
      return { uuid: id, name: json()['name'], version: 'production' };
    }
    if (path === '/d1/database') return [...databases].map(([uuid, { name }]) => ({ uuid, name, version: 'production' }));
    const [, database = '', query] = /^\/d1\/database\/([^/]+)(\/query|\/time_travel\/bookmark)?$/.exec(path) ?? [];
    const opened = databases.get(database);
    if (opened !== undefined && query?.endsWith('bookmark')) return { bookmark: BOOKMARK };
    if (opened !== undefined)
      return query === undefined ? { uuid: database, name: opened.name } : runSql(opened.database, String(json()['sql']));
    if (path === '/pages/projects' && method === 'POST') {
      projects.set(String(json()['name']), { secrets: new Map(), domains: new Map(), deployments: [] });
      return describeProject(String(json()['name']));
    }
    if (path === '/pages/projects') return [...projects.keys()].map(describeProject);
    if (path.startsWith('/workers/')) return respondAboutWorkers(method, path, request.headers['content-type'] ?? '', body);
    const [, name = '', part = ''] = /^\/pages\/projects\/([^/]+)(?:\/(.+))?$/.exec(path) ?? [];
    const project = projects.get(name);
    if (name !== '' && project === undefined) throw new ApiError(404, 8_000_007, 'Project not found.');
    if (project !== undefined && part === '' && method === 'PATCH') {
      const { deployment_configs: configs } = json() as {
        deployment_configs: Record<string, { env_vars: Record<string, { value: string }> }>;
      };
      for (const [key, { value }] of Object.entries(configs['production']?.env_vars ?? {})) project.secrets.set(key, value);
      return describeProject(name);
    }
    if (project !== undefined && part === '') return describeProject(name);
    if (project !== undefined && part === 'domains') {
      if (method === 'POST') project.domains.set(String(json()['name']), 'initializing');
      const listed = [...project.domains].map(([domain, status]) => ({ id: domain, name: domain, status }));
      return method === 'POST' ? listed.at(-1) : listed;
    }
    if (project !== undefined && part === 'upload-token')
      return { jwt: `${TOKEN}.${Buffer.from('{"exp":9999999999}').toString('base64url')}.s` };
    if (project !== undefined && part === 'deployments' && method === 'POST') {
      const form = await new Response(new Uint8Array(body), {
        headers: { 'Content-Type': request.headers['content-type'] ?? '' },
      }).formData();
      const branch = String(form.get('branch'));
      project.deployments.push({ branch, files: Object.keys(JSON.parse(String(form.get('manifest'))) as object).length });
      const url = (await onDeploy?.(branch)) ?? `https://d${project.deployments.length}.${name}.pages.dev`;
      const stage = { name: 'deploy', status: 'success', started_on: null, ended_on: null };
      return {
        production_branch: 'main',
        project_name: name,
        id: `deployment-${project.deployments.length}`,
        url,
        environment: branch === 'main' ? 'production' : 'preview',
        latest_stage: stage,
        aliases: [],
      };
    }
    const [, deployment] = /^deployments\/([^/]+)$/.exec(part) ?? [];
    if (project !== undefined && deployment !== undefined)
      return { id: deployment, latest_stage: { name: 'deploy', status: 'success' }, aliases: [] };
    throw notKnown(method, path);
  };
  const notKnown = (method: string, path: string): ApiError => {
    unknown.push(`${method} ${path}`);
    return new ApiError(404, 7_000, 'No route for that URI');
  };

  /** Uploads of Workers with files are those of developers.cloudflare.com/workers/static-assets/direct-upload. */
  const respondAboutWorkers = async (method: string, path: string, type: string, body: Buffer): Promise<unknown> => {
    const json = () => JSON.parse(body.toString('utf8')) as { readonly name: string; readonly text: string; readonly manifest: object };
    if (path === '/workers/scripts') return [...workers.keys()].map((id) => ({ id }));
    if (path === '/workers/domains') return [];
    if (path === '/workers/subdomain') return { subdomain: 'ada' };
    if (path === '/workers/assets/upload') return { jwt: TOKEN };
    const [, , kind = '', name = '', part = ''] = /^\/workers(\/(scripts|services|workers)\/([^/]+)(?:\/(.+))?)$/.exec(path) ?? [];
    const upload = async (): Promise<WorkerScript> => {
      const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData();
      const script: WorkerScript = workers.get(name) ?? {
        secrets: new Map(),
        versions: [],
        files: [],
        online: 0,
        crons: [],
        subdomain: {},
      };
      const metadata = JSON.parse(String(form.get('metadata'))) as Record<string, unknown>;
      script.versions.push({ metadata, modules: [...form.keys()].filter((key) => key !== 'metadata') });
      workers.set(name, script);
      return script;
    };
    if (kind === 'scripts' && part === '' && method === 'PUT') {
      const script = await upload();
      script.online = script.versions.length;
      return { id: name, deployment_id: `version-${script.online}`, startup_time_ms: 1 };
    }
    const script = workers.get(name);
    if (script === undefined) throw new ApiError(404, kind === 'services' ? 10_090 : 10_007, 'This Worker does not exist on your account.');
    const version = `version-${script.versions.length}`;
    const url = { preview_url_suffix: `-${name}.ada.workers.dev`, url: `https://${name}.ada.workers.dev` };
    if (kind === 'services')
      return { id: name, default_environment: { environment: 'production', script: { tag: 't', last_deployed_from: 'wrangler' } } };
    if (kind === 'workers') return { id: name, name, subdomain: { ...script.subdomain, ...url } };
    if (part === 'subdomain' && method === 'POST') Object.assign(script.subdomain, json());
    if (part === 'subdomain') return { ...script.subdomain, ...url };
    if (part === 'secrets' && method === 'PUT' && script.online < script.versions.length)
      throw new ApiError(400, 10_215, "The latest version of your Worker isn't currently deployed.");
    if (part === 'secrets' && method === 'PUT') script.secrets.set(json().name, json().text);
    if (part === 'secrets') return [...script.secrets.keys()].map((secret) => ({ name: secret, type: 'secret_text' }));
    if (part === 'script-settings' || part === 'settings') return { tags: [], bindings: [] };
    if (part === 'assets-upload-session') {
      script.files = Object.keys(json().manifest);
      return { jwt: TOKEN, buckets: [] };
    }
    if (part === 'versions' && method === 'POST') {
      await upload();
      return {
        id: `version-${script.versions.length}`,
        startup_time_ms: 1,
        metadata: { has_preview: true },
        resources: { script: { etag: 'e' } },
      };
    }
    if (part === 'schedules') {
      script.crons = json();
      return { schedules: script.crons };
    }
    if (part === 'deployments' && method === 'POST') {
      script.online = script.versions.length;
      await onDeploy?.('main');
      return { id: 'deployment' };
    }
    if (part === 'deployments')
      return { deployments: [{ id: 'deployment', source: 'wrangler', versions: [{ version_id: version, percentage: 100 }] }] };
    throw notKnown(method, path);
  };

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://cloudflare.example');
      response.setHeader('Content-Type', 'application/json');
      try {
        const status = onRequest?.(request.method ?? 'GET', url.pathname);
        if (status !== undefined) throw new ApiError(status, 10_000, 'refused by the test');
        const result = await respond(request.method ?? 'GET', url, request);
        if (result instanceof Uint8Array) response.end(result);
        else if (result instanceof Raw) response.end(JSON.stringify(result.body));
        else if (result instanceof Page)
          response.end(
            JSON.stringify({ success: true, errors: [], messages: [], result: result.keys, result_info: { cursor: result.cursor } }),
          );
        else response.end(JSON.stringify({ success: true, errors: [], messages: [], result }));
      } catch (error) {
        const { status, code, message } = error instanceof ApiError ? error : new ApiError(400, 7_500, String(error));
        response.statusCode = status;
        response.setHeader('Retry-After', '0');
        response.end(JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }));
      }
    })();
  });
  const origin = await listen(server);
  return {
    environment: { CLOUDFLARE_API_BASE_URL: origin, CLOUDFLARE_API_TOKEN: TOKEN },
    namespaces,
    databases,
    projects,
    analytics,
    events,
    workers,
    newDatabase: () => new DatabaseSync(':memory:'),
    unknown,
    stop: async () => {
      await close(server);
      for (const { database } of databases.values()) database.close();
    },
  };
}

class Page {
  readonly keys: unknown[];
  readonly cursor: string;

  constructor(keys: unknown[], cursor: string) {
    this.keys = keys;
    this.cursor = cursor;
  }
}

/** A response without the envelope. */
class Raw {
  readonly body: object;

  constructor(body: object) {
    this.body = body;
  }
}

class ApiError extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Statements that give rows run one by one; others, such as migrations with their triggers, as one text. */
function runSql(database: DatabaseSync, sql: string): object[] {
  if (!/^\s*(select|insert|update|delete|with|replace)\b/i.test(sql)) {
    // A request is one transaction (developers.cloudflare.com/d1/worker-api/d1-database/#batch).
    database.exec('BEGIN');
    try {
      database.exec(`${sql};\nCOMMIT`);
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
    return [{ results: [], success: true, meta: {} }];
  }
  return sql
    .split(/;\s*(?:\n|$)/)
    .filter((statement) => statement.trim() !== '')
    .map((statement) => ({ results: database.prepare(statement).all(), success: true, meta: {} }));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { UserError } from '../publication/content-problem.ts';
import { runWrangler } from './run-process.ts';
import { readWranglerSettings } from './wrangler-settings.ts';

/** Requests that are sent again, each with the seconds before it where Cloudflare names none. */
const RETRY_SECONDS = [1, 4, 16];

const RETRY_MAX_SECONDS = 60;

/** Members that every JSON response has (developers.cloudflare.com/fundamentals/api/how-to/make-api-calls). */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.int(), message: z.string() })).default([]),
  result: z.unknown().optional(),
  result_info: z
    .object({ cursor: z.string().optional(), page: z.int().optional(), total_pages: z.int().optional() })
    .nullish()
    .transform((info) => info ?? {}),
});
type Envelope = z.infer<typeof Envelope>;

export const Account = z.object({ id: z.string(), name: z.string() });
export type Account = z.infer<typeof Account>;

export class CloudflareError extends UserError {
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Codes of Cloudflare, such as 8000007 for a missing Pages project. */
  readonly codes: readonly number[];

  constructor(request: string, status: number, reason: string, codes: readonly number[] = []) {
    super(`Cloudflare ${status === 0 ? 'cannot be reached' : `answered ${status}`} (${request}): ${reason}`);
    this.status = status;
    this.codes = codes;
  }
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Texts and forms are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

const Analytics = z.object({
  data: z.object({ viewer: z.object({ accounts: z.tuple([z.unknown()]) }) }).nullish(),
  errors: z.array(z.object({ message: z.string() })).nullish(),
});

type Headers = Readonly<Record<string, string>>;

export type CloudflareApi = ReturnType<typeof cloudflareApi>;

/**
 * An account at Cloudflare through its API. Paths are those below the account, such as `/d1/database`. Errors are {@link CloudflareError}s.
 *
 * The account is the one that `CLOUDFLARE_ACCOUNT_ID` or wrangler.toml names, else of the only one there is, with the credentials of
 * wrangler: those of the environment, or of `wrangler login`. Nothing is asked before the first request.
 */
export function cloudflareApi(root: string) {
  const credentials = onceDone(() => readCredentials(root));
  const account = onceDone(async () => {
    const chosen = await chosenAccount(root);
    if (chosen !== undefined) return chosen;
    const choice = chooseAccount(await accounts());
    if ('id' in choice) return choice.id;
    throw new UserError(`${choice.detail}: ${choice.mend}`);
  });
  const send = async (path: string, { method = 'GET', body }: RequestOptions = {}): Promise<Response> => {
    const base = process.env['CLOUDFLARE_API_BASE_URL'] ?? 'https://api.cloudflare.com/client/v4';
    const isWhole = typeof body === 'string' || body instanceof FormData;
    const init = {
      method,
      headers: { ...(await credentials()), ...(body !== undefined && !isWhole && { 'Content-Type': 'application/json' }) },
      ...(body !== undefined && { body: isWhole ? body : JSON.stringify(body) }),
    };
    return sendPatiently(base + path, init, `${method} ${path.replace(/\?.*/, '')}`);
  };
  const json = async (path: string, options?: RequestOptions): Promise<Envelope> => readEnvelope(await send(path, options), path);
  const all = async (path: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (let next = ''; ; ) {
      const { result, result_info: info } = await json(path + (next === '' ? '' : (path.includes('?') ? '&' : '?') + next));
      found.push(...z.array(z.unknown()).parse(result));
      if (info.cursor) next = `cursor=${encodeURIComponent(info.cursor)}`;
      else if (info.page !== undefined && info.page < (info.total_pages ?? 0)) next = `page=${info.page + 1}`;
      else return found;
    }
  };
  const accounts = async (): Promise<Account[]> => z.array(Account).parse(await all('/accounts'));
  const below = async (path: string): Promise<string> => `/accounts/${await account()}${path}`;
  /** Analytics have no envelope. */
  const readRaw = async <T>(path: string, body: unknown, Schema: z.ZodType<T>): Promise<T> => {
    const response = await send(path, { method: 'POST', body });
    const text = await response.text();
    try {
      if (response.ok) return Schema.parse(JSON.parse(text));
    } catch {
      // Reported below.
    }
    const mend = 'use a token in CLOUDFLARE_API_TOKEN that may read Account Analytics';
    throw new CloudflareError(path, response.status, response.status === 403 ? mend : text.slice(0, 200));
  };
  return {
    accounts,
    /** Asks the GraphQL Analytics API (developers.cloudflare.com/analytics/graphql-api) for data sets between days, of the database of an id. */
    analytics: async (fields: string, variables: Readonly<Record<'from' | 'to' | 'database', string>>): Promise<unknown> => {
      const query = `query ($account: string!, $from: Date!, $to: Date!, $database: string!) { viewer { accounts(filter: { accountTag: $account }) { ${fields} } } }`;
      const asked = { query, variables: { ...variables, account: await account() } };
      const { data, errors } = await readRaw('/graphql', asked, Analytics);
      if (data) return data.viewer.accounts[0];
      throw new CloudflareError('/graphql', 200, errors?.map(({ message }) => message).join('; ') ?? 'no data');
    },
    /** Rows of a statement of the SQL API of the Analytics Engine (developers.cloudflare.com/analytics/analytics-engine/sql-api). */
    selectEvents: async (sql: string): Promise<readonly unknown[]> => {
      const rows = await readRaw(await below('/analytics_engine/sql'), `${sql} FORMAT JSON`, z.object({ data: z.array(z.unknown()) }));
      return rows.data;
    },
    request: async (path: string, options?: RequestOptions): Promise<unknown> => (await json(await below(path), options)).result,
    /** All pages of a list. */
    list: async (path: string): Promise<unknown[]> => all(await below(path)),
    readBytes: async (path: string): Promise<Uint8Array> => {
      const response = await send(await below(path));
      if (!response.ok) await readEnvelope(response, path);
      return new Uint8Array(await response.arrayBuffer());
    },
  };
}

/** What a function gives the first time that it does not fail. */
function onceDone<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export async function chosenAccount(root: string): Promise<string | undefined> {
  return process.env['CLOUDFLARE_ACCOUNT_ID'] ?? (await readWranglerSettings(root)).accountId;
}

export const NO_ACCOUNT = { detail: 'wrangler is not signed in', mend: 'npx wrangler login, or set CLOUDFLARE_API_TOKEN' };

/** The account to use, or the reason why none can be used and what to do about it. */
export function chooseAccount(accounts: readonly Account[], chosen?: string): Account | { readonly detail: string; readonly mend: string } {
  const [first, ...others] = accounts;
  if (first === undefined) return NO_ACCOUNT;
  const list = accounts.map(({ id, name }) => `${id} (${name})`).join(', ');
  if (chosen === undefined && others.length > 0)
    return { detail: 'you can use several accounts', mend: `set CLOUDFLARE_ACCOUNT_ID to one of ${list}` };
  const account = chosen === undefined ? first : accounts.find(({ id }) => id === chosen);
  return account ?? { detail: `CLOUDFLARE_ACCOUNT_ID is ${chosen}, which you cannot use`, mend: `set it to one of ${list}` };
}

const Credentials = z.union([
  z.object({ type: z.enum(['api_token', 'oauth']), token: z.string() }),
  z.object({ type: z.literal('api_key'), key: z.string(), email: z.string() }),
]);

/** @throws {UserError} If wrangler is not signed in. */
async function readCredentials(root: string): Promise<Headers> {
  const token = process.env['CLOUDFLARE_API_TOKEN'];
  if (token !== undefined) return { Authorization: `Bearer ${token}` };
  const output = await runWrangler(root, ['auth', 'token', '--json']);
  const read = Credentials.parse(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)));
  return read.type === 'api_key' ? { 'X-Auth-Key': read.key, 'X-Auth-Email': read.email } : { Authorization: `Bearer ${read.token}` };
}

/** Sends again what was not done: every request that comes too often, and a reading or replacing one that a server fails at. */
async function sendPatiently(url: string, init: RequestInit, request: string): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const waitSeconds = RETRY_SECONDS[attempt];
    const response = await fetch(url, init).catch((error: unknown) => {
      const reason = error instanceof Error ? String(error.cause ?? error.message) : String(error);
      throw new CloudflareError(request, 0, `${reason}. Behind a proxy, set NODE_USE_ENV_PROXY=1.`);
    });
    const isRepeatable = response.status === 429 || (response.status >= 500 && (init.method === 'GET' || init.method === 'PUT'));
    if (!isRepeatable || waitSeconds === undefined) return response;
    await response.arrayBuffer();
    const named = Number(response.headers.get('Retry-After') ?? Number.NaN);
    await pause(1_000 * Math.min(Number.isNaN(named) ? waitSeconds : named, RETRY_MAX_SECONDS));
  }
}

async function readEnvelope(response: Response, path: string): Promise<Envelope> {
  const text = await response.text();
  let read: Envelope;
  try {
    read = Envelope.parse(JSON.parse(text));
  } catch {
    throw new CloudflareError(path, response.status, `no JSON of its API: ${text.slice(0, 200)}`);
  }
  const { errors, success } = read;
  if (success && response.ok) return read;
  const codes = errors.map(({ code }) => code);
  throw new CloudflareError(path, response.status, errors.map(({ message }) => message).join('; ') || 'no reason', codes);
}

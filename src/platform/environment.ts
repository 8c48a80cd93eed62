import type { PaymentWebhookReader } from '../gateway/commerce/orders/order-ports.ts';
import type { NotConfigured, SigningSecret, SigningSecrets, Timers } from '../gateway/platform-ports.ts';
import { attempt } from '../gateway/result.ts';
import { withinDeadline } from './clock-and-deadlines.ts';

/** Bindings and secrets of the Pages project, from wrangler.toml and the dashboard. */
export interface Environment {
  readonly CAPSULES?: KVNamespace;
  readonly STATE?: D1Database;
  readonly ASSETS: Fetcher;
  /** The companion, which counts requests of the whole location; see src/functions/companion-worker.ts. */
  readonly LIMITER?: Fetcher;
  readonly ANALYTICS?: AnalyticsEngineDataset;
  /** Secrets that sign API keys; see {@link readSigningSecrets}. */
  readonly SIGNING_SECRETS?: string;
  /** What the publisher signs in to the dashboard with: 32 random bytes in base64url. */
  readonly ADMIN_SECRET?: string;
  /** Host of the publisher's team at Cloudflare Access, and the audience of the application that protects the dashboard. */
  readonly ACCESS_TEAM_DOMAIN?: string;
  readonly ACCESS_AUDIENCE?: string;
  readonly STRIPE_SECRET_KEY?: string;
  /** One or two webhook secrets, comma-separated: two during a rotation. */
  readonly STRIPE_WEBHOOK_SECRETS?: string;
  /** Address of a mock of Stripe; read on a loopback address only. */
  readonly STRIPE_API_BASE?: string;
  /** Address of an RPC node of the payment network, at which payments with an unknown outcome are looked up. It may hold a key. */
  readonly PAYMENT_RPC_URL?: string;
}

/** An uncached read takes some hundreds of milliseconds (developers.cloudflare.com/kv/concepts/how-kv-works); a query makes at most five. */
const KV_DEADLINE_MS = 1_500;

/** Deadline of one statement or batch of D1: one round trip to wherever the database is. */
const DATABASE_DEADLINE_MS = 2_000;

export const FILES_DEADLINE_MS = 2_000;

/** The same bindings with a deadline on each call that is made here: late calls throw a {@link DeadlineError}. The form of rows is checked. */
export function boundEnvironment(environment: Environment, timers: Timers): Environment {
  const { CAPSULES, STATE, ASSETS } = environment;
  return {
    ...environment,
    ...(CAPSULES ? { CAPSULES: withDeadlines(CAPSULES, ['get', 'put'], KV_DEADLINE_MS, timers) } : {}),
    ...(STATE ? { STATE: boundDatabase(STATE, timers) } : {}),
    ASSETS: withDeadlines(ASSETS, ['fetch'], FILES_DEADLINE_MS, timers, (response) => {
      if (response instanceof Response) void response.body?.cancel().catch(() => undefined);
    }),
  };
}

function withDeadlines<T extends object>(
  binding: T,
  methods: readonly (keyof T & string)[],
  ms: number,
  timers: Timers,
  onLate?: (value: unknown) => void,
): T {
  const names: readonly string[] = methods;
  return replaceMethods(binding, (name, method) =>
    names.includes(name) ? (...values) => withinDeadline(async () => method(...values), ms, name, timers, onLate) : method,
  );
}

function boundDatabase(database: D1Database, timers: Timers): D1Database {
  const inTime = <T>(call: () => Promise<T>, name: string): Promise<T> => withinDeadline(call, DATABASE_DEADLINE_MS, name, timers);
  /** The binding's own statement of each bound one: a batch accepts only its own. */
  const originals = new WeakMap<object, object>();
  const boundStatement = (statement: object): object => {
    const bound = replaceMethods(statement, (name, method) => {
      if (name === 'bind') return (...values) => boundStatement(method(...values) as object);
      if (name !== 'first' && name !== 'all') return method;
      const isResult = name === 'all' ? hasRows : isRowOrNull;
      return (...values) => inTime(async () => requireForm(isResult, await method(...values), name), `statement.${name}`);
    });
    originals.set(bound, statement);
    return bound;
  };
  return replaceMethods(database, (name, method) => {
    if (name === 'prepare') return (...values) => boundStatement(method(...values) as object);
    if (name !== 'batch') return method;
    return (statements) => {
      const own = (statements as object[]).map((statement) => originals.get(statement) ?? statement);
      const isResult = (results: unknown) => Array.isArray(results) && results.length === own.length && results.every(hasRows);
      return inTime(async () => requireForm(isResult, await method(own), name), name);
    };
  });
}

type Method = (...values: unknown[]) => unknown;

function replaceMethods<T extends object>(object: T, replace: (name: string, method: Method) => Method): T {
  return new Proxy(object, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return replace(name, (...values) => Reflect.apply(value, target, values) as unknown);
    },
  });
}

/** The database returned something other than the result of its operation: a part was lost, or it is the result of another. */
class MalformedResultError extends Error {
  override readonly name = 'MalformedResultError';
}

/** A result in the form that D1 promises; so a row that is absent from it was not stored, rather than lost on the way. */
function requireForm(isResult: (result: unknown) => boolean, result: unknown, operation: string): unknown {
  if (isResult(result)) return result;
  throw new MalformedResultError(`the result of "${operation}" is malformed`);
}

function hasRows(result: unknown): boolean {
  const rows = typeof result === 'object' && result !== null && 'results' in result ? result.results : undefined;
  return Array.isArray(rows) && rows.every(isRow);
}

const isRowOrNull = (row: unknown): boolean => row === null || isRow(row);

function isRow(row: unknown): boolean {
  return typeof row === 'object' && row !== null && Object.keys(row).length > 0;
}

/** Fewest bytes of a signing secret (RFC 2104 section 3: at least the length of the hash). */
const SIGNING_SECRET_MIN_BYTES = 32;
/** Fewest distinct bytes; of 32 random bytes about 30 are distinct. */
const MIN_DISTINCT_BYTES = 8;
/** Words in secrets that were typed by hand or copied from a page. */
const SAMPLE_WORDS = /secret|example|sample|change[-_ ]?me|passw|default|placeholder|insecure/i;

/**
 * Reads `SIGNING_SECRETS`: one or more `<id>:<secret in base64url>`, comma-separated; the first one signs. Only a `local` place, on a loopback
 * address, may have secrets that count up or contain words. The reason why they cannot be used does not show them.
 */
export async function readSigningSecrets(
  text: string | undefined,
  place: 'local' | 'live' = 'local',
): Promise<SigningSecrets | NotConfigured> {
  const noSecret = { missing: 'This deployment has no signing secret, so it can neither issue nor accept keys.' };
  if (text === undefined || text.trim() === '') return noSecret;
  const secrets: SigningSecret[] = [];
  for (const entry of text.split(',')) {
    const [, id, value] = /^\s*([1-9]\d{0,2}):([A-Za-z0-9_-]+)\s*$/.exec(entry) ?? [];
    const bytes = value === undefined ? undefined : fromBase64Url(value);
    if (id === undefined || value === undefined || Number(id) > 255 || bytes === undefined)
      return { missing: 'The signing secret of this deployment does not have the form <id>:<base64url>.' };
    if (bytes.length < SIGNING_SECRET_MIN_BYTES || new Set(bytes).size < MIN_DISTINCT_BYTES)
      return { missing: 'The signing secret of this deployment is too weak to be used.' };
    if (place === 'live' && isSample(value, bytes))
      return { missing: 'The signing secret of this deployment is a publicly known sample. Generate a random one.' };
    if (secrets.some((secret) => secret.id === Number(id))) return { missing: 'Two signing secrets of this deployment have the same id.' };
    secrets.push({ id: Number(id), key: await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']) });
  }
  const [first, ...rest] = secrets;
  return first ? [first, ...rest] : noSecret;
}

function isSample(text: string, bytes: Uint8Array): boolean {
  const step = (index: number): number => ((bytes[index] ?? 0) - (bytes[index - 1] ?? 0)) & 0xff;
  const isSequence = bytes.every((_, index) => index < 2 || step(index) === step(1));
  return isSequence || SAMPLE_WORDS.test(text) || SAMPLE_WORDS.test(String.fromCharCode(...bytes));
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return attempt(() => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

/** Most webhook secrets at a time: two during a rotation. */
const WEBHOOK_SECRETS_MAX = 2;
const WEBHOOK_SECRET = /^[\x21-\x7e]{24,}$/;

/** Reads `STRIPE_WEBHOOK_SECRETS`: one or two secrets, comma-separated, which no reason shows. */
export function stripeWebhookReader(text: string | undefined): PaymentWebhookReader | NotConfigured {
  const secrets = (text ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
  if (secrets.length === 0) return { missing: 'This deployment has no secret to verify payment webhooks with.' };
  if (secrets.length > WEBHOOK_SECRETS_MAX || !secrets.every((secret) => WEBHOOK_SECRET.test(secret)))
    return { missing: 'The webhook secrets of this deployment are not one or two usable secrets.' };
  return async (body, signature, nowMs) => (await import('./stripe/stripe-events.ts')).readStripeEvent(body, signature, secrets, nowMs);
}

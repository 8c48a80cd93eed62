import type { Clock } from '../../src/gateway/ports.ts';
import { blockPath } from '../../src/schemas/paths.ts';
import type { SimulatedTime } from '../support/simulated/time.ts';
import type { FaultKind, FaultyCall } from './fault-kinds.ts';

/** How long a slow call takes, in milliseconds. */
const SLOW_MS = 5_000;
const AHEAD_MS = 3_600_000;
/** Less than the five minutes by which the clocks of locations may differ. */
const BEHIND_MS = -240_000;

const FOREVER = new Promise<never>(() => undefined);

/**
 * Bindings whose calls are counted, and fail as a plan says. The same object serves all bindings of an isolate, so that their calls are
 * numbered in the order in which they are made.
 */
export class FaultyStores {
  readonly #time: SimulatedTime;
  #plan: ReadonlyMap<number, FaultKind> = new Map();
  #calls: FaultyCall[] = [];
  #isCounting = false;
  /** What a location of KV holds to be missing. */
  readonly #missing = new Set<string>();
  #skewMs = 0;

  constructor(time: SimulatedTime) {
    this.#time = time;
  }

  /** Counts calls from now on, and gives those with a number in the plan, from 0 on, their fault. */
  begin(plan: ReadonlyMap<number, FaultKind>): void {
    this.#plan = plan;
    this.#calls = [];
    this.#isCounting = true;
  }

  /** Ends all faults; gives the calls that were counted. */
  end(): readonly FaultyCall[] {
    this.#isCounting = false;
    this.#skewMs = 0;
    return this.#calls;
  }

  /** Lets locations of KV forget what they held to be missing. */
  forgetMissing(): void {
    this.#missing.clear();
  }

  clock(): Clock {
    return {
      nowMs: () => {
        const fault = this.#next({ store: 'clock', operation: 'now', writes: false });
        if (fault !== undefined) this.#skewMs = fault === 'ahead' ? AHEAD_MS : BEHIND_MS;
        return this.#time.nowMs + this.#skewMs;
      },
    };
  }

  keyValue(namespace: KVNamespace): KVNamespace {
    const read = namespace.get as (keys: string | string[], options: object) => Promise<unknown>;
    const get = async (keys: string | string[], options: object): Promise<unknown> => {
      const isMany = Array.isArray(keys);
      const wanted = [keys].flat();
      const fault = this.#next({ store: 'key-value', operation: isMany ? 'getMany' : 'get', writes: false });
      if (fault === 'missing') for (const key of wanted) this.#missing.add(key);
      const apply = async (): Promise<unknown> => {
        const found = await read(keys, options);
        if (fault === 'stale') return isMany ? new Map(wanted.map((key) => [key, null])) : null;
        if (fault === 'torn' || fault === 'zeroed') {
          const damaged = fault === 'torn' ? half : zeroed;
          return isMany ? new Map(wanted.map((key) => [key, damaged((found as Map<string, unknown>).get(key))])) : damaged(found);
        }
        if (fault === 'wrong_type') return isMany ? { keys: 'none' } : 'a text and no bytes';
        if (!isMany) return this.#missing.has(keys) ? null : found;
        return new Map([...(found as Map<string, unknown>)].map(([key, value]) => [key, this.#missing.has(key) ? null : value]));
      };
      return this.#through(fault, ['KV GET failed: 500 Internal Server Error', 'KV GET failed: 429 Too Many Requests'], apply);
    };
    return { ...namespace, get: get as KVNamespace['get'] };
  }

  database(database: D1Database): D1Database {
    const errors = ['D1_ERROR: Network connection lost.', 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.'] as const;
    const originals = new WeakMap<object, { statement: D1PreparedStatement; sql: string }>();
    const statementOf = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
      const call =
        (operation: 'first' | 'all' | 'run' | 'raw') =>
        (...values: unknown[]): Promise<unknown> => {
          const fault = this.#next({ store: 'database', operation, writes: !isRead(sql) });
          const apply = (): Promise<unknown> => (statement[operation] as (...given: unknown[]) => Promise<unknown>)(...values);
          return this.#through(fault, errors, async () => damagedResult(await apply(), operation, fault));
        };
      const faulty = {
        bind: (...values: unknown[]) => statementOf(statement.bind(...values), sql),
        first: call('first'),
        all: call('all'),
        run: call('run'),
        raw: call('raw'),
      } as unknown as D1PreparedStatement;
      originals.set(faulty, { statement, sql });
      return faulty;
    };
    const batch = (given: D1PreparedStatement[]): Promise<unknown> => {
      const statements = given.map((statement) => {
        const original = originals.get(statement);
        if (original === undefined) throw new TypeError('a batch takes statements that this database prepared');
        return original;
      });
      const fault = this.#next({ store: 'database', operation: 'batch', writes: statements.some(({ sql }) => !isRead(sql)) });
      const apply = (): Promise<unknown> => database.batch(statements.map(({ statement }) => statement));
      return this.#through(fault, errors, async () => damagedResult(await apply(), 'batch', fault));
    };
    return { prepare: (sql: string) => statementOf(database.prepare(sql), sql), batch: batch as D1Database['batch'] };
  }

  assets(assets: Fetcher): Fetcher {
    return {
      fetch: (input, init) => {
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        const fault = this.#next({
          store: 'assets',
          operation: pathname.startsWith(blockPath('')) ? 'fetchBlock' : 'fetch',
          writes: false,
        });
        if (fault === 'missing') this.#missing.add(pathname);
        return this.#through(fault, ['the files cannot be reached', undefined], async () => {
          if (fault === 'limited') return new Response('Too Many Requests', { status: 429 });
          if (fault === 'stale' || this.#missing.has(pathname)) return new Response('not found', { status: 404 });
          const response = await assets.fetch(input, init);
          if (fault === 'wrong_type') return new Response('Internal Server Error', { status: 500 });
          if (fault !== 'torn' && fault !== 'zeroed') return response;
          const bytes = new Uint8Array(await response.arrayBuffer());
          if (fault === 'zeroed') return new Response(bytes.fill(0, bytes.length >> 1), response);
          return new Response(brokenOff(bytes), response);
        });
      },
    };
  }

  #next(call: FaultyCall): FaultKind | undefined {
    if (!this.#isCounting) return undefined;
    this.#calls.push(call);
    return this.#plan.get(this.#calls.length - 1);
  }

  /** @param errors What a broken connection and too many calls are told by; `undefined` where that is an answer. */
  async #through<T>(fault: FaultKind | undefined, errors: readonly [string, string | undefined], apply: () => Promise<T>): Promise<T> {
    const [broken, limited] = errors;
    if (fault === 'throws') throw new Error(broken);
    if (fault === 'limited' && limited !== undefined) throw new Error(limited);
    if (fault === 'hangs') return FOREVER;
    if (fault === 'slow') await this.#time.sleep(SLOW_MS / 2);
    const value = await apply();
    if (fault === 'slow') await this.#time.sleep(SLOW_MS / 2);
    if (fault === 'reply_lost') throw new Error(broken);
    if (fault === 'applied_hangs') return FOREVER;
    return value;
  }
}

/** The first half of some bytes, after which the connection breaks. */
function brokenOff(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(bytes.slice(0, bytes.length >> 1)),
    pull: (controller) => controller.error(new Error('the connection was lost')),
  });
}

function isRead(sql: string): boolean {
  return /^\s*(SELECT|WITH\b(?!.*\b(INSERT|UPDATE|DELETE)\b))/is.test(sql);
}

function zeroed(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, value.length >> 1).padEnd(value.length, '\0');
  return value instanceof ArrayBuffer ? new Uint8Array(value.slice(0)).fill(0, value.byteLength >> 1).buffer : value;
}

function half(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, value.length >> 1);
  return value instanceof ArrayBuffer ? value.slice(0, value.byteLength >> 1) : value;
}

/** A result of the database as a fault leaves it. */
function damagedResult(result: unknown, operation: string, fault: FaultKind | undefined): unknown {
  if (fault === 'torn') return operation === 'batch' ? (result as unknown[]).slice(0, 1) : operation === 'first' ? {} : { success: true };
  if (fault === 'wrong_type') return operation === 'batch' ? 'no list' : 'no result';
  return result;
}

import type { Timers } from '../gateway/ports.ts';
import { requireBatchResults, requireResult } from './d1/database.ts';
import type { Environment } from './environment.ts';

/**
 * Longest time that one read of KV may take, in milliseconds. A read that no cache holds comes from a central store and takes some
 * hundreds of milliseconds (developers.cloudflare.com/kv/concepts/how-kv-works); a query makes at most five reads one after another.
 */
const KV_DEADLINE_MS = 1_500;

/** Longest time that one statement or batch of D1 may take: one trip to the place of the database and back, wherever that is. */
const DATABASE_DEADLINE_MS = 2_000;

/** Longest time until the static files of the deploy respond. */
export const FILES_DEADLINE_MS = 2_000;

/** A store did not respond in time. What was requested may still happen. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * The result of a call, if it comes in time. A later result or error is dropped.
 *
 * @param what Name of the call, for the log.
 * @param dropped Receives a result that came too late, to release what it holds.
 * @throws {DeadlineError} After `ms` milliseconds.
 */
export async function withinDeadline<T>(
  call: () => Promise<T>,
  ms: number,
  what: string,
  timers: Timers,
  dropped: (value: T) => void = () => undefined,
): Promise<T> {
  const waiting = timers.wait(ms);
  let isLate = false;
  // Called in a chain, so that a binding that throws at once is treated like one that rejects.
  const answered = Promise.resolve().then(call);
  answered.then(
    (value) => isLate && dropped(value),
    () => undefined,
  );
  const late = waiting.over.then((): never => {
    isLate = true;
    throw new DeadlineError(`${what} did not respond within ${ms} ms`);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    waiting.cancel();
  }
}

/**
 * The same bindings with a deadline on each call: it returns what the binding returns, or throws a {@link DeadlineError}. Results of the
 * database are checked for their form.
 */
export function boundEnvironment(environment: Environment, timers: Timers): Environment {
  const { CAPSULES, STATE, ASSETS } = environment;
  return {
    ...environment,
    ...(CAPSULES ? { CAPSULES: withDeadlines(CAPSULES, ['get', 'put', 'delete', 'list'], KV_DEADLINE_MS, timers) } : {}),
    ...(STATE ? { STATE: boundDatabase(STATE, timers) } : {}),
    ASSETS: withDeadlines(ASSETS, ['fetch'], FILES_DEADLINE_MS, timers, (response) => {
      if (response instanceof Response) void response.body?.cancel().catch(() => undefined);
    }),
  };
}

/** A binding with a deadline on some of its methods. */
function withDeadlines<T extends object>(
  binding: T,
  methods: readonly (keyof T & string)[],
  ms: number,
  timers: Timers,
  dropped?: (value: unknown) => void,
): T {
  return replaceMethods(binding, (name, method) =>
    methods.some((one) => one === name)
      ? (...values) => withinDeadline(async () => method(...values), ms, name, timers, dropped)
      : (...values) => method(...values),
  );
}

const STATEMENT_READS: readonly string[] = ['first', 'run', 'all', 'raw'];

function boundDatabase(database: D1Database, timers: Timers): D1Database {
  /** The binding's own statements by those that are handed out: a batch accepts only its own. */
  const originals = new WeakMap<object, object>();
  const boundStatement = (statement: object): object => {
    const bound = replaceMethods(statement, (name, method) => {
      if (name === 'bind') return (...values) => boundStatement(method(...values) as object);
      if (!STATEMENT_READS.includes(name)) return (...values) => method(...values);
      return (...values) =>
        withinDeadline(async () => requireResult(name, await method(...values), values), DATABASE_DEADLINE_MS, `statement.${name}`, timers);
    });
    originals.set(bound, statement);
    return bound;
  };
  return replaceMethods(database, (name, method) => {
    if (name === 'prepare') return (...values) => boundStatement(method(...values) as object);
    if (name === 'withSession') return (...values) => boundDatabase(method(...values) as D1Database, timers);
    if (name === 'batch')
      return (statements) => {
        const own = (statements as object[]).map((statement) => originals.get(statement) ?? statement);
        return withinDeadline(async () => requireBatchResults(await method(own), own.length), DATABASE_DEADLINE_MS, 'batch', timers);
      };
    return name === 'exec'
      ? (...values) => withinDeadline(async () => method(...values), DATABASE_DEADLINE_MS, name, timers)
      : (...values) => method(...values);
  });
}

type Method = (...values: unknown[]) => unknown;

/** An object whose methods are replaced; each replacement receives the bound original. */
function replaceMethods<T extends object>(object: T, replace: (name: string, method: Method) => Method): T {
  return new Proxy(object, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return replace(name, (...values) => Reflect.apply(value, target, values) as unknown);
    },
  });
}

import type { Timers } from '../gateway/ports.ts';
import { requireAnswer, requireAnswers } from './d1/require-answer.ts';
import type { Environment } from './environment.ts';

/**
 * Longest time that one read of KV may take, in milliseconds. A read that no cache holds comes from a central store and takes some
 * hundreds of milliseconds (developers.cloudflare.com/kv/concepts/how-kv-works); a query makes at most five reads one after another.
 */
const KV_DEADLINE_MS = 1_500;

/** Longest time that one statement or batch of D1 may take: one trip to the place of the database and back, wherever that is. */
const DATABASE_DEADLINE_MS = 2_000;

/** Longest time until the static files of the deploy begin to answer. */
export const FILES_DEADLINE_MS = 2_000;

/** A store did not answer in time. What it was asked to do may still happen. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * What a call gives, if it comes in time. What comes later is dropped, a late fault too.
 *
 * @param what Name of the call, for the log.
 * @param dropped Takes a value that came too late, to let go of what it holds.
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
    throw new DeadlineError(`${what} gave no answer within ${ms} ms`);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    waiting.cancel();
  }
}

/**
 * The same bindings, each call of which is over in time: it gives what the binding gives, or throws a {@link DeadlineError}. What a
 * database gives has the form of its answers.
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

/** A binding some methods of which are over in time; all else is the binding's own. */
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
  /** Statements of the binding itself by those that are handed out: a batch takes none but its own. */
  const originals = new WeakMap<object, object>();
  const boundStatement = (statement: object): object => {
    const bound = replaceMethods(statement, (name, method) => {
      if (name === 'bind') return (...values) => boundStatement(method(...values) as object);
      if (!STATEMENT_READS.includes(name)) return (...values) => method(...values);
      return (...values) =>
        withinDeadline(async () => requireAnswer(name, await method(...values), values), DATABASE_DEADLINE_MS, `statement.${name}`, timers);
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
        return withinDeadline(async () => requireAnswers(await method(own), own.length), DATABASE_DEADLINE_MS, 'batch', timers);
      };
    return name === 'exec'
      ? (...values) => withinDeadline(async () => method(...values), DATABASE_DEADLINE_MS, name, timers)
      : (...values) => method(...values);
  });
}

type Method = (...values: unknown[]) => unknown;

/** An object whose methods are replaced; each replacement is given the method of the object, ready to be called. */
function replaceMethods<T extends object>(object: T, replace: (name: string, method: Method) => Method): T {
  return new Proxy(object, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return replace(name, (...values) => Reflect.apply(value, target, values) as unknown);
    },
  });
}

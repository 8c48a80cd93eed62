import type { SimulatedTime } from './time.ts';

/**
 * What becomes of one call of a store: it works; it fails before it did anything; it is done, and its answer is lost; it is done or not,
 * and no answer ever comes.
 */
export type Fault = 'none' | 'refused' | 'reply_lost' | 'hangs' | 'applied_hangs';

export interface StoreCall {
  readonly store: 'database' | 'key-value' | 'assets';
  /** `batch`, `run`, `all`, `first`, `raw`; `get`, `put`, `delete`, `list`; `fetch`. */
  readonly operation: string;
  readonly what: readonly string[];
}

export interface StoreWeather {
  readonly fault?: (call: StoreCall) => Fault;
  /** How long a call takes, in milliseconds of simulated time; half of it passes before it is applied. No time by default. */
  readonly latencyMs?: (call: StoreCall) => number;
  /** Hears of calls that the store itself refuses, as for a statement that breaks a rule. */
  readonly refused?: (call: StoreCall, error: unknown) => void;
}

/** A promise of its own for each call: one for all would keep in memory whatever ever waited for it. */
const forever = (): Promise<never> => new Promise(() => undefined);

export async function throughWeather<T>(
  call: StoreCall,
  { fault, latencyMs, refused }: StoreWeather,
  time: SimulatedTime,
  lost: string,
  apply: () => T,
): Promise<T> {
  const became = fault?.(call) ?? 'none';
  const half = (latencyMs?.(call) ?? 0) / 2;
  await time.sleep(half);
  if (became === 'hangs') return forever();
  if (became === 'refused') throw new Error(lost);
  const value = applied(call, refused, apply);
  await time.sleep(half);
  if (became === 'applied_hangs') return forever();
  if (became === 'reply_lost') throw new Error(lost);
  return value;
}

function applied<T>(call: StoreCall, refused: StoreWeather['refused'], apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    refused?.(call, error);
    throw error;
  }
}

/** Static files of a deploy by their paths; what is not there is answered with 404, and everything else as it was built. */
export function simulatedAssets(time: SimulatedTime, files: ReadonlyMap<string, Uint8Array>, weather: StoreWeather = {}): Fetcher {
  return {
    fetch: (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      return throughWeather({ store: 'assets', operation: 'fetch', what: [pathname] }, weather, time, 'the files cannot be reached', () => {
        const bytes = files.get(pathname);
        return bytes === undefined ? new Response('not found', { status: 404 }) : new Response(bytes.slice());
      });
    },
  };
}

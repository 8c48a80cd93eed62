/** Stores whose calls are made to fail; the clock is one of them. */
export type FaultyStore = 'key-value' | 'database' | 'assets' | 'clock';

/**
 * What becomes of a call.
 *
 * - `throws`, `limited`: nothing is done; the error is that of a broken connection, or of too many calls.
 * - `hangs`: nothing is done, and no answer ever comes.
 * - `slow`: it is done after 2.5 seconds and answered after 5.
 * - `stale`: it reads what was there before the newest write. Not of the database: D1 answers from the place where it writes unless a
 *   session is asked for (developers.cloudflare.com/d1/best-practices/read-replication), and none is.
 * - `missing`: what it reads is not there, and stays so for a minute, as a location of KV remembers it.
 * - `torn`: the second half of what it reads is lost.
 * - `zeroed`: the second half of the block that it reads is zeros.
 * - `wrong_type`: it reads something of another kind.
 * - `reply_lost`: it is done, and the connection breaks before the answer.
 * - `applied_hangs`: it is done, and no answer ever comes.
 * - `ahead`, `behind`: the clock jumps an hour forward, or four minutes back, and stays there.
 */
export type FaultKind =
  | 'throws'
  | 'limited'
  | 'hangs'
  | 'slow'
  | 'stale'
  | 'missing'
  | 'torn'
  | 'zeroed'
  | 'wrong_type'
  | 'reply_lost'
  | 'applied_hangs'
  | 'ahead'
  | 'behind';

/** One call of a store, as a request makes it. */
export interface FaultyCall {
  readonly store: FaultyStore;
  /** `get`, `getMany`; `first`, `all`, `run`, `raw`, `batch`; `fetch` for a page, `fetchBlock`; `now`. */
  readonly operation: string;
  /** Whether it changes something. */
  readonly writes: boolean;
}

const READ_FAULTS: readonly FaultKind[] = ['throws', 'limited', 'hangs', 'slow', 'torn', 'wrong_type'];

/** Every fault that a call can have. */
export function faultsOf({ store, operation, writes }: FaultyCall): readonly FaultKind[] {
  if (store === 'clock') return ['ahead', 'behind'];
  if (store !== 'database') return [...READ_FAULTS, 'stale', 'missing', ...(operation === 'fetch' ? [] : (['zeroed'] as const))];
  return writes ? [...READ_FAULTS, 'reply_lost', 'applied_hangs'] : READ_FAULTS;
}

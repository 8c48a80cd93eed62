import type { Clock, Randomness, Timers } from '../gateway/platform-ports.ts';

/** Time and randomness of an isolate. Tests inject their own, so that runs can be replayed. */
export interface Runtime {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
}

export const systemRuntime: Runtime = {
  clock: { nowMs: () => Date.now() },
  randomness: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
  timers: {
    wait: (ms) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
      });
      return {
        over,
        cancel: () => clearTimeout(timer),
      };
    },
  },
};

/** A store or service did not respond in time. What was requested may still happen. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * The result of a call, if it arrives in time. A later error is dropped, and so is a later result, after `onLate`, which releases what it
 * holds.
 * @throws {DeadlineError} After `ms` milliseconds; `name` is for its message.
 */
export async function withinDeadline<T>(
  call: () => Promise<T>,
  ms: number,
  name: string,
  timers: Timers,
  onLate: (value: T) => void = () => undefined,
): Promise<T> {
  const waiting = timers.wait(ms);
  let isLate = false;
  // Called in a chain, so that a binding that throws synchronously is treated like one that rejects.
  const response = Promise.resolve().then(call);
  response.then(
    (value) => isLate && onLate(value),
    () => undefined,
  );
  const late = waiting.over.then((): never => {
    isLate = true;
    throw new DeadlineError(`${name} did not respond within ${ms} ms`);
  });
  try {
    return await Promise.race([response, late]);
  } finally {
    waiting.cancel();
  }
}

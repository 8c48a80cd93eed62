import type { Clock, Randomness, Timers } from '../gateway/ports.ts';

/** Time and randomness of an isolate. Tests inject their own, so that runs can be replayed. */
export interface Runtime {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly timers: Timers;
}

/** The clock, randomness and timers of the platform. */
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

import type { Clock, Timers } from '../../../src/gateway/platform-ports.ts';
import type { Runtime } from '../../../src/platform/clock-and-deadlines.ts';
import { below, type Random, seededRandom } from '../../eval/random.ts';

/** Real milliseconds that {@link SimulatedTime.run} waits for work of the machine itself before it says that nothing will happen. */
const IDLE_MS_MAX = 500;

/** Turns of the event loop before time passes: what a request awaits of this thread, such as a body that is a stream, may take more than one. */
const OWN_TURNS = 3;

/** Turns of the event loop in which work of the machine that is quick gets done. */
const QUICK_TURNS = 50;

/** Thrown when work waits for something that will never happen, as for a store that hangs, while nobody has set a timer. */
export class NothingHappensError extends Error {
  override readonly name = 'NothingHappensError';
}

interface Event {
  readonly atMs: number;
  readonly happen: () => void;
}

/**
 * Time that passes when a test says so. Whatever waits, timers and slow stores alike, is an event in one queue, so that the order of
 * all that happens follows from the seed alone. Cryptography of the machine's own threads would not: see `direct-crypto.ts`.
 */
export class SimulatedTime {
  #nowMs: number;
  /** Earliest first; those of one moment in the order in which they were asked for. */
  readonly #events: Event[] = [];

  /** @param nowMs Beginning, in milliseconds since the epoch. */
  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** True time, in milliseconds since the epoch. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** A clock that runs ahead of true time by `skewMs()`, or behind it. */
  clock(skewMs: () => number = () => 0): Clock {
    return { nowMs: () => this.#nowMs + skewMs() };
  }

  readonly timers: Timers = {
    wait: (ms) => {
      let cancel = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        cancel = this.#schedule(ms, resolve);
      });
      return { over, cancel: () => cancel() };
    },
  };

  /** Waits for `ms` of this time; a wait of no time is over at once. */
  sleep(ms: number): Promise<void> {
    return ms <= 0 ? Promise.resolve() : this.timers.wait(ms).over;
  }

  /** Lets `ms` pass, and all that happens meanwhile happen. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await turn();
    for (let next = this.#events[0]; next !== undefined && next.atMs <= untilMs; next = this.#events[0]) {
      this.#step();
      await turn();
    }
    this.#nowMs = untilMs;
  }

  /**
   * Lets time pass until `work` is over, and no longer.
   *
   * @throws {NothingHappensError} If it waits for something that will never happen.
   */
  async run<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const noteEnd = (): void => {
      over = true;
    };
    work.then(noteEnd, noteEnd);
    let idle = 0;
    for (;;) {
      for (let turns = 0; turns < OWN_TURNS; turns++) await turn();
      if (over) return work;
      if (this.#step()) idle = 0;
      else if (idle < QUICK_TURNS + IDLE_MS_MAX) await (++idle < QUICK_TURNS ? turn() : machineMillisecond());
      else throw new NothingHappensError('the work is not over, and nothing is left that could happen');
    }
  }

  #schedule(ms: number, happen: () => void): () => void {
    // Clocks tell whole milliseconds.
    const event: Event = { atMs: this.#nowMs + Math.max(0, Math.ceil(ms)), happen };
    const before = this.#events.findLastIndex(({ atMs }) => atMs <= event.atMs);
    this.#events.splice(before + 1, 0, event);
    return () => {
      const at = this.#events.indexOf(event);
      if (at >= 0) this.#events.splice(at, 1);
    };
  }

  #step(): boolean {
    const next = this.#events.shift();
    if (next === undefined) return false;
    this.#nowMs = next.atMs;
    next.happen();
    return true;
  }
}

/** One turn of the event loop: all that waits for nothing but other work of this thread is done after it. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function machineMillisecond(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1);
  });
}

/** A world of simulated time and seeded chance, as one isolate sees it. */
export function simulatedRuntime(time: SimulatedTime, random: Random = seededRandom(1), skewMs: () => number = () => 0): Runtime {
  return {
    clock: time.clock(skewMs),
    randomness: { bytes: (length) => Uint8Array.from({ length }, () => below(random, 256)) },
    timers: time.timers,
  };
}

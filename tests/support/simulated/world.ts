import type { Runtime } from '../../../src/platform/runtime.ts';
import { below, type Random, seededRandom } from '../../eval/random.ts';
import type { SimulatedTime } from './time.ts';

/** A world of simulated time and seeded chance, as one isolate sees it. */
export function simulatedRuntime(time: SimulatedTime, random: Random = seededRandom(1), skewMs: () => number = () => 0): Runtime {
  return {
    clock: time.clock(skewMs),
    randomness: { bytes: (length) => Uint8Array.from({ length }, () => below(random, 256)) },
    timers: time.timers,
  };
}

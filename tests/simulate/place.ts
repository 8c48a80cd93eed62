import type { Gateway } from '../../src/http/gateway-app.ts';
import { below, type Random } from '../eval/random.ts';
import type { Fault, StoreCall, StoreWeather } from '../support/simulated/faults.ts';
import { simulatedGateway } from '../support/simulated/gateway.ts';
import type { InMemoryBuild } from '../support/simulated/in-memory-build.ts';
import { simulatedRuntime } from '../support/simulated/time.ts';
import type { Lifetime } from './lifetime.ts';

export type Condition = 'well' | 'loses' | 'refuses' | 'hangs';
export const CONDITIONS: readonly Condition[] = ['well', 'loses', 'refuses', 'hangs'];

export class Place {
  readonly name: string;
  readonly skewMs: number;
  database: Condition = 'well';
  keyValue: Condition = 'well';
  /** Since when the database has been well here without a break, in true time. */
  databaseWellSinceMs = Number.NEGATIVE_INFINITY;
  /** Place of the deploy that new isolates run. */
  build: number;
  readonly isolates: Isolate[] = [];

  constructor(name: string, skewMs: number, build: number) {
    this.name = name;
    this.skewMs = skewMs;
    this.build = build;
  }
}

export class Isolate {
  readonly name: string;
  readonly place: Place;
  readonly build: number;
  readonly deployed: InMemoryBuild;
  /** When it last lacked a block or could not read one, in true time. */
  lastIndexTroubleMs = Number.NEGATIVE_INFINITY;
  /** Calls of stores that it still makes before it dies in the middle of its work. */
  callsLeft = Number.POSITIVE_INFINITY;
  readonly #around: Lifetime;
  #gateway: Promise<Gateway> | undefined;

  constructor(name: string, place: Place, deployed: InMemoryBuild, around: Lifetime) {
    this.name = name;
    this.place = place;
    this.build = place.build;
    this.deployed = deployed;
    this.#around = around;
  }

  get nowMs(): number {
    return this.#around.time.nowMs + this.place.skewMs;
  }

  get isDead(): boolean {
    return this.callsLeft < 0;
  }

  gateway(): Promise<Gateway> {
    this.#gateway ??= this.#start();
    return this.#gateway;
  }

  #start(): Promise<Gateway> {
    const { time, random, database, keyValue, note } = this.#around;
    const weather: StoreWeather = {
      fault: (call) => this.#fault(call),
      latencyMs: ({ store }) => 2 + below(random, store === 'database' ? 80 : 20),
      refused: ({ what }, error) => note(`${this.name}: ${String(error)} in ${what.join('; ')}`),
    };
    return simulatedGateway({
      generated: this.deployed.generated,
      world: simulatedRuntime(time, random, () => this.place.skewMs),
      database: database.binding(weather),
      keyValue: this.#noting(keyValue.binding(this.place.name, weather)),
    });
  }

  /** What becomes of a call when the isolate dies with it, or has died. */
  #lifeFault(): Fault | undefined {
    this.callsLeft -= 1;
    if (this.callsLeft >= 0) return undefined;
    return this.#around.random() < 0.5 ? 'hangs' : 'applied_hangs';
  }

  #fault({ store }: StoreCall): Fault {
    const dying = this.#lifeFault();
    if (dying !== undefined) return dying;
    const { random } = this.#around;
    const fault = faultOf(store === 'database' ? this.place.database : this.place.keyValue, random);
    if (fault !== 'none' && store === 'key-value') this.lastIndexTroubleMs = this.#around.time.nowMs;
    return fault;
  }

  #noting(namespace: KVNamespace): KVNamespace {
    const get = async (...given: unknown[]): Promise<unknown> => {
      const found = await (namespace.get as (...given: unknown[]) => Promise<unknown>)(...given);
      if (found === null || (found instanceof Map && [...found.values()].includes(null))) this.lastIndexTroubleMs = this.#around.time.nowMs;
      return found;
    };
    return { ...namespace, get: get as KVNamespace['get'] };
  }
}

function faultOf(condition: Condition, random: Random): Fault {
  if (condition === 'refuses') return 'refused';
  if (condition === 'hangs') return random() < 0.5 ? 'hangs' : 'applied_hangs';
  if (condition === 'well') return 'none';
  const chance = random();
  return chance < 0.3 ? 'reply_lost' : chance < 0.5 ? 'refused' : 'none';
}

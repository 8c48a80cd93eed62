import type { Deployment } from '../../src/schemas/deployment.ts';
import { below, chance, oneOf, type Random, seededRandom, seedOf, weighted } from '../eval/random.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../support/simulated/database.ts';
import type { InMemoryBuild } from '../support/simulated/in-memory-build.ts';
import { type SimulatedKeyValue, simulatedKeyValue } from '../support/simulated/key-value.ts';
import { NothingHappensError, SimulatedTime } from '../support/simulated/time.ts';
import type { AnswerCheck } from './check-answer.ts';
import { Knowledge } from './knowledge.ts';
import { type Condition, Isolate, Place } from './place.ts';
import { type Answer, answerOf, codeOf, type Question, requestOf } from './question.ts';
import { isSomeQuotaUsedUp } from './quotas.ts';
import type { Reference } from './reference.ts';
import { hold, ViolationError } from './violation.ts';

const BEGINNING_MS = Date.UTC(2026, 10, 21, 9);

/** Clocks of two locations differ by at most twice this: five minutes. */
const SKEW_MAX_MS = 150_000;

/** Longest time that an answer takes: a few calls of stores one after another, each of which is given up after two seconds. */
const ANSWERED_MS_MAX = 12_000;

/** Longest time until a write has reached a location. */
const PROPAGATION_MAX_MS = 60_000;

export interface Heard extends Answer {
  readonly isolate: Isolate;
  /** True time when the question was sent and when the answer was there, and the isolate's clock then. */
  readonly sentMs: number;
  readonly heardMs: number;
  readonly clockAtEndMs: number;
  readonly code: string | undefined;
  /** What it was made without. */
  readonly degraded: readonly string[];
}

/** What all lifetimes of a process share: builds, their answers, and what was found right before. */
export interface Stage {
  readonly builds: readonly InMemoryBuild[];
  readonly reference: Reference;
  readonly answers: AnswerCheck;
}

/** One whole lifetime of a service in several locations, and what a truthful observer knows about it. */
export class Lifetime {
  readonly stage: Stage;
  readonly random: Random;
  readonly time = new SimulatedTime(BEGINNING_MS);
  readonly database: SimulatedDatabase;
  readonly keyValue: SimulatedKeyValue;
  readonly places: readonly Place[];
  readonly known = new Knowledge();
  readonly trace: string[] = [];
  readonly tally = new Map<string, number>();
  published = 0;
  readonly #baseUrl: Deployment['baseUrl'];
  readonly #checks: (() => Promise<void>)[] = [];
  #isolates = 0;

  constructor(seed: number, run: number, stage: Stage) {
    this.stage = stage;
    this.random = seededRandom(seedOf(`${seed}/${run}`));
    this.database = simulatedDatabase(this.time);
    this.#baseUrl = stage.builds[0]?.generated.deployment.baseUrl ?? '';
    const delays = new Map<string, number>();
    const missing = this.chance(0.3) ? 'cacheTtl' : 'minute';
    this.keyValue = simulatedKeyValue(this.time, {
      missing,
      propagationMs: (key, location) => {
        const name = `${location} ${key}`;
        const delay = delays.get(name) ?? (this.chance(0.5) ? 0 : below(this.random, PROPAGATION_MAX_MS));
        delays.set(name, delay);
        return delay;
      },
    });
    this.keyValue.fill(stage.builds[0]?.blocks ?? []);
    this.places = Array.from({ length: 3 + below(this.random, 3) }, (_, at) => {
      return new Place(`L${at}`, Math.round((this.random() * 2 - 1) * SKEW_MAX_MS), 0);
    });
    for (const place of this.places) for (let count = 1 + below(this.random, 2); count > 0; count -= 1) this.startIsolate(place);
  }

  chance(probability: number): boolean {
    return chance(this.random, probability);
  }

  pick<T>(from: readonly T[]): T {
    return oneOf(this.random, from);
  }

  pickWeighted<T>(from: readonly (readonly [number, T])[]): T {
    return weighted(
      this.random,
      from.map(([weight, thing]) => [weight, () => thing]),
    );
  }

  fresh(prefix: string): string {
    return `${prefix}-${Array.from({ length: 24 }, () => below(this.random, 36).toString(36)).join('')}`;
  }

  startIsolate(place: Place): Isolate {
    const deployed = this.stage.builds[place.build];
    if (deployed === undefined) throw new RangeError('there is no such deploy');
    this.#isolates += 1;
    const isolate = new Isolate(`${place.name}.${this.#isolates}`, place, deployed, this);
    place.isolates.push(isolate);
    return isolate;
  }

  /** Ends an isolate; requests that it was working on are never answered. */
  endIsolate(isolate: Isolate): void {
    isolate.callsLeft = -1;
    const { isolates } = isolate.place;
    const at = isolates.indexOf(isolate);
    if (at >= 0) isolates.splice(at, 1);
  }

  isolate(place: Place = this.pick(this.places)): Isolate {
    return place.isolates.length === 0 ? this.startIsolate(place) : this.pick(place.isolates);
  }

  /** Changes how the stores of a location are doing. */
  weather(place: Place, database: Condition, keyValue: Condition): void {
    if (database === 'well' && place.database !== 'well') place.databaseWellSinceMs = this.time.nowMs;
    place.database = database;
    place.keyValue = keyValue;
    this.note(`${place.name}: database ${database}, KV ${keyValue}`);
  }

  readonly note = (text: string): void => {
    this.trace.push(`${String(this.time.nowMs - BEGINNING_MS).padStart(10)} ms  ${text}`);
  };

  /** Runs what happens at one time, and then what was put off until nothing else happens. */
  async together(all: readonly (() => Promise<void>)[]): Promise<void> {
    try {
      await this.time.run(Promise.all(all.map((one) => one())));
    } catch (error) {
      if (error instanceof NothingHappensError) throw new ViolationError('answered', 'a request waits for what never happens');
      throw error;
    }
    for (const check of this.#checks.splice(0)) await check();
  }

  /** Puts a comparison off until nothing else happens, because it must not take part in what does. */
  later(check: () => Promise<void>): void {
    this.#checks.push(check);
  }

  async ask(isolate: Isolate, question: Question): Promise<Heard | undefined> {
    const sentMs = this.time.nowMs;
    const gateway = await isolate.gateway();
    const answer = await answerOf(await gateway(requestOf(question, this.#baseUrl)));
    const code = codeOf(answer);
    const what = `${isolate.name} ${question.method} ${question.path.slice(0, 90)}`;
    if (isolate.isDead) {
      this.note(`${what} -> died`);
      this.endIsolate(isolate);
      return undefined;
    }
    const degraded = answer.headers.get('gateway-degraded')?.split(', ') ?? [];
    this.note(`${what} -> ${answer.status}${code === undefined ? '' : ` ${code}`}${degraded.length > 0 ? ` without ${degraded}` : ''}`);
    const operation = this.stage.answers.check(question, answer);
    const answered = `${operation} ${answer.status}${code === undefined ? '' : ` ${code}`}${degraded.length > 0 ? ' degraded' : ''}`;
    this.tally.set(answered, (this.tally.get(answered) ?? 0) + 1);
    const heard: Heard = { ...answer, isolate, sentMs, heardMs: this.time.nowMs, clockAtEndMs: isolate.nowMs, code, degraded };
    hold('answered', heard.heardMs - sentMs <= ANSWERED_MS_MAX, () => `${what} took ${heard.heardMs - sentMs} ms`);
    this.#holdCause(heard);
    return heard;
  }

  /** Holds that an outage has a cause, a store that failed this isolate a short time ago, and a refusal a quota that is used up. */
  #holdCause({ code, isolate, sentMs, body }: Heard): void {
    if (code === 'state_unavailable')
      hold('no-cause', isolate.place.databaseWellSinceMs > sentMs - 15_000 || isolate.place.database !== 'well', () => body);
    if (code === 'quota_exceeded') hold('no-cause', isSomeQuotaUsedUp(this.database), () => body);
    if (code === 'index_unavailable') hold('no-cause', isolate.lastIndexTroubleMs > sentMs - 90_000, () => body);
  }
}

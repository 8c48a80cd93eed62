import { below } from '../eval/random.ts';
import { AnswerCheck } from './check-answer.ts';
import { Lifetime, type Stage } from './lifetime.ts';
import { floodQueries, readOwnKey, repeatRotation, revoke, rotate, useMutatedKey } from './operations/keys.ts';
import {
  decide,
  floodProposals,
  grant,
  lookForProposal,
  propose,
  proposeAtOnce,
  readForeignProposal,
  readProposal,
  repeatProposal,
} from './operations/propose.ts';
import { browse, nextPage, query, readOpenly, readStatus } from './operations/read.ts';
import {
  conflictingRegistration,
  floodRegistrations,
  register,
  registerAtOnce,
  registerWithChallenge,
  repeatRegistration,
} from './operations/register.ts';
import {
  changeWeather,
  clearWeather,
  crashIsolate,
  maintenance,
  mendBlocks,
  passTime,
  publish,
  replaceIsolate,
  rollOut,
} from './operations/surroundings.ts';
import { holdQuotas } from './quotas.ts';
import { buildDeploys, Reference } from './reference.ts';
import { ViolationError } from './violation.ts';

type Operation = (life: Lifetime) => Promise<void>;

/** What agents do with keys, answers and proposals, and how often of all. */
const ASKING: readonly (readonly [number, Operation])[] = [
  [10, register],
  [6, repeatRegistration],
  [2, registerAtOnce],
  [2, conflictingRegistration],
  [0.3, floodRegistrations],
  [0.08, registerWithChallenge],
  [12, query],
  [4, nextPage],
  [4, browse],
  [8, readOpenly],
  [2, readStatus],
  [2, useMutatedKey],
  [4, readOwnKey],
  [4, rotate],
  [3, repeatRotation],
  [4, revoke],
  [0.3, floodQueries],
  [4, grant],
  [5, propose],
  [5, repeatProposal],
  [2, proposeAtOnce],
  [0.1, floodProposals],
  [4, readProposal],
  [3, readForeignProposal],
  [2, lookForProposal],
  [3, decide],
];

const AROUND: readonly (readonly [number, Operation])[] = [
  [12, passTime],
  [8, changeWeather],
  [4, clearWeather],
  [3, replaceIsolate],
  [3, crashIsolate],
  [3, publish],
  [3, mendBlocks],
  [5, rollOut],
  [2, maintenance],
];

const OPERATIONS = [...ASKING, ...AROUND];

/** What every lifetime begins with, so that there is something to ask for. */
const BEGINNING: readonly Operation[] = [register, register, grant, propose];

export interface Outcome {
  readonly operations: number;
  readonly trace: readonly string[];
  readonly tally: ReadonlyMap<string, number>;
  readonly violation: ViolationError | undefined;
}

/**
 * Lifetimes that are lived again with every test run: a few that meet most operations; one that finds something is kept here, too. A change
 * of the operations or of their weights makes others of them.
 */
export const KEPT_LIFETIMES = [1, 2, 3, 5, 8, 13].map((run) => ({ seed: 11, run, operations: 80 }));

let stage: Promise<Stage> | undefined;

async function makeStage(): Promise<Stage> {
  const builds = await buildDeploys();
  const [first] = builds;
  if (first === undefined) throw new Error('nothing was built');
  return { builds, reference: new Reference(builds), answers: new AnswerCheck(first) };
}

/**
 * Lives one lifetime. The same seed, run and number of operations give the same trace. Needs `useDirectCrypto`.
 *
 * @throws What is no violation but a mistake of the simulation.
 */
export async function runLifetime(seed: number, run: number, operations: number): Promise<Outcome> {
  stage ??= makeStage();
  const life = new Lifetime(seed, run, await stage);
  let done = 0;
  const { error: log } = console;
  console.error = (text: unknown): void => life.note(`log: ${String(text).slice(0, 200)}`);
  try {
    while (done < operations) {
      const count = life.chance(0.15) ? 2 + below(life.random, 3) : 1;
      const begun = BEGINNING[done];
      const together = begun ? [begun] : Array.from({ length: count }, () => life.pickWeighted(OPERATIONS));
      life.note(together.map(({ name }) => name).join(' + '));
      await life.together(together.map((operation) => () => operation(life)));
      done += together.length;
      if (done % 8 === 0) holdQuotas(life);
    }
    holdQuotas(life);
    return { operations: done, trace: life.trace, tally: life.tally, violation: undefined };
  } catch (error) {
    if (error instanceof ViolationError) return { operations: done, trace: life.trace, tally: life.tally, violation: error };
    throw new Error(`the simulation itself failed, seed ${seed}, run ${run}\n${life.trace.slice(-20).join('\n')}`, { cause: error });
  } finally {
    console.error = log;
    life.database.close();
  }
}

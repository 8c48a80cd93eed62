import { expect, test } from 'vitest';
import { extendLog, type LoggedChange } from '../../../src/provenance/change-log.ts';
import { loggedCapsules, type Runtime } from './published-worlds.ts';

type Capsule = Runtime extends ReadonlyMap<string, infer T> ? T : never;

const capsule = (days: readonly string[], state: Partial<Capsule> = {}): Runtime =>
  new Map([['a', { versions: days.map((day, at) => ({ text: `${at}`, day })), status: 'current', ...state }]]);

/** Kind and day of every event, after one publish after another. */
async function told(...published: readonly Runtime[]): Promise<string[]> {
  let log: LoggedChange[] = [];
  for (const world of published) log = await extendLog(log, loggedCapsules(world));
  return log.map(({ event, date }) => `${event} ${date}`);
}

const retracted = { status: 'retracted', reason: 'wrong', stateDate: '2026-02-01' } as const;

test('what is taken back is not taken back before the day of what is taken back', async () => {
  expect(await told(capsule(['2026-01-01'], retracted), capsule(['2026-01-01']))).toEqual([
    'added 2026-01-01',
    'retracted 2026-02-01',
    'restored 2026-02-01',
  ]);
});

test('a capsule that is restored by a later version is restored on its day', async () => {
  expect(await told(capsule(['2026-01-01'], retracted), capsule(['2026-01-01', '2026-03-01']))).toEqual([
    'added 2026-01-01',
    'retracted 2026-02-01',
    'revised 2026-03-01',
    'restored 2026-03-01',
  ]);
});

test('a state that has a day of its own keeps it, though an earlier event is later', async () => {
  const superseded = { status: 'superseded', supersededBy: 'b', stateDate: '2026-01-10' } as const;
  expect(await told(capsule(['2026-01-01'], retracted), capsule(['2026-01-01'], superseded))).toEqual([
    'added 2026-01-01',
    'retracted 2026-02-01',
    'superseded 2026-01-10',
  ]);
});

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { canonicalDigest } from '../../../src/provenance/canonical-json.ts';
import { changeDigest, endOfLog, extendLog, type LoggedChange } from '../../../src/provenance/change-log.ts';
import { ChangeEvent } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { follow, fullReading, IDS, loggedCapsules, type Runtime, worlds } from './published-worlds.ts';

const ExactEvent = z.strictObject(ChangeEvent.shape);

/** The logs of publications, each going on from the one before. */
async function logsOf(published: readonly Runtime[]): Promise<LoggedChange[][]> {
  const logs: LoggedChange[][] = [];
  for (const world of published) logs.push(await extendLog(logs.at(-1) ?? [], loggedCapsules(world)));
  return logs;
}

const RUNS = { numRuns: 150 };

describe('extendLog()', () => {
  test('tells a follower all that happened: from any publish on, its copy becomes what a full reading gives', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const logs = await logsOf(published);
        for (const [to, world] of published.entries()) {
          const log = logs[to] ?? [];
          expect(follow(new Map(), log)).toEqual(fullReading(world));
          for (let from = 0; from <= to; from += 1)
            expect(follow(fullReading(published[from] ?? new Map()), log.slice(logs[from]?.length))).toEqual(fullReading(world));
        }
      }),
      RUNS,
    );
  });

  test('appends without changing earlier events', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const logs = await logsOf(published);
        const newest = logs.at(-1) ?? [];
        for (const log of logs) expect(JSON.stringify(newest.slice(0, log.length))).toBe(JSON.stringify(log));
      }),
      RUNS,
    );
  });

  test('gives events of the published form, counted from 1, whose digests chain', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const log = (await logsOf(published)).at(-1) ?? [];
        for (const [at, event] of log.entries()) {
          expect(ExactEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
          const { digest, ...rest } = event;
          const before = log[at - 1]?.digest ?? null;
          expect([event.count, digest]).toEqual([at + 1, await canonicalDigest([before, rest])]);
          expect(digest).toBe(await changeDigest(before, withoutPlace(event), at + 1));
        }
        expect(endOfLog(log)).toEqual({ count: log.length, digest: log.at(-1)?.digest ?? null });
      }),
      RUNS,
    );
  });

  test('tells nothing when nothing has changed', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const log = (await logsOf(published)).at(-1) ?? [];
        expect(await extendLog(log, loggedCapsules(published.at(-1) ?? new Map()))).toEqual(log);
      }),
      RUNS,
    );
  });

  test('does not depend on the order in which capsules come', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const logs = await logsOf(published);
        for (const [at, world] of published.entries())
          expect(await extendLog(logs[at - 1] ?? [], loggedCapsules(world).reverse())).toEqual(logs[at]);
      }),
      RUNS,
    );
  });

  test('tells of a capsule what can have happened to it, in the order in which it did', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const log = (await logsOf(published)).at(-1) ?? [];
        for (const id of IDS) {
          let before: LoggedChange['event'] = 'removed';
          for (const { event } of log.filter(({ capsule_id }) => capsule_id === id)) {
            expect([before, event === 'added']).toEqual([before, before === 'removed']);
            before = event;
          }
        }
      }),
      RUNS,
    );
  });

  test('puts the events of one publish in the order of their days, as far as the order within a capsule lets it', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async (published) => {
        const logs = await logsOf(published);
        for (const [at, log] of logs.entries()) {
          const fresh = log.slice(logs[at - 1]?.length ?? 0);
          const latest = new Map<string, string>();
          const days = fresh.map(({ capsule_id, date }) => {
            const day = [latest.get(capsule_id) ?? '', date].sort().at(-1) ?? '';
            latest.set(capsule_id, day);
            return day;
          });
          expect(days).toEqual([...days].sort());
        }
      }),
      RUNS,
    );
  });
});

function withoutPlace({ count: _count, digest: _digest, ...change }: LoggedChange) {
  return change;
}

const capsule = (versions: readonly [text: string, day: string][], state: object = {}) => ({
  versions: versions.map(([text, day]) => ({ text, day })),
  status: 'current' as const,
  ...state,
});
const told = (log: readonly LoggedChange[]): string[] =>
  log.map(({ event, capsule_id, version, date }) => `${event} ${capsule_id} ${version} ${date}`);

describe('the log of', () => {
  test('logs every version and every status other than current on the first publish', async () => {
    const [log = []] = await logsOf([
      new Map([
        [
          'a',
          capsule([
            ['one', '2026-01-01'],
            ['two', '2026-03-01'],
          ]),
        ],
        ['b', capsule([['one', '2026-02-01']], { status: 'superseded', reason: 'better', supersededBy: 'a', stateDate: '2026-03-01' })],
      ]),
    ]);
    expect(told(log)).toEqual([
      'added a 1.0.0 2026-01-01',
      'added b 1.0.0 2026-02-01',
      'revised a 1.1.0 2026-03-01',
      'superseded b 1.0.0 2026-03-01',
    ]);
    expect(log[3]).toMatchObject({ reason: 'better', superseded_by: 'a' });
    expect(log[2]).not.toHaveProperty('reason');
  });

  test("keeps the order of a capsule's events when a change has an earlier day", async () => {
    const first: Runtime = new Map([['a', capsule([['one', '2026-01-01']])]]);
    const second: Runtime = new Map([...first, ['b', capsule([['one', '2020-01-01']])]]);
    expect(told((await logsOf([first, second])).at(-1) ?? [])).toEqual(['added a 1.0.0 2026-01-01', 'added b 1.0.0 2020-01-01']);
  });

  test('a retraction on a day before its own version comes after that version', async () => {
    const world: Runtime = new Map([
      ['a', capsule([['one', '2026-02-01']], { status: 'retracted', reason: 'wrong', stateDate: '2026-01-01' })],
      ['b', capsule([['one', '2026-01-15']])],
    ]);
    expect(told((await logsOf([world])).at(-1) ?? [])).toEqual([
      'added b 1.0.0 2026-01-15',
      'added a 1.0.0 2026-02-01',
      'retracted a 1.0.0 2026-01-01',
    ]);
  });

  test('what was taken back, removed and published again says all of it', async () => {
    const stands: Runtime = new Map([['a', capsule([['one', '2026-01-01']])]]);
    const retracted: Runtime = new Map([
      ['a', capsule([['one', '2026-01-01']], { status: 'retracted', reason: 'wrong', stateDate: '2026-02-01' })],
    ]);
    const log = (await logsOf([stands, retracted, stands, new Map(), retracted])).at(-1) ?? [];
    expect(log.map(({ event }) => event)).toEqual(['added', 'retracted', 'restored', 'removed', 'added', 'retracted']);
    expect(log[3]).not.toHaveProperty('reason');
  });

  test('logs a retraction again when its reason changes', async () => {
    const of = (reason: string): Runtime =>
      new Map([['a', capsule([['one', '2026-01-01']], { status: 'retracted', reason, stateDate: '2026-02-01' })]]);
    const log = (await logsOf([of('wrong'), of('unclear'), of('unclear')])).at(-1) ?? [];
    expect(log.map(({ event, reason }) => [event, reason])).toEqual([
      ['added', undefined],
      ['retracted', 'wrong'],
      ['retracted', 'unclear'],
    ]);
  });

  test('logs a change of only the status, the reason or the replacement, with its members', async () => {
    const of = (state: object): Runtime => new Map([['a', capsule([['one', '2026-01-01']], { stateDate: '2026-02-01', ...state })]]);
    const log = (
      await logsOf([
        of({ status: 'superseded', reason: 'better' }),
        of({ status: 'retracted', reason: 'better' }),
        of({ status: 'superseded', supersededBy: 'b' }),
        of({ status: 'superseded', supersededBy: 'c' }),
      ])
    ).at(-1);
    expect(log?.slice(1).map(({ event, reason, superseded_by }) => [event, reason, superseded_by])).toEqual([
      ['superseded', 'better', undefined],
      ['retracted', 'better', undefined],
      ['superseded', undefined, 'b'],
      ['superseded', undefined, 'c'],
    ]);
    expect(log?.map((event) => ['reason' in event, 'superseded_by' in event])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [false, true],
      [false, true],
    ]);
  });

  test('logs a removal without reason, and a changed version as a revision', async () => {
    const retracted: Runtime = new Map([
      ['a', capsule([['one', '2026-01-01']], { status: 'retracted', reason: 'wrong', stateDate: '2026-02-01' })],
    ]);
    const [, , log = []] = await logsOf([retracted, new Map(), new Map([['a', capsule([['two', '2026-01-01']])]])]);
    expect(told(log).slice(2)).toEqual(['removed a 1.0.0 2026-02-01', 'added a 1.0.0 2026-01-01']);
    expect(log[2]).not.toHaveProperty('reason');
    const rewritten = await logsOf([
      new Map([['b', capsule([['one', '2026-01-01']])]]),
      new Map([['b', capsule([['two', '2026-01-01']])]]),
    ]);
    expect(told(rewritten.at(-1) ?? [])).toEqual(['added b 1.0.0 2026-01-01', 'revised b 1.0.0 2026-01-01']);
  });
});

describe('the day of a change of state', () => {
  const retracted = { status: 'retracted', reason: 'wrong', stateDate: '2026-02-01' } as const;
  const world = (days: readonly string[], state: object = {}): Runtime =>
    new Map([
      [
        'a',
        capsule(
          days.map((day, at) => [`${at}`, day]),
          state,
        ),
      ],
    ]);
  /** Kind and day of every event, after one publish after another. */
  const daysOf = async (...published: readonly Runtime[]): Promise<string[]> =>
    ((await logsOf(published)).at(-1) ?? []).map(({ event, date }) => `${event} ${date}`);

  test('what is taken back is not taken back before the day of what is taken back', async () => {
    expect(await daysOf(world(['2026-01-01'], retracted), world(['2026-01-01']))).toEqual([
      'added 2026-01-01',
      'retracted 2026-02-01',
      'restored 2026-02-01',
    ]);
  });

  test('a capsule that is restored by a later version is restored on its day', async () => {
    expect(await daysOf(world(['2026-01-01'], retracted), world(['2026-01-01', '2026-03-01']))).toEqual([
      'added 2026-01-01',
      'retracted 2026-02-01',
      'revised 2026-03-01',
      'restored 2026-03-01',
    ]);
  });

  test('a state that has a day of its own keeps it, though an earlier event is later', async () => {
    const superseded = { status: 'superseded', supersededBy: 'b', stateDate: '2026-01-10' } as const;
    expect(await daysOf(world(['2026-01-01'], retracted), world(['2026-01-01'], superseded))).toEqual([
      'added 2026-01-01',
      'retracted 2026-02-01',
      'superseded 2026-01-10',
    ]);
  });
});

import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { canonicalDigest } from '../../../src/provenance/canonical-json.ts';
import { type Change, endOfLog, extendLog, type LoggedCapsule, type LoggedChange } from '../../../src/provenance/change-log.ts';
import { ChangeEvent } from '../../../src/schemas/knowledge/corpus-responses.ts';

interface InventedCapsule {
  readonly versions: readonly { readonly text: string; readonly day: string }[];
  readonly status: 'current' | 'superseded' | 'retracted';
  readonly reason?: string;
  readonly supersededBy?: string;
  readonly stateDate?: string;
}

type Runtime = ReadonlyMap<string, InventedCapsule>;

/** Few, so that they meet; one begins like another. */
const IDS = ['a', 'a-b', 'b', 'ba', 'c'];

const id = fc.constantFrom(...IDS);
const text = fc.constantFrom('one', 'two', 'three');
/** Days before and after each other, in whatever order they come. */
const day = fc.constantFrom('2025-12-31', '2026-01-01', '2026-01-02', '2026-02-01');

/** What an author may do. What makes no sense, such as a revision of what is not there, changes nothing. */
const deed = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), id, text, day }),
  fc.record({ kind: fc.constant('revise' as const), id, text, day }),
  fc.record({ kind: fc.constant('rewrite' as const), id, text, day }),
  fc.record({ kind: fc.constant('takeBack' as const), id }),
  fc.record({ kind: fc.constant('retract' as const), id, day, reason: text }),
  fc.record({ kind: fc.constant('supersede' as const), id, day, reason: fc.option(text, { nil: undefined }), by: id }),
  fc.record({ kind: fc.constant('restore' as const), id }),
  fc.record({ kind: fc.constant('remove' as const), id }),
);
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

/** Publications one after another, with whatever an author did in between, which may be nothing. */
const worlds: fc.Arbitrary<Runtime[]> = fc.array(fc.array(deed, { maxLength: 8 }), { minLength: 1, maxLength: 6 }).map((steps) => {
  const made: Runtime[] = [];
  for (const deeds of steps) made.push(deeds.reduce<Runtime>(after, made.at(-1) ?? new Map()));
  return made;
});

function after(world: Runtime, did: Deed): Runtime {
  const before = world.get(did.id);
  if (did.kind === 'add')
    return before ? world : changed(world, did.id, { versions: [{ text: did.text, day: did.day }], status: 'current' });
  if (before === undefined) return world;
  const { versions } = before;
  switch (did.kind) {
    case 'revise':
      return changed(world, did.id, { ...before, versions: [...versions, { text: did.text, day: did.day }] });
    case 'rewrite':
      return changed(world, did.id, { ...before, versions: [...versions.slice(0, -1), { text: did.text, day: did.day }] });
    case 'takeBack':
      return versions.length === 1 ? world : changed(world, did.id, { ...before, versions: versions.slice(0, -1) });
    case 'retract':
      return changed(world, did.id, { versions, status: 'retracted', reason: did.reason, stateDate: did.day });
    case 'supersede':
      return changed(world, did.id, {
        versions,
        status: 'superseded',
        ...(did.reason === undefined ? {} : { reason: did.reason }),
        supersededBy: did.by,
        stateDate: did.day,
      });
    case 'restore':
      return changed(world, did.id, { versions, status: 'current' });
    case 'remove':
      return new Map([...world].filter(([name]) => name !== did.id));
  }
}

function changed(world: Runtime, name: string, capsule: InventedCapsule): Runtime {
  return new Map([...world, [name, capsule]]);
}

/** The capsules of a publication in the form in which the log looks at them, ascending by id. */
function loggedCapsules(world: Runtime): LoggedCapsule[] {
  return [...world]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, { versions, status, reason, supersededBy, stateDate }]) => ({
      versions: recordsOf(id, versions),
      head: { statement: { id, status, statusReason: reason, supersededBy } },
      stateDate,
    }));
}

/** Records whose digests depend on all before, as those of a chain do. */
function recordsOf(name: string, versions: InventedCapsule['versions']): LoggedCapsule['versions'] {
  const records: LoggedCapsule['versions'][number][] = [];
  for (const [at, version] of versions.entries()) {
    const issued = `${version.day}T00:00:00Z`;
    const record = { id: name, version: `1.${at}.0`, digest: { 'sha-256': sha256(version.text) }, issued };
    records.push({ record, recordDigest: `sha256:${sha256(JSON.stringify([records.at(-1)?.recordDigest, record]))}` });
  }
  return records;
}

function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

type Copy = ReadonlyMap<
  string,
  Pick<Change, 'version' | 'record_digest' | 'content_sha256' | 'reason' | 'superseded_by'> & { status: string }
>;

function fullReading(world: Runtime): Copy {
  return new Map(
    loggedCapsules(world).map(({ versions, head: { statement } }) => {
      const { record, recordDigest = '' } = versions.at(-1) ?? {};
      const facts = { version: record?.version ?? '', record_digest: recordDigest, content_sha256: record?.digest['sha-256'] ?? '' };
      const { id, status, statusReason: reason, supersededBy: superseded_by } = statement;
      return [id, { ...facts, status, reason, superseded_by }];
    }),
  );
}

/** A copy that is kept by applying events to an older one, by what the interface says of each of them and nothing else. */
function follow(copy: Copy, events: readonly Change[]): Copy {
  const kept = new Map(copy);
  for (const { event, capsule_id, version, record_digest, content_sha256, reason, superseded_by } of events) {
    const facts = { version, record_digest, content_sha256 };
    if (event === 'removed') kept.delete(capsule_id);
    else if (event === 'revised') kept.set(capsule_id, { status: 'unknown', ...kept.get(capsule_id), ...facts });
    else
      kept.set(capsule_id, {
        ...facts,
        status: event === 'superseded' || event === 'retracted' ? event : 'current',
        reason,
        superseded_by,
      });
  }
  return kept;
}

const ExactEvent = z.strictObject(ChangeEvent.shape);

async function logsOf(published: readonly Runtime[]): Promise<LoggedChange[][]> {
  const logs: LoggedChange[][] = [];
  for (const world of published) logs.push(await extendLog(logs.at(-1) ?? [], loggedCapsules(world)));
  return logs;
}

function forAll(check: (logs: readonly LoggedChange[][], published: readonly Runtime[]) => Promise<void>): Promise<void> {
  const property = fc.asyncProperty(worlds, async (published) => check(await logsOf(published), published));
  return fc.assert(property, { numRuns: 150 });
}

describe('extendLog()', () => {
  test('tells a follower all that happened: from any publish on, its copy becomes what a full reading gives', () =>
    forAll(async (logs, published) => {
      for (const [to, world] of published.entries()) {
        const log = logs[to] ?? [];
        expect(follow(new Map(), log)).toEqual(fullReading(world));
        for (let from = 0; from <= to; from += 1)
          expect(follow(fullReading(published[from] ?? new Map()), log.slice(logs[from]?.length))).toEqual(fullReading(world));
      }
    }));

  test('only appends, tells nothing when nothing has changed, and does not depend on the order in which capsules come', () =>
    forAll(async (logs, published) => {
      const newest = logs.at(-1) ?? [];
      for (const log of logs) expect(JSON.stringify(newest.slice(0, log.length))).toBe(JSON.stringify(log));
      expect(await extendLog(newest, loggedCapsules(published.at(-1) ?? new Map()))).toEqual(newest);
      for (const [at, world] of published.entries())
        expect(await extendLog(logs[at - 1] ?? [], loggedCapsules(world).reverse())).toEqual(logs[at]);
    }));

  test('gives events of the published form, counted from 1, whose digests chain', () =>
    forAll(async (logs) => {
      const log = logs.at(-1) ?? [];
      for (const [at, event] of log.entries()) {
        expect(ExactEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event);
        const { digest, count, ...change } = event;
        const before = log[at - 1]?.digest ?? null;
        expect([count, digest]).toEqual([at + 1, await canonicalDigest([before, { ...change, count }])]);
      }
      expect(endOfLog(log)).toEqual({ count: log.length, digest: log.at(-1)?.digest ?? null });
    }));

  test('tells of a capsule what can have happened to it, in the order in which it did', () =>
    forAll(async (logs) => {
      const log = logs.at(-1) ?? [];
      for (const id of IDS) {
        let before: LoggedChange['event'] = 'removed';
        for (const { event } of log.filter(({ capsule_id }) => capsule_id === id)) {
          expect([before, event === 'added']).toEqual([before, before === 'removed']);
          before = event;
        }
      }
    }));

  test('puts the events of one publish in the order of their days, as far as the order within a capsule lets it', () =>
    forAll(async (logs) => {
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
    }));
});

const capsule = (versions: readonly [text: string, day: string][], state: object = {}) => ({
  versions: versions.map(([text, day]) => ({ text, day })),
  status: 'current' as const,
  ...state,
});

describe('the log of', () => {
  test('logs every version and every status other than current on the first publish', async () => {
    const [log = []] = await logsOf([
      new Map([
        ['a', capsule(['one 2026-01-01', 'two 2026-03-01'].map((version) => version.split(' ') as [string, string]))],
        ['b', capsule([['one', '2026-02-01']], { status: 'superseded', reason: 'better', supersededBy: 'a', stateDate: '2026-03-01' })],
      ]),
    ]);
    expect(log.map(({ event, capsule_id, version, date }) => `${event} ${capsule_id} ${version} ${date}`)).toEqual([
      'added a 1.0.0 2026-01-01',
      'added b 1.0.0 2026-02-01',
      'revised a 1.1.0 2026-03-01',
      'superseded b 1.0.0 2026-03-01',
    ]);
    expect(log[3]).toMatchObject({ reason: 'better', superseded_by: 'a' });
    expect(log[2]).not.toHaveProperty('reason');
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
});

describe('the day of a change of state', () => {
  const retracted = { status: 'retracted', reason: 'wrong', stateDate: '2026-02-01' };
  const superseded = { status: 'superseded', supersededBy: 'b', stateDate: '2026-01-10' };
  const world = (days: readonly string[], state: object): Runtime => {
    const versions = days.map((day, at): [string, string] => [`${at}`, day]);
    return new Map([['a', capsule(versions, state)]]);
  };

  test.each([
    ['is not before that of the state that it ends', ['2026-01-01'], {}, ['restored 2026-02-01']],
    ['is that of a later version', ['2026-01-01', '2026-03-01'], {}, ['revised 2026-03-01', 'restored 2026-03-01']],
    ['is its own, though an earlier event is later', ['2026-01-01'], superseded, ['superseded 2026-01-10']],
  ])('%s', async (_rule, days, state, events) => {
    const log = (await logsOf([world(['2026-01-01'], retracted), world(days, state)])).at(-1) ?? [];
    expect(log.map(({ event, date }) => `${event} ${date}`)).toEqual(['added 2026-01-01', 'retracted 2026-02-01', ...events]);
  });
});

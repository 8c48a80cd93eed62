import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import type { Change, LoggedCapsule } from '../../../src/provenance/change-log.ts';

/** A capsule of an invented publication, as its author has it. */
interface InventedCapsule {
  readonly versions: readonly { readonly text: string; readonly day: string }[];
  readonly status: 'current' | 'superseded' | 'retracted';
  readonly reason?: string;
  readonly supersededBy?: string;
  readonly stateDate?: string;
}

/** An invented publication, by id. */
export type Runtime = ReadonlyMap<string, InventedCapsule>;

/** Few, so that they meet; one begins like another. */
export const IDS = ['a', 'a-b', 'b', 'ba', 'c'];

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
export const worlds: fc.Arbitrary<Runtime[]> = fc.array(fc.array(deed, { maxLength: 8 }), { minLength: 1, maxLength: 6 }).map((steps) => {
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
export function loggedCapsules(world: Runtime): LoggedCapsule[] {
  return [...world]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { versions, status, reason, supersededBy, stateDate }]) => ({
      versions: recordsOf(name, versions),
      head: {
        statement: {
          id: name,
          status,
          ...(reason === undefined ? {} : { statusReason: reason }),
          ...(supersededBy === undefined ? {} : { supersededBy }),
        },
      },
      stateDate,
    }));
}

/** Records whose digests depend on all before, as those of a chain do. */
function recordsOf(name: string, versions: InventedCapsule['versions']): LoggedCapsule['versions'] {
  const records: LoggedCapsule['versions'][number][] = [];
  for (const [at, version] of versions.entries()) {
    const record = {
      id: name,
      version: `1.${at}.0`,
      digest: { 'sha-256': sha256(version.text) },
      issued: `${version.day}T00:00:00Z`,
    };
    records.push({ record, recordDigest: `sha256:${sha256(JSON.stringify([records.at(-1)?.recordDigest, record]))}` });
  }
  return records;
}

function sha256(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** What someone who holds a copy knows of each capsule. */
export type Copy = ReadonlyMap<
  string,
  Pick<Change, 'version' | 'record_digest' | 'content_sha256' | 'reason' | 'superseded_by'> & { status: string }
>;

/** A copy by reading everything. */
export function fullReading(world: Runtime): Copy {
  return new Map(
    loggedCapsules(world).map(({ versions, head: { statement } }) => {
      const newest = versions.at(-1);
      const facts = {
        version: newest?.record.version ?? '',
        record_digest: newest?.recordDigest ?? '',
        content_sha256: newest?.record.digest['sha-256'] ?? '',
      };
      const { status, statusReason: reason, supersededBy: superseded_by } = statement;
      return [
        statement.id,
        { ...facts, status, ...(reason === undefined ? {} : { reason }), ...(superseded_by === undefined ? {} : { superseded_by }) },
      ];
    }),
  );
}

/** A copy that is kept by applying events to an older one, by what the interface says of each of them and nothing else. */
export function follow(copy: Copy, events: readonly Change[]): Copy {
  const kept = new Map(copy);
  for (const { event, capsule_id, version, record_digest, content_sha256, reason, superseded_by } of events) {
    const facts = { version, record_digest, content_sha256 };
    const state = { ...(reason === undefined ? {} : { reason }), ...(superseded_by === undefined ? {} : { superseded_by }) };
    if (event === 'removed') kept.delete(capsule_id);
    else if (event === 'revised') kept.set(capsule_id, { status: 'unknown', ...kept.get(capsule_id), ...facts });
    else kept.set(capsule_id, { ...facts, status: event === 'superseded' || event === 'retracted' ? event : 'current', ...state });
  }
  return kept;
}

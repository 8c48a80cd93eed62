import { canonicalDigest } from './canonical-json.ts';
import type { DigestedLineage, VersionRecord } from './lineage-records.ts';

/** `restored` revokes a supersession or retraction; a `removed` capsule is no longer published. */
export const CHANGE_KINDS = ['added', 'revised', 'superseded', 'retracted', 'restored', 'removed'] as const;

export interface Change {
  readonly event: (typeof CHANGE_KINDS)[number];
  readonly capsule_id: string;
  readonly version: string;
  /** Day of the change, from the author, `YYYY-MM-DD`; it orders the events of one publish. */
  readonly date: string;
  readonly record_digest: string;
  readonly content_sha256: string;
  readonly reason?: string | undefined;
  readonly superseded_by?: string | undefined;
}

/** A logged event; its digest covers it and, through the digest before it, all earlier events. */
export interface LoggedChange extends Change {
  readonly count: number;
  readonly digest: string;
}

/** End of a log: the number of events, and the digest of the last one. */
export interface LogEnd {
  readonly count: number;
  readonly digest: string | null;
}

interface LoggedVersion {
  readonly record: Pick<VersionRecord, 'id' | 'version' | 'digest' | 'issued'>;
  readonly recordDigest: string;
}

export interface LoggedCapsule extends Pick<DigestedLineage, 'head'> {
  readonly versions: readonly LoggedVersion[];
  /** Day of the newest change of status, `YYYY-MM-DD`; absent while it is current. */
  readonly stateDate: string | undefined;
}

/** The newest event of a capsule, and the one that superseded or retracted it, while that is in force. */
interface State {
  readonly last: Change;
  readonly ended: Change | undefined;
}

export interface Removal {
  readonly reason: string;
  /** Day of the removal, `YYYY-MM-DD`; by default that of the event before. */
  readonly date?: string;
  readonly superseded_by?: string;
}

/** @param removals Why capsules are no longer published, by id. */
export async function extendLog(
  log: readonly LoggedChange[],
  capsules: Iterable<LoggedCapsule>,
  removals: ReadonlyMap<string, Removal> = new Map(),
): Promise<LoggedChange[]> {
  const extended = [...log];
  for (const change of changesSince(log, capsules, removals)) {
    const { digest: before = null, count = 0 } = extended.at(-1) ?? {};
    extended.push({ ...change, count: count + 1, digest: await changeDigest(before, change, count + 1) });
  }
  return extended;
}

function changeDigest(before: string | null, change: Change, count: number): Promise<string> {
  return canonicalDigest([before, { ...change, count }]);
}

/**
 * Appends published events to a log while their digests follow from the events before them.
 *
 * @returns The place of the first event whose count or digest is wrong, from 1; `undefined` if all are right.
 */
export async function appendEvents(log: LoggedChange[], events: readonly LoggedChange[]): Promise<number | undefined> {
  for (const event of events) {
    const { digest, count, ...change } = event;
    const { count: last = 0, digest: before = null } = log.at(-1) ?? {};
    if (count !== last + 1 || digest !== (await changeDigest(before, change, count))) return last + 1;
    log.push(event);
  }
  return undefined;
}

export function endOfLog(log: readonly LoggedChange[]): LogEnd {
  const { count = 0, digest = null } = log.at(-1) ?? {};
  return { count, digest };
}

function changesSince(log: readonly Change[], capsules: Iterable<LoggedCapsule>, removals: ReadonlyMap<string, Removal>): Change[] {
  const known = replay(log);
  const events: { change: Change; order: string }[] = [];
  for (const capsule of capsules) {
    const { id } = capsule.head.statement;
    // A change may have an earlier day than the one before it; events of one capsule stay in their order.
    let day = '';
    for (const change of changesOf(capsule, known.get(id))) {
      if (change.date > day) day = change.date;
      events.push({ change, order: `${day} ${id}` });
    }
    known.delete(id);
  }
  for (const [id, { last }] of known) {
    if (last.event === 'removed') continue;
    const { version, record_digest, content_sha256 } = last;
    const { date = last.date, ...why } = removals.get(id) ?? {};
    const day = date > last.date ? date : last.date;
    const change: Change = { event: 'removed', capsule_id: id, version, date: day, record_digest, content_sha256, ...why };
    events.push({ change, order: `${day} ${id}` });
  }
  return events.sort((a, b) => (a.order < b.order ? -1 : a.order > b.order ? 1 : 0)).map(({ change }) => change);
}

function replay(log: readonly Change[]): Map<string, State> {
  const states = new Map<string, State>();
  for (const last of log) {
    const isEnd = last.event === 'superseded' || last.event === 'retracted';
    const isStart = last.event === 'added' || last.event === 'restored';
    states.set(last.capsule_id, { last, ended: isEnd ? last : isStart ? undefined : states.get(last.capsule_id)?.ended });
  }
  return states;
}

function changesOf({ versions, head: { statement }, stateDate }: LoggedCapsule, state: State | undefined): Change[] {
  const known = state === undefined || state.last.event === 'removed' ? undefined : state;
  const seen = known === undefined ? -1 : versions.findIndex(({ recordDigest }) => recordDigest === known.last.record_digest);
  // If the version that was logged last has changed, all versions are logged again.
  const fresh = versions.slice(seen + 1);
  const changes = fresh.map(
    (link, at): Change => ({ event: known === undefined && at === 0 ? 'added' : 'revised', ...describe(link), date: dayOf(link) }),
  );
  const newest = versions.at(-1);
  const { event = 'current', reason, superseded_by } = known?.ended ?? {};
  const isLogged = statement.status === event && statement.statusReason === reason && statement.supersededBy === superseded_by;
  if (isLogged || newest === undefined) return changes;
  // A restoration has no day of its own; it is not before the day of what it revokes.
  const day = stateDate ?? dayOf(newest);
  changes.push({
    event: statement.status === 'current' ? 'restored' : statement.status,
    ...describe(newest),
    date: stateDate === undefined && known !== undefined && known.last.date > day ? known.last.date : day,
    ...(statement.statusReason === undefined ? {} : { reason: statement.statusReason }),
    ...(statement.supersededBy === undefined ? {} : { superseded_by: statement.supersededBy }),
  });
  return changes;
}

function describe({ record, recordDigest }: LoggedVersion): Omit<Change, 'event' | 'date'> {
  return { capsule_id: record.id, version: record.version, record_digest: recordDigest, content_sha256: record.digest['sha-256'] };
}

function dayOf({ record }: LoggedVersion): string {
  return record.issued.slice(0, 'YYYY-MM-DD'.length);
}

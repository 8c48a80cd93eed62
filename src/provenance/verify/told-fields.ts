import { canonical } from './canonical.ts';
import type { Item, Lineage, VersionRecord } from './documents.ts';
import type { Loose } from './json-text.ts';

/** Members of an object by their names, which blanks part. */
export const pick = (object: Loose, names: string): Loose => Object.fromEntries(names.split(' ').map((name) => [name, object[name]]));

/** Members that are compared: of every capsule and result, and of a capsule besides. */
const FIELDS = 'title summary language evidence tags type license content_sha256 updated status status_reason superseded_by';
const FIELDS_OF_CAPSULE = ' sources supersedes derived_from cites versions';
const FIELDS_OF_SOURCE = 'key uri title publisher retrieved';

/** A text with something before and after it; `false` for what is no text. */
const around = (before: string, value: unknown, after = ''): string | boolean => typeof value === 'string' && before + value + after;
const page = (id: unknown): unknown => around('/capsules/', id);
const day = (date: unknown): unknown => around('', date, 'T00:00:00Z');

type Lists = Readonly<Record<'sources' | 'supersedes' | 'derived_from' | 'cites' | 'versions' | 'derivedFrom', readonly Loose[]>>;

/** What a capsule says of other texts and of its versions, as records would put it. */
const toldByCapsule = ({ sources, supersedes, derived_from, cites, versions }: Lists): Loose => ({
  sources: sources.map((source) => pick({ ...source, uri: source['url'] }, FIELDS_OF_SOURCE)),
  supersedes: supersedes.map((entry) => page(entry['capsule_id'])),
  derived_from: derived_from.map(page),
  cites: cites.map(page),
  versions: versions.map((entry) => ({ ...pick(entry, 'version content_sha256 record_digest'), issued: day(entry['issued']) })),
});

/** What records say of the same. */
const toldByRecords = ({ derivedFrom, cites }: Lists, versions: Lineage['versions']): Loose => ({
  sources: derivedFrom.filter((source) => source['key'] !== undefined).map((source) => pick(source, FIELDS_OF_SOURCE)),
  supersedes: derivedFrom.filter(({ relation }) => relation === 'wasRevisionOf').map(({ uri }) => uri),
  derived_from: derivedFrom.filter(({ key, relation }) => key === undefined && relation !== 'wasRevisionOf').map(({ uri }) => uri),
  cites,
  versions: versions.map(({ record: { version, issued, digest }, recordDigest }) => ({
    version,
    content_sha256: digest['sha-256'],
    record_digest: recordDigest,
    issued,
  })),
});

/**
 * Name of the first member of a capsule, or of a result, that its lineage does not say; nothing if there is none.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
export function differingField(item: Item, record: VersionRecord, { versions, head }: Lineage, isCapsule: boolean): string | undefined {
  const { status, statusReason, supersededBy } = head.statement;
  const told: Loose = {
    ...item,
    license: around('https://spdx.org/licenses/', item['license']),
    updated: day(item['updated']),
    ...(isCapsule && toldByCapsule(item as unknown as Lists)),
  };
  const proved: Loose = {
    ...record,
    type: record.kind,
    content_sha256: record.digest['sha-256'],
    updated: record.issued,
    status,
    status_reason: statusReason,
    superseded_by: supersededBy,
    ...(isCapsule && toldByRecords(record as unknown as Lists, versions)),
  };
  return (FIELDS + (isCapsule ? FIELDS_OF_CAPSULE : '')).split(' ').find((name) => canonical(told[name]) !== canonical(proved[name]));
}

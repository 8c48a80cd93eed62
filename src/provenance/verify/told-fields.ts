import { canonical } from './canonical.ts';
import type { Item, Lineage, VersionRecord } from './documents.ts';
import type { Loose } from './json-text.ts';

/** Members that are compared: of every capsule and result, and of a capsule besides. */
const FIELDS = 'title summary language evidence tags type license content_sha256 updated status status_reason superseded_by';
const FIELDS_OF_CAPSULE = ' sources supersedes derived_from cites versions';

/** A text with something before and after it; `false` for what is no text. */
const around = (before: string, value: unknown, after = ''): unknown => typeof value === 'string' && before + value + after;
const page = (id: unknown): unknown => around('/capsules/', id);
const day = (date: unknown): unknown => around('', date, 'T00:00:00Z');
const source = ({ key, uri, title, publisher, retrieved }: Loose): unknown => [key, uri, title, publisher, retrieved];

type Lists = Readonly<Record<'sources' | 'supersedes' | 'derived_from' | 'cites' | 'versions' | 'derivedFrom', readonly Loose[]>>;

/** What a capsule says of other texts and of its versions, as records would put it. */
const toldByCapsule = (item: Lists): Loose => ({
  sources: item.sources.map((entry) => source({ ...entry, uri: entry['url'] })),
  supersedes: item.supersedes.map((entry) => page(entry['capsule_id'])),
  derived_from: item.derived_from.map(page),
  cites: item.cites.map(page),
  versions: item.versions.map((entry) => [entry['version'], day(entry['issued']), entry['content_sha256'], entry['record_digest']]),
});

/** What records say of the same. */
const toldByRecords = ({ derivedFrom, cites }: Lists, versions: Lineage['versions']): Loose => ({
  sources: derivedFrom.filter((entry) => entry['key'] !== undefined).map(source),
  supersedes: derivedFrom.filter((entry) => entry['relation'] === 'wasRevisionOf').map((entry) => entry['uri']),
  derived_from: derivedFrom
    .filter((entry) => entry['key'] === undefined && entry['relation'] !== 'wasRevisionOf')
    .map((entry) => entry['uri']),
  cites,
  versions: versions.map((entry) => [entry.record.version, entry.record.issued, entry.record.digest['sha-256'], entry.recordDigest]),
});

/**
 * Name of the first member of a capsule, or of a result, that its lineage does not say; nothing if there is none.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
export function differingField(item: Item, record: VersionRecord, lineage: Lineage, isCapsule: boolean): string | undefined {
  const { statement } = lineage.head;
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
    status: statement.status,
    status_reason: statement.statusReason,
    superseded_by: statement.supersededBy,
    ...(isCapsule && toldByRecords(record as unknown as Lists, lineage.versions)),
  };
  return (FIELDS + (isCapsule ? FIELDS_OF_CAPSULE : '')).split(' ').find((name) => canonical(told[name]) !== canonical(proved[name]));
}

import { canonical } from './canonical.ts';
import type { Item, Lineage, VersionRecord } from './documents.ts';

type Loose = Readonly<Record<string, unknown>>;

/** A text with something before and after it; `false` for what is no text. */
const around = (before: string, value: unknown, after = ''): string | boolean => typeof value === 'string' && before + value + after;

const page = (id: unknown): unknown => around('/capsules/', id);
const day = (date: unknown): unknown => around('', date, 'T00:00:00Z');
const eachOf = <T>(value: unknown, read: (item: Loose) => T): T[] => (value as Loose[]).map(read);

/** Members of a capsule that name other texts and versions, in the words of a record; after it what its lineage says. */
function restsOn(item: Item, { derivedFrom, cites }: VersionRecord, versions: Lineage['versions']): [Loose, Loose] {
  const sources = eachOf(derivedFrom, (source) => source);
  return [
    {
      sources: eachOf(item['sources'], ({ key, url: uri, title, publisher, retrieved }) => ({ key, uri, title, publisher, retrieved })),
      supersedes: eachOf(item['supersedes'], ({ capsule_id }) => page(capsule_id)),
      derived_from: eachOf(item['derived_from'], page),
      cites: eachOf(item['cites'], page),
      versions: eachOf(item['versions'], ({ version, issued, content_sha256, record_digest }) => [
        version,
        day(issued),
        content_sha256,
        record_digest,
      ]),
    },
    {
      sources: sources
        .filter(({ key }) => key !== undefined)
        .map(({ key, uri, title, publisher, retrieved }) => ({ key, uri, title, publisher, retrieved })),
      supersedes: sources.filter(({ relation }) => relation === 'wasRevisionOf').map(({ uri }) => uri),
      derived_from: sources.filter(({ key, relation }) => key === undefined && relation !== 'wasRevisionOf').map(({ uri }) => uri),
      cites,
      versions: versions.map(({ record, recordDigest }) => [record.version, record.issued, record.digest['sha-256'], recordDigest]),
    },
  ];
}

/**
 * Name of the first member of a capsule, or of a result, that its lineage does not say; an empty text if there is none.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
export function differingField(item: Item, record: VersionRecord, { versions, head: { statement } }: Lineage, isCapsule: boolean): string {
  const { title, summary, language, evidence, tags, kind, license, digest, issued } = record;
  const [named, proved] = isCapsule ? restsOn(item, record, versions) : [];
  const seen: Loose = {
    ...item,
    license: around('https://spdx.org/licenses/', item['license']),
    updated: day(item['updated']),
    ...named,
  };
  const expected: Loose = {
    title,
    summary,
    language,
    evidence,
    tags,
    type: kind,
    license,
    content_sha256: digest['sha-256'],
    updated: issued,
    status: statement.status,
    status_reason: statement.statusReason,
    superseded_by: statement.supersededBy,
    ...proved,
  };
  return Object.keys(expected).find((name) => canonical(seen[name]) !== canonical(expected[name])) ?? '';
}

import { canonical } from './canonical.ts';
import type { Capsule, Derivation, Item, Lineage, VersionRecord } from './documents.ts';

/** A text after another; throws for what is no text. */
const after = (before: string, text: string): string => text.replace(/^/, before);
const page = (id: string): string => after('/capsules/', id);

/** A text that a version rests on, as both sides are compared. */
const origin = (isRevision: boolean, uri: string, entry: Partial<Derivation>): unknown => [
  isRevision,
  uri,
  entry.key,
  entry.title,
  entry.publisher,
  entry.retrieved,
];

/**
 * Name of the first thing that a capsule, or a result, does not say as its lineage does; nothing if there is none.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
export function differingField(item: Item, record: VersionRecord, lineage: Lineage, isCapsule: boolean): unknown {
  const { statement } = lineage.head;
  const told: Readonly<Record<string, unknown>> = { ...item, license: after('https://spdx.org/licenses/', item.license) };
  const proved: Record<string, unknown> = {
    type: record.kind,
    content_sha256: record.digest?.['sha-256'],
    updated: record.issued.slice(0, 10),
    status: statement.status,
    status_reason: statement.statusReason,
    superseded_by: statement.supersededBy,
  };
  for (const name of ['title', 'summary', 'language', 'evidence', 'tags', 'license'] as const) proved[name] = record[name];
  return (
    Object.keys(proved).find((name) => canonical(told[name]) !== canonical(proved[name])) ??
    (isCapsule && toldByCapsule(item as Capsule) !== toldByLineage(record, lineage) && 'sources')
  );
}

/** What a capsule says of other texts and of its versions, as records would put it. */
const toldByCapsule = (capsule: Capsule): string =>
  canonical([
    capsule.cites.map(page),
    ...capsule.supersedes.map((entry) => origin(true, page(entry.capsule_id), {})),
    ...capsule.derived_from.map((id) => origin(false, page(id), {})),
    ...capsule.sources.map((entry) => entry.key.match('') && origin(false, entry.url, entry)),
    capsule.versions.map((entry) => [entry.version, entry.issued, entry.content_sha256, entry.record_digest]),
  ]);

/** What records say of the same. */
const toldByLineage = (record: VersionRecord, lineage: Lineage): string =>
  canonical([
    record.cites,
    ...record.derivedFrom.map((entry) => origin(entry.relation === 'wasRevisionOf', entry.uri, entry)),
    lineage.versions.map((entry) => [
      entry.record.version,
      entry.record.issued.slice(0, 10),
      entry.record.digest?.['sha-256'],
      entry.recordDigest,
    ]),
  ]);

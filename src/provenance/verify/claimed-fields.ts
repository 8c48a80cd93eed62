import type { Derivation, VersionRecord } from '../lineage-records.ts';
import type { CapsuleClaims, CapsuleDocument, VerifiedLineage } from './documents.ts';
import { canonical } from './json.ts';

/** `text` after a prefix. @throws {TypeError} For a value that is not a string. */
const withPrefix = (prefix: string, text: string): string => text.replace(/^/, prefix);
const page = (id: string): string => withPrefix('/capsules/', id);

/** A source or relation in the form that is compared. */
const origin = (isRevision: boolean, uri: string, entry: Partial<Derivation>): unknown => [
  isRevision,
  uri,
  entry.key,
  entry.title,
  entry.publisher,
  entry.retrieved,
];

/**
 * Name of the first field in which a capsule or a result differs from its lineage; `false` if none does.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
export function differingField(item: CapsuleClaims, record: VersionRecord, lineage: VerifiedLineage, isCapsule: boolean): unknown {
  const { statement } = lineage.head;
  const claimed: Readonly<Record<string, unknown>> = { ...item, license: withPrefix('https://spdx.org/licenses/', item.license) };
  const proven: Record<string, unknown> = {
    type: record.kind,
    content_sha256: record.digest?.['sha-256'],
    updated: record.issued.slice(0, 10),
    status: statement.status,
    status_reason: statement.statusReason,
    superseded_by: statement.supersededBy,
  };
  for (const name of ['title', 'summary', 'language', 'evidence', 'tags', 'license'] as const) proven[name] = record[name];
  return (
    Object.keys(proven).find((name) => canonical(claimed[name]) !== canonical(proven[name])) ??
    (isCapsule && claimsOfCapsule(item as CapsuleDocument) !== claimsOfLineage(record, lineage) && 'sources')
  );
}

/** Relations and versions that a capsule claims, in the form that is compared. */
const claimsOfCapsule = (capsule: CapsuleDocument): string =>
  canonical([
    capsule.cites.map(page),
    ...capsule.supersedes.map((entry) => origin(true, page(entry.capsule_id), {})),
    ...capsule.derived_from.map((id) => origin(false, page(id), {})),
    ...capsule.sources.map((entry) => entry.key.match('') && origin(false, entry.url, entry)),
    capsule.versions.map((entry) => [entry.version, entry.issued, entry.content_sha256, entry.record_digest]),
  ]);

/** Relations and versions that the records state. */
const claimsOfLineage = (record: VersionRecord, lineage: VerifiedLineage): string =>
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

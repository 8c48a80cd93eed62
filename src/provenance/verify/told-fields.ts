import { canonical } from './canonical.ts';
import type { Capsule, Derivation, Item, Lineage, VersionRecord } from './documents.ts';

/** A text after another; throws for what is no text. */
const after = (before: string, text: string): string => text.replace(/^/, before);
const page = (id: string): string => after('/capsules/', id);

/** A text that a version rests on, as both sides are compared. */
const origin = (entry: Partial<Derivation>, isRevision: boolean): unknown => [
  isRevision,
  entry.uri,
  entry.key,
  entry.title,
  entry.publisher,
  entry.retrieved,
];

/** What a capsule says of other texts and of its versions, as records would put it. */
const toldByCapsule = ({ cites, supersedes, derived_from, sources, versions }: Capsule): object => ({
  cites: cites.map(page),
  origins: [
    ...supersedes.map((entry) => origin({ uri: page(entry.capsule_id) }, true)),
    ...derived_from.map((id) => origin({ uri: page(id) }, false)),
    ...sources.map((entry) => origin({ ...entry, uri: entry.url, key: after('', entry.key) }, false)),
  ],
  versions: versions.map((entry) => [entry.version, entry.issued, entry.content_sha256, entry.record_digest]),
});

/**
 * Name of the first thing that a capsule, or a result, does not say as its lineage does; nothing if there is none.
 *
 * @throws {TypeError} If a member has a form that cannot be compared.
 */
export function differingField(item: Item, record: VersionRecord, { versions, head }: Lineage, isCapsule: boolean): string | undefined {
  const told: Readonly<Record<string, unknown>> = {
    ...item,
    license: after('https://spdx.org/licenses/', item.license),
    ...(isCapsule && toldByCapsule(item as Capsule)),
  };
  const proved: Record<string, unknown> = {
    type: record.kind,
    content_sha256: record.digest?.['sha-256'],
    updated: record.issued.slice(0, 10),
    status: head.statement.status,
    status_reason: head.statement.statusReason,
    superseded_by: head.statement.supersededBy,
    ...(isCapsule && {
    cites: record.cites,
    origins: record.derivedFrom.map((entry) => origin(entry, entry.relation === 'wasRevisionOf')),
    versions: versions.map((entry) => [
      entry.record.version,
      entry.record.issued.slice(0, 10),
      entry.record.digest?.['sha-256'],
      entry.recordDigest,
    ]),
    }),
  };
  for (const name of ['title', 'summary', 'language', 'evidence', 'tags', 'license'] as const) proved[name] = record[name];
  return Object.keys(proved).find((name) => canonical(told[name]) !== canonical(proved[name]));
}

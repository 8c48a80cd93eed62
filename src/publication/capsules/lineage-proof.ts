import { type ChainLink, type Derivation, headOf, type VersionInput } from '../../provenance/lineage-records.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { SourceKind } from '../../schemas/knowledge/capsule-front-matter.ts';
import { LineageProof } from '../../schemas/knowledge/lineage.ts';
import { capsulePath, capsuleVersionPath, PATHS } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { AuthoredVersion } from '../authored-content.ts';

/** PROV relation of a kind of source: an article is secondary, everything else is a primary source. */
const SOURCE_RELATIONS: Readonly<Record<SourceKind, Derivation['relation']>> = {
  standard: 'hadPrimarySource',
  specification: 'hadPrimarySource',
  documentation: 'hadPrimarySource',
  source_code: 'hadPrimarySource',
  paper: 'hadPrimarySource',
  article: 'wasDerivedFrom',
};

/** What the record of a version states: only its own file and the issuer, so that it never changes without a new version. */
export function versionInput(
  id: string,
  { frontMatter, markdown }: Pick<AuthoredVersion, 'frontMatter' | 'markdown'>,
  { issuer }: Publisher,
): VersionInput {
  return {
    $schema: PATHS.capsuleVersionSchema,
    id,
    version: frontMatter.version,
    uri: capsulePath(id),
    canonical: capsuleVersionPath(id, frontMatter.version),
    title: frontMatter.title,
    summary: frontMatter.summary,
    kind: frontMatter.type,
    tags: frontMatter.tags,
    language: frontMatter.language,
    evidence: frontMatter.evidence,
    issued: `${frontMatter.updated}T00:00:00Z`,
    issuer: { id: issuer },
    license: `https://spdx.org/licenses/${frontMatter.license}`,
    derivedFrom: [
      ...frontMatter.supersedes.map(({ capsule }): Derivation => ({ relation: 'wasRevisionOf', uri: capsulePath(capsule) })),
      ...frontMatter.derived_from.map((capsule): Derivation => ({ relation: 'wasDerivedFrom', uri: capsulePath(capsule) })),
      ...frontMatter.sources.map(
        ({ kind, key, url, title, publisher, retrieved }): Derivation => ({
          relation: SOURCE_RELATIONS[kind],
          uri: url,
          key,
          title,
          publisher,
          ...(retrieved === undefined ? {} : { retrieved }),
        }),
      ),
    ],
    cites: frontMatter.cites.map(capsulePath),
    activity: { type: 'editorial', agent: frontMatter.written_by ?? { type: 'Organization', name: issuer } },
    markdown,
  };
}

/** Records and head of a capsule, unsigned. */
export function lineageProof(
  chain: readonly ChainLink[],
  { status, status_reason, superseded_by }: Pick<CapsuleMetadata, 'status' | 'status_reason' | 'superseded_by'>,
  { issuer, name }: Publisher,
): LineageProof {
  const statement = headOf(chain, {
    $schema: PATHS.lineageHeadSchema,
    issuer: { id: issuer, name },
    status,
    ...(status_reason === undefined ? {} : { statusReason: status_reason }),
    ...(superseded_by === undefined ? {} : { supersededBy: superseded_by }),
  });
  return LineageProof.parse({ id: statement.id, versions: chain, head: { statement, signatures: [] } });
}

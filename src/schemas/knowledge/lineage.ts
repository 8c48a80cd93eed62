import * as z from 'zod';
import type { ChainLink, Derivation, DetachedSignature, LineageHead, VersionRecord } from '../../provenance/lineage-records.ts';
import type { RelationEdge } from '../../provenance/relation-graph.ts';
import { FEATURE_PARTS } from '../feature-switches.ts';
import { LIMITS } from '../limits.ts';
import { capsulePath, lineageFilePath, PATHS } from '../paths.ts';
import { ContentDate, Cursor, DidWeb, Id, IsoDate, IsoDateTime, Language, RecordDigest, Sha256Hex, Uri, Version } from '../primitives.ts';
import { type CapsuleMetadata, CapsuleStatus } from './capsule.ts';
import { Author, CapsuleType, Evidence, FRONT_MATTER_MAX } from './capsule-fields.ts';

/** Root-relative URL on this site, or an absolute one. */
const UriReference = z.string().regex(/^(\/|https:\/\/)[\x21-\x7e]*$/);

/** A schema for each member of a type of `provenance`, no more and no fewer: the type is the definition of what is signed. */
export type MembersOf<T> = { readonly [Name in keyof T]-?: z.ZodType<T[Name]> };

const Base64Url = z.string().regex(/^[A-Za-z0-9_-]+$/);

/** Flattened JWS with detached payload (RFC 7515 appendix F). */
const Signature = z.object({
  protected: Base64Url.describe('Protected header: algorithm, key id and type.'),
  signature: Base64Url.describe('The signature.'),
} satisfies MembersOf<DetachedSignature>);

export const Signatures = z.array(Signature).describe('Signatures on the statement; empty if the publisher has configured no key.');

export const Digest = z.object({ 'sha-256': Sha256Hex.describe('SHA-256.') });

/** Identity in a record, without the name, which may change. */
const IssuerId = DidWeb.describe('Identity of the publisher, a did:web.');

export const Issuer = z.object({ id: IssuerId, name: z.string().min(1).describe('Name of the publisher.') }).describe('The publisher.');

export const CapsuleVersionRecord = z
  .object({
    $schema: z.literal(PATHS.capsuleVersionSchema).describe('JSON Schema of the record.'),
    type: z.literal('CapsuleVersion').describe('Kind of the record.'),
    id: Id.describe('Capsule that the record is about.'),
    version: Version.describe('Version that the record is about.'),
    sequence: z.int().min(0).describe('Position in the chain of versions, from 0.'),
    uri: UriReference.describe('Page of the capsule.'),
    canonical: UriReference.describe('Exact bytes of this version.'),
    mediaType: z.string().min(1).describe('Media type of the text.'),
    size: z.int().min(0).describe('Size of the markdown in bytes.'),
    digest: Digest.describe('Digest of the markdown bytes.'),
    title: z.string().min(1).max(FRONT_MATTER_MAX.title).describe('Title of the capsule in this version.'),
    summary: z.string().min(1).max(FRONT_MATTER_MAX.summary).describe("The capsule's claim in this version."),
    kind: CapsuleType.describe('Kind of knowledge; type in the capsule document.'),
    tags: z.array(Id).max(FRONT_MATTER_MAX.tags).describe('Tags: the subjects.'),
    language: Language.describe('Language of the text, BCP 47.'),
    evidence: Evidence.describe('Strength of the best evidence for the main claim.'),
    issued: IsoDateTime.describe('When the version was published.'),
    issuer: z.object({ id: IssuerId }).describe('The publisher.'),
    license: z
      .string()
      .regex(/^https:\/\/spdx\.org\/licenses\//)
      .describe('Licence of the text.'),
    previous: z
      .object({
        version: Version.describe('The previous version.'),
        recordDigest: RecordDigest.describe('Digest of its record.'),
      })
      .optional()
      .describe('The previous version, by the digest of its record.'),
    derivedFrom: z
      .array(
        z.object({
          relation: z
            .enum(['wasDerivedFrom', 'wasRevisionOf', 'wasQuotedFrom', 'hadPrimarySource'])
            .describe('Relation, named as in W3C PROV-O.'),
          uri: UriReference.describe('URL of the source.'),
          key: Id.optional().describe('Name of the source within the text, which cites it as [^key]; absent for a capsule.'),
          title: z.string().min(1).max(FRONT_MATTER_MAX.sourceTitle).optional().describe('Title of the source.'),
          publisher: z.string().min(1).max(FRONT_MATTER_MAX.sourcePublisher).optional().describe('Publisher of the source.'),
          retrieved: IsoDate.optional().describe('Day on which the source was read; absent if it was cited by its canonical URL.'),
          digest: Digest.optional().describe('Digest of the source bytes, if they were kept.'),
        } satisfies MembersOf<Derivation>),
      )
      .describe('Sources of the version.'),
    cites: z.array(UriReference).max(FRONT_MATTER_MAX.relations).describe('Cited capsules.'),
    activity: z
      .object({
        type: z.literal('editorial').describe('Kind of the activity.'),
        agent: z
          .object({
            type: Author.shape.type.describe('Kind of author.'),
            name: z.string().min(1).describe('Name of the author, or the identity of the publisher if no author is named.'),
          })
          .describe('Who wrote the text.'),
      })
      .describe('How the version came to be.'),
  } satisfies MembersOf<VersionRecord>)
  .describe('Statement about a version of a capsule.');

export const LineageHeadStatement = z
  .object({
    $schema: z.literal(PATHS.lineageHeadSchema).describe('JSON Schema of the statement.'),
    type: z.literal('LineageHead').describe('Kind of the statement.'),
    id: Id.describe('Capsule that the statement is about.'),
    issuer: Issuer,
    status: CapsuleStatus.describe('Status of the capsule.'),
    statusReason: z.string().min(1).optional().describe('Why it is superseded or retracted.'),
    supersededBy: Id.optional().describe('Capsule that replaces it.'),
    head: RecordDigest.describe('Digest of the newest record.'),
    version: Version.describe('Newest version.'),
    count: z.int().min(1).describe('Number of versions in the chain.'),
    issued: IsoDateTime.describe('When the statement was made.'),
    validUntil: IsoDateTime.optional().describe('Expiry of a signed head; absent on an unsigned one.'),
  } satisfies MembersOf<LineageHead>)
  .describe('Statement about the newest version and the length of the chain.');

const LineageVersion = z.object({
  record: CapsuleVersionRecord,
  recordDigest: RecordDigest.describe('Digest of the record.'),
  signatures: Signatures,
} satisfies MembersOf<ChainLink>);

/** The proved part of a lineage, records and head; the lines of the bundle. */
export const LineageProof = z.object({
  id: Id.describe('Id of the capsule.'),
  versions: z.array(LineageVersion).describe('Records of all versions, oldest first.'),
  head: z
    .object({ statement: LineageHeadStatement, signatures: Signatures })
    .describe('Statement about the newest version, which shows that none is missing.'),
});
export type LineageProof = z.infer<typeof LineageProof>;

export const LineageNode = z
  .object({
    capsule_id: Id.describe('Id of the capsule.'),
    version: Version.describe('Newest version.'),
    title: z.string().min(1).max(FRONT_MATTER_MAX.title).describe('Title of the capsule.'),
    status: CapsuleStatus.describe('Status of the capsule.'),
    content_sha256: Sha256Hex.describe('Digest of the text in the newest record.'),
    record_digest: RecordDigest.describe('Digest of the newest record.'),
    hash_ok: z
      .boolean()
      .optional()
      .describe('Whether the stored text matched the digest when this document was made; absent for a paid text.')
      .register(FEATURE_PARTS, { payments: { words: '; absent for a paid text' } }),
    distance: z
      .int()
      .min(-LIMITS.lineageMaxDepth)
      .max(LIMITS.lineageMaxDepth)
      .describe(
        'Steps from the capsule: negative for capsules that it is derived from, replaces or cites; positive for capsules that are derived from it, replace or cite it. Beyond one step only derivation and replacement; see the edges.',
      ),
    uri: UriReference.describe('Page of the capsule.'),
    lineage: UriReference.describe('Its own lineage, which proves these members.'),
  })
  .describe('A capsule in a lineage graph.');
export type LineageNode = z.infer<typeof LineageNode>;

/** A page of the graph around a capsule, nearest first, then by id. */
export const LineageGraph = z
  .object({
    nodes: z.array(LineageNode).max(LIMITS.lineageMaxNodes).describe('Capsules of this page.'),
    edges: z
      .array(
        z.object({
          from: Id.describe('Capsule that has the relation.'),
          to: Id.describe('Capsule that it relates to.'),
          relation: z.enum(['derived_from', 'supersedes', 'cites']).describe('The relation.'),
        } satisfies MembersOf<RelationEdge>),
      )
      .describe('Relations of capsules on this page to each other and to capsules on earlier pages.'),
    total: z.int().min(1).describe('Number of capsules within the published depth, this one included.'),
    truncated: z.boolean().describe('Whether there are more capsules beyond this page.'),
    next_cursor: Cursor.nullable().describe('Cursor of the next page at the API; null on the last page, and on a site of files.'),
  })
  .describe('Capsules around this one, nearest first, and their relations.');

export const Lineage = z.object({
  $schema: z.literal(PATHS.lineageSchema).describe('JSON Schema of the lineage.'),
  ...LineageProof.shape,
  formerly: z
    .array(LineageProof)
    .min(1)
    .optional()
    .describe('Lineages of the capsule under ids that it had before: each is verified by itself, and its head names the present id.'),
  graph: LineageGraph.describe('Capsules around this one.'),
});
export type Lineage = z.infer<typeof Lineage>;

export function lineageNode(metadata: CapsuleMetadata, distance: number, hashOk: boolean | undefined): LineageNode {
  const { capsule_id, version, title, status, content_sha256, versions } = metadata;
  return {
    capsule_id,
    version,
    title,
    status,
    content_sha256,
    record_digest: versions.at(-1)?.record_digest ?? '',
    ...(hashOk === undefined ? {} : { hash_ok: hashOk }),
    distance,
    uri: capsulePath(capsule_id),
    lineage: lineageFilePath(capsule_id),
  };
}

/** 32 bytes in base64url without padding (RFC 4648 section 5): an Ed25519 public key, or a SHA-256 thumbprint. */
const Base64Url32 = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, 'must be 32 bytes in base64url, which are 43 characters');

export const LineageKey = z.strictObject({
  kid: Base64Url32.describe('RFC 7638 thumbprint of the key.'),
  x: Base64Url32.describe('The public key (RFC 8037).'),
  created: ContentDate.describe('Day on which the key was created.'),
  retired: ContentDate.optional().describe('Last day on which it signed; it still verifies earlier signatures.'),
});
export type LineageKey = z.infer<typeof LineageKey>;

/** `content/keys.yaml`: the public keys of the publisher, oldest first. Private keys are never in the repository. */
export const LineageKeys = z.strictObject({ keys: z.array(LineageKey).max(20) });

/** Values of an attribute: names, or texts with type or language. */
const ProvValues = z.array(
  z.union([
    z.string(),
    z.object({
      '@value': z.string().describe('The value.'),
      '@type': z.string().optional().describe('Type of the value.'),
      '@language': Language.optional().describe('Language of the value.'),
    }),
  ]),
);

/** Lineage of a capsule as PROV-JSONLD (W3C member submission). */
export const ProvLineage = z.object({
  '@context': z
    .array(z.union([z.record(z.string(), z.string()), Uri]))
    .describe('Prefixes in this document, and the context that defines all other names.'),
  '@graph': z
    .array(
      z
        .object({
          '@type': z
            .enum(['Entity', 'Activity', 'Agent', 'Specialization', 'Generation', 'Association', 'Attribution', 'Derivation'])
            .describe('Kind of the expression.'),
        })
        .catchall(z.union([z.string(), ProvValues])),
    )
    .describe('PROV expressions: texts, activities and agents, and their relations.'),
});

export const TombstoneStatement = z.object({
  $schema: z.literal(PATHS.tombstoneSchema),
  type: z.literal('Tombstone'),
  id: Id,
  issuer: Issuer,
  status: z.literal('taken_down'),
  statusReason: z.string().describe('Why it was taken down.'),
  legal: z.boolean().describe('Whether the law demanded it.'),
  count: z.literal(0).describe('Number of versions that are still published.'),
  versions: z
    .array(
      z.object({
        version: Version,
        recordDigest: RecordDigest.describe('Digest of the record of this version.'),
        digest: z.object({ 'sha-256': Sha256Hex }).describe('Digest of its text.'),
      }),
    )
    .describe('Versions that were published, oldest first.'),
  issued: IsoDateTime.describe('When it was taken down.'),
});

/** Lineage of a capsule that was taken down: no version, and the tombstone as its head. */
export const Tombstone = z.object({
  id: Id,
  versions: z.array(z.never()).max(0).describe('No record remains.'),
  head: z.object({ statement: TombstoneStatement, signatures: Signatures }),
});
export type Tombstone = z.infer<typeof Tombstone>;

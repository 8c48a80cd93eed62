import * as z from 'zod';
import { capsulePath, lineageFilePath, PATHS } from '../paths.ts';
import { ContentDate, Id, IsoDate, IsoDateTime, Language, RecordDigest, Sha256Hex, Uri, Version } from '../primitives.ts';
import { type CapsuleMetadata, CapsuleStatus } from './capsule.ts';
import { CapsuleType, Evidence } from './capsule-front-matter.ts';

/** Root-relative address on the site that answered, or an absolute one elsewhere. */
const UriReference = z.string().regex(/^(\/|https:\/\/)[\x21-\x7e]*$/);

/** Flattened JWS with detached payload (RFC 7515 appendix F). */
const Signature = z.object({ protected: z.string(), signature: z.string() });

/** Signatures on a statement; empty while no key is configured. */
export const Signatures = z.array(Signature).describe('Signatures on the statement; empty while the publisher has configured no key.');

/** Identity in a record: it alone, because the name may change and a record never does. */
const IssuerId = z.string().describe('Identity of the publisher, a did:web.');

/** Identity with the name that it has now. */
export const Issuer = z.object({ id: IssuerId, name: z.string().describe('Name of the publisher.') });

/** Statement about one version of a capsule. */
export const CapsuleVersionRecord = z.object({
  $schema: z.literal(PATHS.capsuleVersionSchema),
  type: z.literal('CapsuleVersion'),
  id: Id.describe('Capsule that the record is about.'),
  version: Version,
  sequence: z.int().min(0).describe('Position in the chain of versions, from 0.'),
  uri: UriReference.describe('Page of the capsule.'),
  canonical: UriReference.describe('Exact bytes of this version.'),
  mediaType: z.string(),
  size: z.int().min(0).describe('Size of the markdown in bytes.'),
  digest: z.object({ 'sha-256': Sha256Hex }).describe('Digest of the markdown bytes.'),
  title: z.string().describe('Title of the capsule in this version.'),
  summary: z.string().describe("The capsule's claim in this version."),
  kind: CapsuleType.describe('Kind of knowledge; what the capsule document calls type.'),
  tags: z.array(Id).describe('Subjects.'),
  language: Language,
  evidence: Evidence.describe('Strength of the best evidence for the main claim.'),
  issued: IsoDateTime,
  issuer: z.object({ id: IssuerId }),
  license: z.string().regex(/^https:\/\/spdx\.org\/licenses\//),
  previous: z
    .object({ version: Version, recordDigest: RecordDigest })
    .optional()
    .describe('The version before, named by the digest of its record.'),
  derivedFrom: z
    .array(
      z.object({
        relation: z
          .enum(['wasDerivedFrom', 'wasRevisionOf', 'wasQuotedFrom', 'hadPrimarySource'])
          .describe('Relation in the names of W3C PROV-O.'),
        uri: UriReference,
        key: Id.optional().describe('Name of the source inside the text, which refers to it as [^key]; absent if it is a capsule.'),
        title: z.string().optional(),
        publisher: z.string().optional().describe('Who published the source.'),
        retrieved: IsoDate.optional().describe('Day on which the source was opened; absent if it was cited by its canonical address.'),
        digest: z.object({ 'sha-256': Sha256Hex }).optional().describe('Digest of the source bytes, where they were kept.'),
      }),
    )
    .describe('Texts that the version rests on.'),
  cites: z.array(UriReference).describe('Capsules referred to in passing.'),
  activity: z.object({
    type: z.literal('editorial'),
    agent: z.object({
      type: z.enum(['Person', 'Organization', 'SoftwareAgent']),
      name: z.string().describe('Name of who wrote the version, or the identity of the publisher where nobody is named.'),
    }),
  }),
});
export type CapsuleVersionRecord = z.infer<typeof CapsuleVersionRecord>;

/** Statement about the newest version and the number of versions. */
export const LineageHeadStatement = z.object({
  $schema: z.literal(PATHS.lineageHeadSchema),
  type: z.literal('LineageHead'),
  id: Id,
  issuer: Issuer,
  status: CapsuleStatus.describe('Whether the capsule stands.'),
  statusReason: z.string().optional().describe('Why it is superseded or retracted.'),
  supersededBy: Id.optional().describe('Capsule that replaces it.'),
  head: RecordDigest.describe('Digest of the newest record.'),
  version: Version,
  count: z.int().min(1).describe('Number of versions in the chain.'),
  issued: IsoDateTime,
  validUntil: IsoDateTime.optional().describe('Until when a signed head may be relied on; absent on an unsigned one.'),
});
export type LineageHeadStatement = z.infer<typeof LineageHeadStatement>;

/** A version in a lineage. */
const LineageVersion = z.object({ record: CapsuleVersionRecord, recordDigest: RecordDigest, signatures: Signatures });

/** The part of a lineage that is proved: records and head. Lines of the bundle hold nothing else of it. */
export const LineageProof = z.object({
  id: Id,
  versions: z.array(LineageVersion).describe('Records of all versions, oldest first.'),
  head: z.object({ statement: LineageHeadStatement, signatures: Signatures }),
});
export type LineageProof = z.infer<typeof LineageProof>;

/** A capsule in the graph of a lineage. */
export const LineageNode = z.object({
  capsule_id: Id,
  version: Version,
  title: z.string(),
  status: CapsuleStatus,
  content_sha256: Sha256Hex.describe('Digest that the newest record states.'),
  record_digest: RecordDigest.describe('Digest of the newest record.'),
  hash_ok: z
    .boolean()
    .optional()
    .describe('Whether the stored text has that digest, worked out when this document was made; absent for a text that is sold.'),
  distance: z
    .int()
    .describe(
      'Steps from the capsule: below 0 what it is derived from, replaces or cites; above 0 what is derived from it, replaces or cites it. Beyond one step derivation and replacement only; the edges say which.',
    ),
  uri: UriReference.describe('Page of the capsule.'),
  lineage: UriReference.describe('Its own lineage, which proves what is said of it here.'),
});
export type LineageNode = z.infer<typeof LineageNode>;

/** The capsules around one, page by page: nearest first, then by id. */
export const LineageGraph = z.object({
  nodes: z.array(LineageNode).describe('Capsules of this page.'),
  edges: z
    .array(z.object({ from: Id, to: Id, relation: z.enum(['derived_from', 'supersedes', 'cites']) }))
    .describe('Relations of capsules of this page to each other and to those of pages before.'),
  total: z.int().min(1).describe('Number of capsules within the published depth, this one included.'),
  truncated: z.boolean().describe('Whether there are further capsules beyond this page.'),
  next_cursor: z.string().nullable().describe('Cursor of the further page at the API; null on the last page, and where only files answer.'),
});
export type LineageGraph = z.infer<typeof LineageGraph>;

/** Lineage of a capsule: identical bytes at the API and as a file. */
export const Lineage = z.object({ $schema: z.literal(PATHS.lineageSchema), ...LineageProof.shape, graph: LineageGraph });
export type Lineage = z.infer<typeof Lineage>;

/** What the graph of a lineage says about a capsule that is `distance` steps away. */
export function lineageNode(
  { capsule_id, version, title, status, content_sha256, versions }: CapsuleMetadata,
  distance: number,
  hashOk: boolean | undefined,
): LineageNode {
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

/** A public key that signs, or has signed, what is published. */
export const LineageKey = z.strictObject({
  kid: Base64Url32.describe('RFC 7638 thumbprint of the key.'),
  x: Base64Url32.describe('The public key (RFC 8037).'),
  created: ContentDate.describe('Day on which the key was made.'),
  retired: ContentDate.optional().describe('Last day on which it signed; it goes on to verify what was issued until then.'),
});
export type LineageKey = z.infer<typeof LineageKey>;

/** `content/keys.yaml`: the public keys of the publisher, oldest first. Their private halves are never in the repository. */
export const LineageKeys = z.strictObject({ keys: z.array(LineageKey).max(20) });
export type LineageKeys = z.infer<typeof LineageKeys>;

/** A value of an attribute: a name, or a text with its type or language. */
const ProvValues = z.array(
  z.union([z.string(), z.object({ '@value': z.string(), '@type': z.string().optional(), '@language': z.string().optional() })]),
);

/** Lineage of a capsule in the words of W3C PROV, as the submission of PROV-JSONLD writes them. */
export const ProvLineage = z.object({
  '@context': z
    .array(z.union([z.record(z.string(), z.string()), Uri]))
    .describe('Prefixes of the names in this document, and the context that gives all other names their meaning.'),
  '@graph': z
    .array(
      z
        .object({
          '@type': z.enum(['Entity', 'Activity', 'Agent', 'Specialization', 'Generation', 'Association', 'Attribution', 'Derivation']),
        })
        .catchall(z.union([z.string(), ProvValues])),
    )
    .describe('Expressions of PROV: texts, activities and agents, and how they are related.'),
});
export type ProvLineage = z.infer<typeof ProvLineage>;

import * as z from 'zod';
import { type CapsuleMetadata, CapsuleStatus } from './capsule.ts';
import { capsulePath, PATHS } from './paths.ts';
import { Id, IsoDate, IsoDateTime, Sha256Hex, Version } from './primitives.ts';

/** Digest of a record's canonical JSON (RFC 8785). */
const RecordDigest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** Root-relative address on the site that answered, or an absolute one elsewhere. */
const UriReference = z.string().regex(/^(\/|https:\/\/)[\x21-\x7e]*$/);

/** Flattened JWS with detached payload (RFC 7515 appendix F). */
const Signature = z.object({ protected: z.string(), signature: z.string() });

const Issuer = z.object({ id: z.string().describe('Identity of the publisher, a did:web.'), name: z.string() });

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
  issued: IsoDateTime,
  issuer: Issuer,
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
        title: z.string().optional(),
        retrieved: IsoDate.optional().describe('Day on which the source was opened; absent if it was cited by its canonical address.'),
        digest: z.object({ 'sha-256': Sha256Hex }).optional().describe('Digest of the source bytes, where they were kept.'),
      }),
    )
    .describe('Texts that the version rests on.'),
  cites: z.array(UriReference).describe('Capsules referred to in passing.'),
  activity: z.object({
    type: z.literal('editorial'),
    agent: z.object({ type: z.enum(['Person', 'Organization', 'SoftwareAgent']), name: z.string() }),
  }),
});

/** Statement about the newest version and the number of versions. */
export const LineageHeadStatement = z.object({
  $schema: z.literal(PATHS.lineageHeadSchema),
  type: z.literal('LineageHead'),
  id: Id,
  issuer: Issuer,
  head: RecordDigest.describe('Digest of the newest record.'),
  version: Version,
  count: z.int().min(1).describe('Number of versions in the chain.'),
  issued: IsoDateTime,
  validUntil: IsoDateTime.optional().describe('Until when a signed head may be relied on; absent on an unsigned one.'),
});

/** Lineage of a capsule: identical bytes at the API and as a file. */
export const Lineage = z.object({
  $schema: z.literal(PATHS.lineageSchema),
  id: Id,
  status: CapsuleStatus,
  status_reason: z.string().optional(),
  superseded_by: Id.optional(),
  versions: z
    .array(z.object({ record: CapsuleVersionRecord, recordDigest: RecordDigest, signatures: z.array(Signature) }))
    .describe('Records of all versions, oldest first.'),
  head: z.object({ statement: LineageHeadStatement, signatures: z.array(Signature) }),
  graph: z.object({
    nodes: z.array(
      z.object({
        capsule_id: Id,
        version: Version,
        title: z.string(),
        status: CapsuleStatus,
        content_sha256: Sha256Hex,
        distance: z
          .int()
          .describe(
            'Steps from the capsule: below 0 what it is derived from, replaces or cites; above 0 what is derived from it, replaces or cites it. Beyond one step derivation and replacement only; the edges say which.',
          ),
        uri: UriReference,
      }),
    ),
    edges: z.array(z.object({ from: Id, to: Id, relation: z.enum(['derived_from', 'supersedes', 'cites']) })),
    truncated: z.boolean().describe('True when the graph was cut at the published bounds.'),
  }),
});
export type Lineage = z.infer<typeof Lineage>;

/** What the graph of a lineage says about a capsule that is `distance` steps away. */
export function lineageNode(
  { capsule_id, version, title, status, content_sha256 }: CapsuleMetadata,
  distance: number,
): Lineage['graph']['nodes'][number] {
  return { capsule_id, version, title, status, content_sha256, distance, uri: capsulePath(capsule_id) };
}

import { canonicalDigest, sha256Hex } from '../provenance/digest.ts';
import { type Neighbourhood, type RelationEdge, RelationGraph } from '../provenance/relation-graph.ts';
import { chainVersions, type Derivation, type VersionFacts } from '../provenance/version-record.ts';
import type { CapsuleMetadata, CapsuleStatus } from '../schemas/capsule.ts';
import type { SourceKind } from '../schemas/capsule-front-matter.ts';
import { Lineage, lineageNode } from '../schemas/lineage.ts';
import { LIMITS } from '../schemas/limits.ts';
import { capsulePath, capsuleVersionPath, PATHS } from '../schemas/paths.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { AuthoredCapsule, AuthoredVersion, Content } from './content.ts';
import { countWords, parseMarkdown } from './markdown.ts';

/** One version of a capsule, ready to be published. */
export interface PublishedVersion {
  readonly metadata: CapsuleMetadata;
  readonly markdown: string;
}

/** A capsule with all its versions and its lineage. The current version is the last one. */
export interface PublishedCapsule extends PublishedVersion {
  readonly id: string;
  /** All versions, oldest first, the current one included. */
  readonly versions: readonly PublishedVersion[];
  readonly lineage: Lineage;
  /** Number of relations to other capsules, in both directions. */
  readonly degree: number;
}

/** Estimate of the tokens in a text, the one that the API publishes: UTF-8 bytes divided by 4, rounded up. */
export function estimateTokens(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).length / 4);
}

/** Turns checked content into what is published: states, digests, version chains and graphs. Ascending order of id. */
export async function publishCapsules(content: Content): Promise<PublishedCapsule[]> {
  const graph = new RelationGraph(content.capsules.flatMap(({ id, frontMatter }) => edgesOf(id, frontMatter)));
  const drafts = await Promise.all(content.capsules.map((capsule) => publishVersions(capsule, content, graph)));
  const current = new Map(drafts.map(({ id, versions }) => [id, versions.at(-1) as PublishedVersion]));
  return Promise.all(
    drafts.map(async ({ id, versions }, index) => {
      const authored = content.capsules[index] as AuthoredCapsule;
      const newest = versions.at(-1) as PublishedVersion;
      const lineage = await lineageOf(
        authored,
        newest.metadata,
        content.publisher,
        graph.around(id, LIMITS.lineageMaxDepth, LIMITS.lineageMaxNodes),
        current,
      );
      return { id, ...newest, versions, lineage, degree: graph.degree(id) };
    }),
  );
}

function edgesOf(id: string, relations: Pick<AuthoredVersion['frontMatter'], 'derived_from' | 'cites' | 'supersedes'>): RelationEdge[] {
  return [
    ...relations.derived_from.map((to): RelationEdge => ({ from: id, to, relation: 'derived_from' })),
    ...relations.supersedes.map(({ capsule }): RelationEdge => ({ from: id, to: capsule, relation: 'supersedes' })),
    ...relations.cites.map((to): RelationEdge => ({ from: id, to, relation: 'cites' })),
  ];
}

async function publishVersions(
  capsule: AuthoredCapsule,
  content: Content,
  graph: RelationGraph,
): Promise<{ id: string; versions: PublishedVersion[] }> {
  const authored: readonly AuthoredVersion[] = [...capsule.frozen, capsule];
  const entries = await Promise.all(
    authored.map(async ({ frontMatter, markdown }) => ({
      version: frontMatter.version,
      issued: frontMatter.updated,
      content_sha256: await sha256Hex(markdown),
    })),
  );
  const state = stateOf(capsule, content, graph);
  const versions = authored.map(({ frontMatter, markdown }, index): PublishedVersion => {
    const entry = entries[index] as (typeof entries)[number];
    return {
      markdown,
      metadata: {
        capsule_id: capsule.id,
        version: entry.version,
        title: frontMatter.title,
        summary: frontMatter.summary,
        type: frontMatter.type,
        tags: frontMatter.tags,
        language: frontMatter.language,
        license: frontMatter.license,
        evidence: frontMatter.evidence,
        ...state,
        access: frontMatter.access,
        created: frontMatter.created,
        updated: frontMatter.updated,
        words: countWords(parseMarkdown(markdown)),
        tokens: estimateTokens(markdown),
        content_sha256: entry.content_sha256,
        sources: frontMatter.sources,
        derived_from: frontMatter.derived_from,
        cites: frontMatter.cites,
        supersedes: frontMatter.supersedes.map(({ capsule: capsule_id, reason }) => ({ capsule_id, reason })),
        versions: entries,
      },
    };
  });
  return { id: capsule.id, versions };
}

/** State of a capsule as a whole: a retraction is its own statement, a supersession that of the capsule that replaces it. */
function stateOf(
  capsule: AuthoredCapsule,
  content: Content,
  graph: RelationGraph,
): { status: CapsuleStatus; status_reason?: string; superseded_by?: string } {
  const successor = graph.supersededBy(capsule.id);
  const retracted = capsule.frontMatter.retracted;
  const superseded_by = successor === undefined ? {} : { superseded_by: successor };
  if (retracted) return { status: 'retracted', status_reason: retracted.reason, ...superseded_by };
  if (successor === undefined) return { status: 'current' };
  const reason = content.capsules
    .find(({ id }) => id === successor)
    ?.frontMatter.supersedes.find((entry) => entry.capsule === capsule.id)?.reason;
  return { status: 'superseded', ...(reason === undefined ? {} : { status_reason: reason }), ...superseded_by };
}

/** PROV relation of a source: an article is derived from, everything else is the primary source of its own statements. */
const SOURCE_RELATIONS: Readonly<Record<SourceKind, Derivation['relation']>> = {
  standard: 'hadPrimarySource',
  specification: 'hadPrimarySource',
  documentation: 'hadPrimarySource',
  source_code: 'hadPrimarySource',
  paper: 'hadPrimarySource',
  article: 'wasDerivedFrom',
};

function factsOf(id: string, { frontMatter, markdown }: AuthoredVersion, publisher: Publisher): VersionFacts {
  return {
    $schema: PATHS.capsuleVersionSchema,
    id,
    version: frontMatter.version,
    uri: capsulePath(id),
    canonical: capsuleVersionPath(id, frontMatter.version),
    issued: `${frontMatter.updated}T00:00:00Z`,
    issuer: { id: publisher.issuer, name: publisher.name },
    license: `https://spdx.org/licenses/${frontMatter.license}`,
    derivedFrom: [
      ...frontMatter.supersedes.map(({ capsule }): Derivation => ({ relation: 'wasRevisionOf', uri: capsulePath(capsule) })),
      ...frontMatter.derived_from.map((capsule): Derivation => ({ relation: 'wasDerivedFrom', uri: capsulePath(capsule) })),
      ...frontMatter.sources.map(
        ({ kind, url, title, retrieved }): Derivation => ({
          relation: SOURCE_RELATIONS[kind],
          uri: url,
          title,
          ...(retrieved === undefined ? {} : { retrieved }),
        }),
      ),
    ],
    cites: frontMatter.cites.map(capsulePath),
    activity: { type: 'editorial', agent: frontMatter.written_by ?? { type: 'Organization', name: publisher.name } },
    markdown,
  };
}

async function lineageOf(
  capsule: AuthoredCapsule,
  metadata: CapsuleMetadata,
  publisher: Publisher,
  around: Neighbourhood,
  current: ReadonlyMap<string, PublishedVersion>,
): Promise<Lineage> {
  const chain = await chainVersions([...capsule.frozen, capsule].map((version) => factsOf(capsule.id, version, publisher)));
  const head = chain.at(-1) as (typeof chain)[number];
  return {
    $schema: PATHS.lineageSchema,
    id: capsule.id,
    status: metadata.status,
    ...(metadata.status_reason === undefined ? {} : { status_reason: metadata.status_reason }),
    ...(metadata.superseded_by === undefined ? {} : { superseded_by: metadata.superseded_by }),
    versions: Lineage.shape.versions.parse(chain),
    head: {
      statement: {
        $schema: PATHS.lineageHeadSchema,
        type: 'LineageHead',
        id: capsule.id,
        issuer: { id: publisher.issuer, name: publisher.name },
        head: await canonicalDigest(head.record),
        version: head.record.version,
        count: chain.length,
        issued: head.record.issued,
      },
      signatures: [],
    },
    graph: {
      nodes: around.nodes.flatMap(({ id, distance }) => {
        const node = current.get(id)?.metadata;
        return node ? [lineageNode(node, distance)] : [];
      }),
      edges: [...around.edges],
      truncated: around.truncated,
    },
  };
}

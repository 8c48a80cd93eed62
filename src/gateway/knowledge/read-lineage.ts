import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { provDocument } from '../../provenance/prov-jsonld.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { type Lineage, type LineageProof, lineageNode } from '../../schemas/knowledge/lineage.ts';
import { capsulePath, lineageApiPath, PATHS } from '../../schemas/paths.ts';
import { remembered } from '../memory-caches.ts';
import type { TaggedDocument } from '../platform-ports.ts';
import { ok, type Result, refuse } from '../result.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { DAMAGED_CURSOR, decodeCursor, encodeCursor } from './cursor.ts';
import { noSuchCapsule } from './read-capsule.ts';
import type { LineageParts } from './read-generation.ts';

export interface LineageRequest {
  readonly id: string;
  readonly cursor?: string | undefined;
  /** Whether functions serve cursors; a site of files has none. */
  readonly hasCursors: boolean;
}

/** The exact text of a lineage document, with one page of its graph, whose size alone decides the cost. */
export async function readLineage(request: LineageRequest, corpus: Corpus): Promise<Result<string>> {
  const document = await readLineageDocument(request, corpus);
  return document.ok ? ok(document.value.body) : document;
}

export function readLineageDocument({ id, cursor, hasCursors }: LineageRequest, corpus: Corpus): Promise<Result<TaggedDocument>> {
  return withCorpus(corpus, async () => {
    const position = cursor === undefined ? undefined : decodeCursor(cursor, { lineage: id }, 'capsule');
    if (position && !position.ok) return position;
    const opened = await corpus.generation(position?.value.corpusVersion);
    if (!opened.ok) return opened;
    const generation = opened.value;
    const start = position?.value.offset ?? 0;
    const stored = await generation.lineagePage(id, start);
    if (stored === undefined) {
      const isKnown = (await generation.lineageProof(id)) !== undefined;
      return isKnown ? refuse('invalid_cursor', DAMAGED_CURSOR) : noSuchCapsule();
    }
    const { graph } = stored;
    const end = start + graph.nodes.length;
    const hasNext = hasCursors && end < graph.total;
    const write = async (): Promise<string> => {
      const next = hasNext ? encodeCursor({ corpusVersion: generation.version, offset: end }, { lineage: id }) : null;
      const around = await generation.around(graph);
      return JSON.stringify(joinLineage({ ...stored, around }, next, await Promise.all(around.map(matchesDigest))));
    };
    const name = `${generation.version} ${hasNext}`;
    return ok(await corpus.documents.of(graph, name, 'application/json', write));
  });
}

/** @param matches Whether the text of each capsule matches its digest, in their order; `undefined` for those that were not checked. */
export function joinLineage(parts: LineageParts, nextCursor: string | null, matches: readonly (boolean | undefined)[] = []): Lineage {
  const { proof, formerly, graph, around } = parts;
  return {
    $schema: PATHS.lineageSchema,
    ...proof,
    ...(formerly === undefined ? {} : { formerly: [...formerly] }),
    graph: {
      nodes: around.map(({ metadata }, at) => lineageNode(metadata, graph.nodes[at]?.[1] ?? 0, matches[at])),
      edges: [...graph.edges],
      total: graph.total,
      truncated: graph.truncated,
      next_cursor: nextCursor,
    },
  };
}

const MATCHES = new WeakMap<StoredVersion, Promise<boolean>>();

/** @returns `undefined` for a paid text, which is not read. */
function matchesDigest(stored: StoredVersion): Promise<boolean> | undefined {
  const { metadata, markdown } = stored;
  if (markdown === undefined) return undefined;
  return remembered(MATCHES, stored, () => sha256Hex(markdown).then((digest) => digest === metadata.content_sha256));
}

export function provLineage(proof: LineageProof, baseUrl: string): string {
  const { supersededBy } = proof.head.statement;
  return JSON.stringify(
    provDocument(proof, {
      baseUrl,
      documentUrl: baseUrl + lineageApiPath(proof.id),
      replacementUrl: supersededBy === undefined ? undefined : baseUrl + capsulePath(supersededBy),
    }),
  );
}

/** The newest lineage of a capsule as PROV-JSONLD. It has no graph, so no other capsule is read. */
export function readProvLineage(id: string, corpus: Corpus, baseUrl: string): Promise<Result<string>> {
  return withCorpus(corpus, async () => {
    const proof = await corpus.newest.lineageProof(id);
    return proof === undefined ? noSuchCapsule() : ok(provLineage(proof, baseUrl));
  });
}

import { sha256Hex } from '../../provenance/bytes.ts';
import { provDocument } from '../../provenance/prov-jsonld.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import { type Lineage, type LineageProof, lineageNode } from '../../schemas/knowledge/lineage.ts';
import { capsulePath, lineageApiPath, PATHS } from '../../schemas/paths.ts';
import { ok, type Result, refuse } from '../result.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { DAMAGED_CURSOR, decodeCursor, encodeCursor } from './cursor.ts';
import type { LineageParts } from './generation.ts';
import { noSuchCapsule } from './read-capsule.ts';

/** Which part of a lineage is wanted. */
export interface LineageRequest {
  readonly id: string;
  /** `next_cursor` of the page of the graph before. */
  readonly cursor?: string | undefined;
  /** Whether a function answers cursors; where only files answer, none is given. */
  readonly hasCursors: boolean;
}

/**
 * The exact text of a capsule's lineage document, with one page of its graph. What it costs depends on the page and not on how many
 * capsules are around.
 */
export function readLineage({ id, cursor, hasCursors }: LineageRequest, corpus: Corpus): Promise<Result<string>> {
  return withCorpus(corpus, async () => {
    const position = cursor === undefined ? undefined : await decodeCursor(cursor, { lineage: id });
    if (position && !position.ok) return position;
    const found = await corpus.generation(position?.value.corpusVersion);
    if (!found.ok) return found;
    const generation = found.value;
    const start = position?.value.offset ?? 0;
    const parts = await generation.lineage(id, start);
    if (parts === undefined) {
      const isKnown = (await generation.lineageProof(id)) !== undefined;
      return isKnown ? refuse('invalid_cursor', DAMAGED_CURSOR) : noSuchCapsule();
    }
    const end = start + parts.around.length;
    const next =
      hasCursors && end < parts.graph.total
        ? await encodeCursor({ corpusVersion: generation.version, offset: end }, { lineage: id })
        : null;
    return ok(JSON.stringify(await lineageDocument(parts, next)));
  });
}

/** Joins a stored lineage with what the pages of the capsules around it say; each text that was read is digested again and compared. */
async function lineageDocument({ proof, graph, around }: LineageParts, nextCursor: string | null): Promise<Lineage> {
  const nodes = await Promise.all(
    around.map(async (stored, at) => lineageNode(stored.metadata, graph.nodes[at]?.[1] ?? 0, await hasItsDigest(stored))),
  );
  return {
    $schema: PATHS.lineageSchema,
    ...proof,
    graph: { nodes, edges: [...graph.edges], total: graph.total, truncated: graph.truncated, next_cursor: nextCursor },
  };
}

/** Whether a text has its digest; unknown of one that is sold, which is not read for this. */
async function hasItsDigest(stored: StoredVersion): Promise<boolean | undefined> {
  return stored.markdown === undefined ? undefined : isWhole(stored, stored.markdown);
}

/** What was found of texts as they stand in memory, which nobody changes: each is digested once, however many lineages name it. */
const FOUND = new WeakMap<StoredVersion, Promise<boolean>>();

function isWhole(stored: StoredVersion, markdown: string): Promise<boolean> {
  let found = FOUND.get(stored);
  if (found === undefined) {
    found = sha256Hex(markdown).then((digest) => digest === stored.metadata.content_sha256);
    FOUND.set(stored, found);
  }
  return found;
}

/** The exact text of a capsule's lineage as PROV-JSONLD: one form for the API and for the file. */
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

/** The newest lineage of a capsule as PROV-JSONLD. It has no graph: nothing is read of the capsules around. */
export function readProvLineage(id: string, corpus: Corpus, baseUrl: string): Promise<Result<string>> {
  return withCorpus(corpus, async () => {
    const proof = await corpus.newest.lineageProof(id);
    return proof === undefined ? noSuchCapsule() : ok(provLineage(proof, baseUrl));
  });
}

import type { PublishedCapsule } from '../authoring/published-capsules.ts';
import { headingsOf, parseMarkdown, plainText } from '../authoring/markdown.ts';
import { summaryOf } from '../gateway/capsules/capsule-answer.ts';
import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { canonicalDigest, canonicalJson, sha256Hex } from '../provenance/digest.ts';
import { type BlockReference, GENERATION_FORMAT, type GenerationManifest, pageOf } from '../schemas/generation.ts';
import { ANALYSER_ID } from '../search/analyse.ts';
import { buildIndex } from '../search/build-index.ts';
import { encodeIndex } from '../search/encode-index.ts';
import { INDEX_FORMAT_VERSION } from '../search/index-format.ts';
import { RANKING_VERSION } from '../search/rank.ts';
import type { SearchDocument } from '../search/types.ts';

/** A generation with every block that it consists of, its manifest included, by digest. */
export interface BuiltGeneration extends DeployedGeneration {
  readonly blocks: ReadonlyMap<string, Uint8Array>;
}

/** Generations before the newest one that are listed and go on answering pinned queries. */
export const EARLIER_GENERATIONS = 3;

/** Size that a page of capsules is aimed at, in bytes: one read serves several capsules, one edit rewrites little. */
const PAGE_TARGET_BYTES = 96 * 1024;

/** Builds the blocks and the manifest of a corpus. The same capsules after the same generations give the same bytes. */
export async function buildGeneration(
  capsules: readonly PublishedCapsule[],
  previous: readonly DeployedGeneration[],
): Promise<BuiltGeneration> {
  const blocks = new Map<string, Uint8Array>();
  const add = async (bytes: Uint8Array): Promise<BlockReference> => {
    const sha256 = await sha256Hex(bytes);
    blocks.set(sha256, bytes);
    return { sha256, bytes: bytes.length };
  };
  const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const addPages = async <T>(entries: readonly { readonly id: string; readonly value: T }[]): Promise<BlockReference[]> => {
    const references: BlockReference[] = [];
    for (const page of paginate(entries)) references.push(await add(encode(page)));
    return references;
  };
  const body: Omit<GenerationManifest, 'previous'> = {
    format: GENERATION_FORMAT,
    analyser: ANALYSER_ID,
    index_format: INDEX_FORMAT_VERSION,
    ranking_version: RANKING_VERSION,
    corpus_digest: (await canonicalDigest(capsules.map(({ versions }) => versions.map(({ metadata }) => metadata)))).slice(
      'sha256:'.length,
    ),
    updated: `${
      capsules
        .map(({ metadata }) => metadata.updated)
        .sort()
        .at(-1) ?? '1970-01-01'
    }T00:00:00Z`,
    counts: {
      capsules: capsules.length,
      current: countStatus(capsules, 'current'),
      superseded: countStatus(capsules, 'superseded'),
      retracted: countStatus(capsules, 'retracted'),
      versions: capsules.reduce((sum, { versions }) => sum + versions.length, 0),
    },
    blocks: {
      index: await add(encodeIndex(buildIndex(capsules.map(searchDocument)))),
      summaries: await add(encode(capsules.map(({ metadata }) => summaryOf(metadata)))),
      pages: await addPages(
        capsules.map(({ id, versions }) => ({ id, value: versions.map(({ metadata, markdown }) => ({ metadata, markdown })) })),
      ),
      lineages: await addPages(capsules.map(({ id, lineage }) => ({ id, value: JSON.stringify(lineage) }))),
    },
  };
  const repeated = previous[0];
  if (repeated && canonicalJson(withoutHistory(repeated.manifest)) === canonicalJson(body)) {
    blocks.set(repeated.version, new TextEncoder().encode(canonicalJson(repeated.manifest)));
    return { ...repeated, blocks };
  }
  const manifest: GenerationManifest = {
    ...body,
    previous: previous
      .filter((generation) => isReadable(generation.manifest))
      .slice(0, EARLIER_GENERATIONS)
      .map(({ version }) => version),
  };
  const { sha256 } = await add(new TextEncoder().encode(canonicalJson(manifest)));
  return { version: sha256, manifest, blocks };
}

/** Whether this code gives the answers that a generation gave when it was the newest. */
function isReadable(manifest: GenerationManifest): boolean {
  return (
    manifest.format === GENERATION_FORMAT &&
    manifest.analyser === ANALYSER_ID &&
    manifest.index_format === INDEX_FORMAT_VERSION &&
    manifest.ranking_version === RANKING_VERSION
  );
}

function withoutHistory({ previous: _previous, ...body }: GenerationManifest): Omit<GenerationManifest, 'previous'> {
  return body;
}

function countStatus(capsules: readonly PublishedCapsule[], status: string): number {
  return capsules.filter(({ metadata }) => metadata.status === status).length;
}

/** What the index sees of a capsule: the plain words of its current version. */
function searchDocument({ id, metadata, markdown }: PublishedCapsule): SearchDocument {
  const root = parseMarkdown(markdown);
  return {
    id,
    language: metadata.language,
    title: metadata.title,
    headings: headingsOf(root).map(({ text }) => text),
    tags: metadata.tags,
    summary: metadata.summary,
    body: plainText(root),
  };
}

/** Entries spread over pages by their ids; the number of pages is a power of two that keeps pages near the target size. */
function paginate<T>(entries: readonly { readonly id: string; readonly value: T }[]): Record<string, T>[] {
  const totalBytes = entries.reduce((sum, { value }) => sum + JSON.stringify(value).length, 0);
  const count = 2 ** Math.max(0, Math.round(Math.log2(totalBytes / PAGE_TARGET_BYTES)));
  const pages: Record<string, T>[] = Array.from({ length: count }, () => ({}));
  for (const { id, value } of entries) {
    const page = pages[pageOf(id, count)];
    if (page) page[id] = value;
  }
  return pages;
}

import { type BuiltGeneration, buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import { summaryOf } from '../../../src/gateway/knowledge/capsule-response.ts';
import { Corpus, type DeployedGeneration } from '../../../src/gateway/knowledge/corpus.ts';
import { BlockCache } from '../../../src/gateway/knowledge/load-block.ts';
import type { BlockStore } from '../../../src/gateway/platform-ports.ts';
import type { Result } from '../../../src/gateway/result.ts';
import type { AuthoredContent } from '../../../src/publication/authored-content.ts';
import { payableContent, publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import type { CapsuleSummary } from '../../../src/schemas/knowledge/capsule.ts';
import type { PublishedCapsule } from '../../../src/text/publication-model.ts';
import { testRanking } from '../../support/compiled-kernel.ts';
import { readSample } from '../../support/sample-content.ts';

export const BASE_URL = 'https://signpost.example';

let capsules: Promise<PublishedCapsule[]> | undefined;
let generation: Promise<BuiltGeneration> | undefined;

export const realContent = async (): Promise<AuthoredContent> => payableContent(await readSample(), 'edge');

export function realCapsules(): Promise<PublishedCapsule[]> {
  capsules ??= realContent().then(publishCapsules);
  return capsules;
}

export function realGeneration(): Promise<BuiltGeneration> {
  generation ??= realCapsules().then((published) => buildGeneration(published, []));
  return generation;
}

export function recordingStore(
  ...generations: readonly BuiltGeneration[]
): BlockStore & { readonly asked: string[]; readonly blocks: Map<string, Uint8Array> } {
  const blocks = new Map(generations.flatMap((generation) => [...generation.blocks]));
  const asked: string[] = [];
  return {
    asked,
    blocks,
    read: async (sha256) => {
      asked.push(sha256);
      return blocks.get(sha256);
    },
  };
}

/** A store that can read several blocks at once, and the names of the blocks of each reading. */
export function batchingStore(blocks: Pick<ReadonlyMap<string, Uint8Array>, 'get'>) {
  const operations: string[][] = [];
  const read = (...names: string[]) => {
    operations.push(names);
    const found = new Map<string, Uint8Array>();
    for (const name of names) {
      const bytes = blocks.get(name);
      if (bytes !== undefined) found.set(name, bytes);
    }
    return found;
  };
  const store: BlockStore = {
    read: async (sha256) => read(sha256).get(sha256),
    readMany: async (references) => read(...references.map(({ sha256 }) => sha256)),
  };
  return { ...store, operations };
}

export function openCorpus(deployed: DeployedGeneration, store: BlockStore): Corpus {
  return new Corpus(deployed, store, new BlockCache(64 * 1024 * 1024), testRanking());
}

export async function realCorpus(): Promise<{ corpus: Corpus; generation: BuiltGeneration; capsules: PublishedCapsule[] }> {
  const built = await realGeneration();
  return { corpus: openCorpus(built, recordingStore(built)), generation: built, capsules: await realCapsules() };
}

export async function allSummaries({ newest }: Corpus): Promise<CapsuleSummary[]> {
  const numbers = Array.from({ length: newest.manifest.index.documents }, (_, number) => number);
  return (await newest.capsules(numbers)).map(({ metadata }) => summaryOf(metadata));
}

export function expectValue<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.refusal.code}: ${result.refusal.detail}`);
  return result.value;
}

export const codeOf = (result: Result<unknown>): string => (result.ok ? 'ok' : result.refusal.code);

import type { GenerationManifest } from '../../schemas/knowledge/generation.ts';
import type { CorpusFacts } from '../../schemas/knowledge/public-capsules.ts';

/** What is published of a generation. */
export function corpusFacts(version: string, manifest: GenerationManifest): CorpusFacts {
  return {
    corpus_version: version,
    corpus_digest: manifest.corpus_digest,
    updated: manifest.updated,
    ...manifest.counts,
    generations: [version, ...manifest.previous],
  };
}

import type { RelatedCapsule, RelatedResponse } from '../../schemas/knowledge/corpus-lists.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { relatedApiPath } from '../../schemas/paths.ts';
import { ok, type Result } from '../result.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';
import { type Corpus, indexUnavailable, withCorpus } from './corpus.ts';
import type { Generation } from './generation.ts';
import { noSuchCapsule } from './read-capsule.ts';

/**
 * The capsules whose words are nearest to those of a capsule, as the build found them.
 *
 * @param onFallback Called if an earlier generation answers because the newest is not whole; without it the newest alone is asked.
 */
export function relatedCapsules(id: string, corpus: Corpus, baseUrl: string, onFallback?: () => void): Promise<Result<RelatedResponse>> {
  const read = async (generation: Generation): Promise<Result<RelatedResponse>> => {
    const number = await generation.documentNumber(id);
    // An earlier generation lacks what is new, so that it proves nothing about an id that it does not know.
    if (number === undefined) return generation.version === corpus.version ? noSuchCapsule() : indexUnavailable();
    const near = (await generation.index.neighbours())?.of(number).slice(0, LIMITS.relatedMax) ?? [];
    const stored = await generation.capsules(near.map(({ document }) => document));
    return ok({
      corpus_version: generation.version,
      capsule_id: id,
      items: stored.map((version, rank) => relatedCapsule(version, near[rank]?.similarity ?? 0, baseUrl)),
    });
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

function relatedCapsule({ metadata }: StoredVersion, similarity: number, baseUrl: string): RelatedCapsule {
  const capsule = summaryOf(metadata);
  return {
    ...capsule,
    ...capsuleAddresses(capsule, baseUrl),
    related_url: baseUrl + relatedApiPath(capsule.capsule_id),
    similarity: Math.round(similarity * 100) / 100,
  };
}

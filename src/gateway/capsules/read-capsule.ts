import type { Capsule } from '../../schemas/capsule.ts';
import type { Corpus } from '../knowledge/corpus.ts';
import { withCorpus } from '../knowledge/corpus.ts';
import { ok, type Result, refuse } from '../result.ts';
import { capsuleAnswer } from './capsule-answer.ts';
import { noSuchCapsule } from './no-such-capsule.ts';

/** A capsule in its current version, or in the one that is named. */
export function readCapsule(id: string, version: string | undefined, corpus: Corpus, baseUrl: string): Promise<Result<Capsule>> {
  return withCorpus(corpus, async () => {
    const newest = await corpus.newest.capsule(id);
    if (newest === undefined) return noSuchCapsule();
    const found = version === undefined ? newest : await corpus.newest.capsuleVersion(id, version);
    if (found === undefined)
      return refuse(
        'capsule_not_found',
        `The capsule "${id}" has no version ${version}; it has ${newest.metadata.versions.map((entry) => entry.version).join(', ')}.`,
      );
    return ok(capsuleAnswer(found, baseUrl));
  });
}

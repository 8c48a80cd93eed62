import type { Capsule } from '../../schemas/capsule.ts';
import type { StoredCapsule } from '../../schemas/generation.ts';
import type { Corpus } from '../knowledge/corpus.ts';
import { withCorpus } from '../knowledge/corpus.ts';
import { ok, type Result, refuse } from '../result.ts';
import { capsuleAnswer } from './capsule-answer.ts';

/** A capsule in its current version, or in the one that is named. */
export function readCapsule(id: string, version: string | undefined, corpus: Corpus, baseUrl: string): Promise<Result<Capsule>> {
  return withCorpus(async () => {
    const stored = await findCapsule(id, corpus);
    if (!stored.ok) return stored;
    const { versions } = stored.value;
    const found = version === undefined ? versions.at(-1) : versions.find(({ metadata }) => metadata.version === version);
    if (found === undefined) return refuse('capsule_not_found', `The capsule "${id}" has no version ${version}; it has ${versions.map(({ metadata }) => metadata.version).join(', ')}.`);
    return ok(capsuleAnswer(found, baseUrl));
  });
}

/** The exact text of a capsule's lineage document. */
export function readLineage(id: string, corpus: Corpus): Promise<Result<string>> {
  return withCorpus(async () => {
    const stored = await findCapsule(id, corpus);
    return stored.ok ? ok(stored.value.lineage) : stored;
  });
}

async function findCapsule(id: string, corpus: Corpus): Promise<Result<StoredCapsule>> {
  const stored = await corpus.newest.capsule(id);
  return stored ? ok(stored) : refuse('capsule_not_found', 'No public capsule has this id.');
}

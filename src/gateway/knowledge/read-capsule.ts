import type { Capsule, CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import { ok, type Result, refuse } from '../result.ts';
import { capsuleResponse } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import type { Generation } from './generation.ts';

/** A capsule with its text, in its current version or in the one that is named. One whose text is sold is refused with its price. */
export function readCapsule(id: string, version: string | undefined, corpus: Corpus, baseUrl: string): Promise<Result<Capsule>> {
  return withCorpus(corpus, async () => {
    const found = await findCapsule(id, version, corpus.newest);
    if (!found.ok) return found;
    const { metadata, markdown } = found.value;
    return markdown === undefined ? refusePaidText(metadata) : ok(capsuleResponse({ metadata, markdown }, baseUrl));
  });
}

/** A capsule as it is stored, without a text if that is sold, in its current version or in the one that is named. */
export async function findCapsule(id: string, version: string | undefined, generation: Generation): Promise<Result<StoredVersion>> {
  const newest = await generation.capsule(id);
  if (newest === undefined) return noSuchCapsule();
  const found = version === undefined ? newest : await generation.capsuleVersion(id, version);
  if (found !== undefined) return ok(found);
  const versions = newest.metadata.versions.map((entry) => entry.version).join(', ');
  return refuse('capsule_not_found', `The capsule "${id}" has no version ${version}; it has ${versions}.`);
}

/** What is said of an id that no public capsule has: of one that never was, of a draft, and of one that cannot be an id. */
export const NO_SUCH_CAPSULE = 'No public capsule has this id.';

/** Refusal for such an id. */
export function noSuchCapsule() {
  return refuse('capsule_not_found', NO_SUCH_CAPSULE);
}

/** What is said of a text that is sold. */
export function paymentDetail({ capsule_id, version, price }: CapsuleSummary): string {
  return `The text of "${capsule_id}" ${version} costs ${price?.amount} ${price?.currency}.`;
}

/** Refusal of the text of a paid capsule to who has not paid. */
function refusePaidText(capsule: CapsuleSummary) {
  return refuse('payment_required', paymentDetail(capsule));
}

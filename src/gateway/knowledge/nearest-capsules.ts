import { LIMITS } from '../../schemas/limits.ts';
import { capsuleApiPath } from '../../schemas/paths.ts';
import { nearestNames } from '../../search/format/spelling.ts';
import { errorEntry } from '../errors.ts';
import { get } from '../next-steps.ts';
import { ok, type Refusal } from '../result.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import type { Generation } from './generation.ts';
import { NO_SUCH_CAPSULE } from './read-capsule.ts';

/** Ids that a refusal names. */
export const SUGGESTED_MAX = 3;

/** A text as ids are written: `X402_v2.md` as `x402-v2`. */
function asId(text: string): string {
  return text
    .toLowerCase()
    .replace(/\.(md|json|html)$/, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, LIMITS.idMaxLength);
}

/**
 * The ids of capsules that an unknown one may mean, nearest first: the same in another form, misspelt, or its beginning. Only ids that begin
 * alike are compared, so that one page is read, which the search for the id itself has read.
 */
export async function nearestCapsules(sent: string, generation: Generation): Promise<readonly string[]> {
  const id = asId(sent);
  if (id === '') return [];
  const around = await generation.idsAround(id);
  const same = around.filter((known) => known === id);
  const longer = around.filter((known) => known.startsWith(`${id}-`));
  return [...new Set([...same, ...nearestNames(id, around, SUGGESTED_MAX), ...longer])].slice(0, SUGGESTED_MAX);
}

/** The refusal of an unknown capsule, with the ids that may have been meant; any other refusal as it is. */
export async function withNearestCapsules(refusal: Refusal, sent: string, corpus: Corpus): Promise<Refusal> {
  if (refusal.code !== 'capsule_not_found' || refusal.detail !== NO_SUCH_CAPSULE) return refusal;
  const near = await withCorpus(corpus, async () => ok(await nearestCapsules(sent, corpus.newest)));
  const [first] = near.ok ? near.value : [];
  if (!near.ok || first === undefined) return refusal;
  return {
    ...refusal,
    detail: `${NO_SUCH_CAPSULE} ${didYouMean(near.value)}`,
    errors: [{ pointer: 'capsule_id', message: 'is not the id of a public capsule', didYouMean: first }],
    nextActions: [
      ...near.value.map((id) => get(`Get the capsule "${id}".`, capsuleApiPath(id))),
      ...errorEntry(refusal.code).nextActions.filter(({ path }) => path !== undefined),
    ],
  };
}

/** Names as a question. */
export function didYouMean(names: readonly string[]): string {
  return names.length === 0 ? '' : `Did you mean ${names.map((name) => `"${name}"`).join(' or ')}?`;
}

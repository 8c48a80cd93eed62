import { ok, type Result, refuse } from '../../result.ts';
import { type Corpus, indexUnavailable, withCorpus } from '../corpus.ts';
import type { Generation } from '../generation.ts';
import type { ListStore } from './list-store.ts';

/**
 * Reads a page of lists from the newest complete generation.
 *
 * @param read `undefined` for a page that does not exist.
 * @param onFallback Called if an earlier generation serves the read.
 */
export function readStoredLists<T>(
  corpus: Corpus,
  read: (lists: ListStore) => Promise<T | undefined>,
  onFallback: () => void,
): Promise<Result<T>> {
  const readFrom = async (generation: Generation): Promise<Result<T>> => {
    const page = await read(generation.lists);
    if (page !== undefined) return ok(page);
    // An earlier generation lacks the newest capsules.
    return generation.version === corpus.version ? refuse('route_not_found', 'There is no list at this address.') : indexUnavailable();
  };
  return withCorpus(corpus, () => corpus.read(undefined, readFrom, onFallback));
}

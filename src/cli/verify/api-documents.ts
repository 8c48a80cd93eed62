import * as z from 'zod';
import { readJson } from '../../provenance/verify/json-text.ts';
import { ChangesResponse } from '../../schemas/knowledge/changes.ts';
import { Id, Sha256Hex } from '../../schemas/primitives.ts';
import { CorpusStats } from '../../schemas/knowledge/corpus-lists.ts';
import { type Post, type SiteReader, UnreadableError } from './site-reader.ts';

/** What is compared of the documents that say how much is published. */
export const CorpusDocument = z.object({
  corpus: CorpusStats.pick({
    corpus_version: true,
    corpus_digest: true,
    capsules: true,
    current: true,
    superseded: true,
    retracted: true,
    versions: true,
  }),
});

/** A capsule or a result; its other members are compared by the verifier. */
const Item = z.looseObject({ capsule_id: Id });
export type Item = z.infer<typeof Item>;

export const BrowseDocument = z.object({
  corpus_version: Sha256Hex,
  items: z.array(Item),
  page: z.object({ total: z.int(), has_more: z.boolean(), next_cursor: z.string().min(1).nullable().optional() }),
});

export const FetchDocument = z.object({
  corpus_version: Sha256Hex,
  items: z.array(z.object({ capsule_id: Id, outcome: z.string(), capsule: Item.optional() })),
});

export const ChangesDocument = ChangesResponse.pick({
  corpus_version: true,
  corpus_digest: true,
  changes: true,
  cursor: true,
  has_more: true,
  total: true,
}).extend({ manifest: z.unknown() });

export const AnswerDocument = z.object({ corpus_version: Sha256Hex, results: z.array(Item) });

/** Thrown for an answer that differs from the bundle; the message says which and in what. */
export class DifferenceError extends Error {
  override readonly name = 'DifferenceError';
}

/**
 * Reads a JSON document of the API.
 *
 * @throws {UnreadableError} If it does not answer with 200, or with what is no JSON of one meaning.
 * @throws {DifferenceError} If it has another form.
 */
export async function readApi<T>(site: SiteReader, path: string, schema: z.ZodType<T>, post?: Post): Promise<T> {
  const bytes = await site.read(path, post);
  let value: unknown;
  try {
    value = readJson(bytes);
  } catch {
    throw new UnreadableError(`${path}: is not JSON that can be read in one way only`);
  }
  const { data, error } = schema.safeParse(value);
  if (error) throw new DifferenceError(`${path}: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
  return data;
}

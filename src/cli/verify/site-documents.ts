import * as z from 'zod';
import { readJson } from '../../provenance/verify/json.ts';
import { ChangesResponse } from '../../schemas/knowledge/changes.ts';
import { CorpusStats } from '../../schemas/knowledge/corpus-responses.ts';
import { Id, Sha256Hex } from '../../schemas/primitives.ts';
import { type Post, type SiteReader, UnreadableError } from './site-reader.ts';

/** The compared members of documents with counts of the corpus. */
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

/** A capsule or a result; the verifier checks its other members. */
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

export const QueryDocument = z.object({ corpus_version: Sha256Hex, results: z.array(Item) });

/** A response differs from the bundle; the message says which and how. */
export class DifferenceError extends Error {
  override readonly name = 'DifferenceError';
}

/**
 * Reads a JSON document of the API.
 *
 * @throws {UnreadableError} If the status is not 200, or the body is not unambiguous JSON.
 * @throws {DifferenceError} If it has another form.
 */
export async function readApi<T>(site: SiteReader, path: string, schema: z.ZodType<T>, post?: Post): Promise<T> {
  const bytes = await site.read(path, post);
  let value: unknown;
  try {
    value = readJson(bytes);
  } catch {
    throw new UnreadableError(`${path}: is not unambiguous JSON`);
  }
  const { data, error } = schema.safeParse(value);
  if (error) throw new DifferenceError(`${path}: ${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`);
  return data;
}

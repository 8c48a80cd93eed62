import * as z from 'zod';
import { CHANGE_KINDS } from '../../provenance/change-log.ts';
import { readJson } from '../../provenance/verify/documents.ts';
import { Id, Sha256Hex } from '../../schemas/primitives.ts';
import { UnreadableError } from '../fetch-within-origin.ts';
import type { Post, SiteReader } from './site-reader.ts';

/** The compared members of documents with counts of the corpus. */
export const CorpusDocument = z.object({
  corpus: z.object({
    corpus_version: Sha256Hex,
    corpus_digest: Sha256Hex,
    capsules: z.int(),
    current: z.int(),
    superseded: z.int(),
    retracted: z.int(),
    versions: z.int(),
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

/** The digests of events prove their other values. */
const LoggedEvent = z.object({
  event: z.enum(CHANGE_KINDS),
  capsule_id: Id,
  version: z.string(),
  date: z.string(),
  record_digest: z.string(),
  content_sha256: z.string(),
  reason: z.string().optional(),
  superseded_by: z.string().optional(),
  count: z.int(),
  digest: z.string(),
});

export const ChangesDocument = z.object({
  corpus_version: Sha256Hex,
  corpus_digest: Sha256Hex,
  changes: z.array(LoggedEvent),
  cursor: z.string().min(1),
  has_more: z.boolean(),
  total: z.int(),
  manifest: z.unknown(),
});

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

import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { appendEvents, CHANGE_KINDS, endOfLog, extendLog, type LoggedCapsule, type LoggedChange } from '../../provenance/change-log.ts';
import { readJson, type VerifiedManifest } from '../../provenance/verify/verification-types.ts';
import { type Proof, verify } from '../../provenance/verify/verify.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsuleApiPath, lineageApiPath, PATHS } from '../../schemas/paths.ts';
import { Id, Sha256Hex } from '../../schemas/primitives.ts';
import { UnreadableError } from '../fetch-within-origin.ts';
import type { BundledCapsule, BundledCapsules } from './gather-proof.ts';
import { forEachConcurrently, type Post, type SiteReader } from './site-reader.ts';

export interface Bundle {
  readonly manifest: VerifiedManifest;
  readonly capsules: BundledCapsules;
}

/** How the responses of an API compare with the bundle of its site; one sentence each. */
export type ApiComparison = Readonly<Record<'compared' | 'omitted' | 'differences' | 'unread', string[]>>;

interface ApiSettings {
  readonly sample: readonly string[];
  readonly key: string | undefined;
  readonly now: string;
}

const QUERIES_MAX = 10;

/** Statuses of a host without an operation, such as a frontend-only site. */
const ABSENT: readonly unknown[] = [404, 405, 501];

const FETCH = `${PATHS.capsulesApi}/fetch`;
const QUERY = `${PATHS.gateway}/query`;

/** GET operations that a frontend-only site has as documents: the name of the file and the folder of the API. */
const DOCUMENTS = [
  ['capabilities', PATHS.gateway],
  ['status', PATHS.publicCapsules],
  ['browse', PATHS.publicCapsules],
  ['changes', PATHS.publicCapsules],
] as const;

/** Compares the API of a site, or the files of a frontend-only one, with its bundle: a client of the API must get the same as a mirror. */
export async function compareApi(site: SiteReader, bundle: Bundle, settings: ApiSettings): Promise<ApiComparison> {
  const comparison: ApiComparison = { compared: [], omitted: [], differences: [], unread: [] };
  const comparisons = apiComparisons(site, bundle, settings);

  const compare = async (make: () => Promise<string>): Promise<boolean> => {
    try {
      comparison.compared.push(await make());
    } catch (error) {
      if (error instanceof DifferenceError) comparison.differences.push(error.message);
      else if (!(error instanceof UnreadableError)) throw error;
      else if (ABSENT.includes(error.status)) return false;
      else comparison.unread.push(error.message);
    }
    return true;
  };

  let hasApi = false;
  for (const [name, folder] of DOCUMENTS) {
    const [path, file] = [`${folder}/${name}`, `${PATHS.data}/${name}.json`];
    const isAtApi = await compare(() => comparisons[name](path, false));
    const isFile = await compare(() => comparisons[name](file, true));
    hasApi ||= isAtApi;
    if (!isAtApi && !isFile) comparison.omitted.push(`${name}: neither ${path} nor ${file} exists`);
  }
  if (!hasApi) {
    comparison.omitted.push('capsules and lineages of the API: there is no API');
    return comparison;
  }
  if (!(await compare(() => comparisons.fetchAll()))) comparison.omitted.push(`fetch: ${FETCH} does not exist`);
  await compare(() => comparisons.capsulesOneByOne());
  await compare(() => comparisons.lineagesOneByOne());
  const { key } = settings;
  if (key === undefined) comparison.omitted.push('query: needs an API key (AGENT_API_KEY)');
  else if (!(await compare(() => comparisons.query(key)))) comparison.omitted.push(`query: ${QUERY} does not exist`);
  return comparison;
}

/** A function for each operation. It returns what agrees, or throws a {@link DifferenceError}. */
function apiComparisons(site: SiteReader, { manifest, capsules: bundled }: Bundle, { sample, now }: ApiSettings) {
  let corpusVersion: string | undefined;
  let statuses: Record<string, number> | undefined;

  async function capabilities(path: string): Promise<string> {
    const { corpus } = await readApi(site, path, CorpusDocument);
    requireSameCorpus(path, corpus);
    const { capsules, versions } = manifest.statement;
    const { current = 0, superseded = 0, retracted = 0 } = statusCounts();
    const stated: Readonly<Record<string, unknown>> = corpus;
    for (const [name, count] of Object.entries({ capsules, versions, current, superseded, retracted }))
      if (stated[name] !== count) throw new DifferenceError(`${path}: corpus.${name} is ${stated[name]}; the bundle has ${count}`);
    return path;
  }

  function statusCounts(): Readonly<Record<string, number>> {
    if (statuses === undefined) {
      statuses = {};
      for (const read of bundled.values()) {
        const { status } = read().lineage.head.statement;
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }
    return statuses;
  }

  async function browse(path: string, isFile: boolean): Promise<string> {
    const seen = new Set<string>();
    for (let cursor: string | null | undefined, hasMore = true; hasMore; ) {
      const query = `?limit=${LIMITS.browseLimitMax}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`;
      const { items, page, ...response } = await readApi(site, isFile ? path : path + query, BrowseDocument);
      requireSameCorpus(path, response);
      for (const { capsule_id: id } of items) {
        if (seen.has(id)) throw new DifferenceError(`${path}: lists ${id} twice`);
        seen.add(id);
      }
      // A list quotes nothing, so for the verifier it makes no difference whether a text is sold.
      await requireProved(path, 'answer', { results: items.map(({ access: _, ...item }) => item) }, items);
      if (page.total !== bundled.size) throw new DifferenceError(`${path}: the total differs from the bundle`);
      cursor = page.next_cursor;
      hasMore = page.has_more && items.length > 0 && typeof cursor === 'string';
    }
    const missing = [...bundled.keys()].find((id) => !seen.has(id));
    if (missing !== undefined) throw new DifferenceError(`${path}: does not list ${missing}`);
    return `${path} (${seen.size} capsules)`;
  }

  /** Every digest covers all events before it, the last is that of the manifest, and following the events leads to exactly what the bundle has. */
  async function changes(path: string, isFile: boolean): Promise<string> {
    const log: LoggedChange[] = [];
    for (let cursor = '0', hasMore = true; hasMore; ) {
      const address = isFile ? path : `${path}?limit=${LIMITS.changesLimitMax}&cursor=${encodeURIComponent(cursor)}`;
      const page = await readApi(site, address, ChangesDocument);
      requireSameCorpus(path, page);
      if (!isDeepStrictEqual(page.manifest, manifest)) throw new DifferenceError(`${path}: has another manifest than the mirror`);
      const wrong = await appendEvents(log, page.changes);
      if (wrong !== undefined) throw new DifferenceError(`${path}: event ${wrong} has another digest or place`);
      if (log.length > manifest.statement.changes.count) throw new DifferenceError(`${path}: has more events than the manifest states`);
      if (page.has_more && page.changes.length === 0) throw new DifferenceError(`${path}: has_more is true, but the page is empty`);
      ({ cursor, has_more: hasMore } = page);
    }
    if (!isDeepStrictEqual(endOfLog(log), manifest.statement.changes))
      throw new DifferenceError(`${path}: does not end where the manifest states`);
    const missing = (await extendLog(log, loggedCapsules(bundled)))[log.length];
    if (missing) throw new DifferenceError(`${path}: has no event for the state of ${missing.capsule_id} in the bundle`);
    return `${path} (${log.length} events)`;
  }

  async function fetchAll(): Promise<string> {
    const all = [...bundled.keys()];
    const batches = Array.from({ length: Math.ceil(all.length / LIMITS.fetchItemsMax) }, (_, index) =>
      all.slice(index * LIMITS.fetchItemsMax, (index + 1) * LIMITS.fetchItemsMax),
    );
    await forEachConcurrently(batches, async (batch) => {
      for (let ids = batch; ids.length > 0; ) {
        const overBudget = await fetchBatch(ids);
        // A capsule above the whole budget can only be read by itself.
        if (overBudget.length === ids.length) for (const id of ids) await requireCapsuleAt(capsuleApiPath(id), id);
        ids = overBudget.length === ids.length ? [] : overBudget;
      }
    });
    return `${FETCH} (${all.length} capsules)`;
  }

  async function fetchBatch(ids: readonly string[]): Promise<string[]> {
    const json = { ids, token_budget: LIMITS.tokenBudgetMax };
    const { items, ...response } = await readApi(site, FETCH, FetchDocument, { json });
    requireSameCorpus(FETCH, response);
    const returned = items.map((item) => item.capsule_id);
    if (!isDeepStrictEqual(returned, ids)) throw new DifferenceError(`${FETCH}: returns other ids than those requested`);
    for (const { capsule_id: id, outcome, capsule } of items)
      if (outcome === 'payment_required') requireSold(`${FETCH}: ${id}`, id);
      else if (outcome !== 'over_budget') await requireCapsule(FETCH, id, capsule);
    return items.filter(({ outcome }) => outcome === 'over_budget').map((item) => item.capsule_id);
  }

  async function capsulesOneByOne(): Promise<string> {
    await forEachConcurrently(sample, async (id) => {
      const path = capsuleApiPath(id);
      try {
        await requireCapsuleAt(path, id);
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        if (error.status === 402) requireSold(path, id);
        else throw absenceAsDifference(error);
      }
    });
    return `${capsuleApiPath('{capsule_id}')} (${sampleSize()})`;
  }

  async function lineagesOneByOne(): Promise<string> {
    await forEachConcurrently(sample, async (id) => {
      const path = lineageApiPath(id);
      const document = await readApi(site, path, z.looseObject({ id: z.literal(id) })).catch((error: unknown) => {
        throw error instanceof UnreadableError ? absenceAsDifference(error) : error;
      });
      const { versions, head } = bundledCapsule(path, id).lineage;
      if (!isDeepStrictEqual([document['versions'], document['head']], [versions, head]))
        throw new DifferenceError(`${path}: differs from the lineage in the bundle`);
    });
    return `${lineageApiPath('{capsule_id}')} (${sampleSize()})`;
  }

  async function query(key: string): Promise<string> {
    const ids = sample.slice(0, QUERIES_MAX);
    for (const id of ids) {
      const query = bundledCapsule(QUERY, id).lineage.versions.at(-1)?.record.title.slice(0, LIMITS.queryMaxLength);
      const json = { query, max_results: LIMITS.maxResultsMax };
      const { results, ...response } = await readApi(site, QUERY, QueryDocument, { json, key });
      requireSameCorpus(QUERY, response);
      await requireProved(QUERY, 'answer', { results }, results);
    }
    return `${QUERY} (${ids.length} queries, every result and quote)`;
  }

  function sampleSize(): string {
    return `${sample.length} of ${bundled.size} capsules`;
  }

  function requireSameCorpus(path: string, response: { readonly corpus_version: string; readonly corpus_digest?: string }): void {
    const { corpus_version: version, corpus_digest: digest } = response;
    if (digest !== undefined && `sha256:${digest}` !== manifest.statement.corpusDigest)
      throw new DifferenceError(`${path}: corpus_digest differs from the manifest`);
    corpusVersion ??= version;
    if (version !== corpusVersion) throw new DifferenceError(`${path}: corpus_version is not that of other responses`);
  }

  function bundledCapsule(path: string, id: string): BundledCapsule {
    const capsule = bundled.get(id)?.();
    if (capsule === undefined) throw new DifferenceError(`${path}: ${id} is not in the bundle`);
    return capsule;
  }

  function requireSold(path: string, id: string): void {
    const { lineage, texts } = bundledCapsule(path, id);
    if (texts[lineage.versions.at(-1)?.record.canonical ?? ''] !== undefined)
      throw new DifferenceError(`${path}: is sold here, but free in the bundle`);
  }

  async function requireCapsuleAt(path: string, id: string): Promise<void> {
    await requireCapsule(path, id, await readApi(site, path, z.unknown()));
  }

  async function requireCapsule(path: string, id: string, capsule: unknown): Promise<void> {
    const item = capsule as Item | undefined;
    if (item?.capsule_id !== id) throw new DifferenceError(`${path}: does not return ${id}`);
    await requireProved(path, 'capsule', item, [item]);
  }

  async function requireProved(path: string, kind: NonNullable<Proof['kind']>, document: object, items: readonly Item[]): Promise<void> {
    const capsules = items.map(({ capsule_id: id }) => bundledCapsule(path, id));
    // If a response says that a text is sold, the verifier compares only the summary.
    for (const { capsule_id: id, access } of items) if (access === 'paid') requireSold(`${path}: ${id}`, id);
    const { checks } = await verify({
      kind,
      document: JSON.stringify(document),
      lineages: Object.fromEntries(capsules.map(({ lineage }) => [lineage.id, JSON.stringify(lineage)])),
      texts: path === QUERY ? Object.assign({}, ...capsules.map(({ texts }) => texts)) : {},
      now,
    });
    const failed = checks.find(({ ok }) => !ok);
    if (failed) throw new DifferenceError(`${path}: ${failed.check} ${failed.detail}`);
    const older = items.find(({ version }, index) => version !== capsules[index]?.lineage.head.statement.version);
    if (older) throw new DifferenceError(`${path}: ${older.capsule_id} is not in its newest version`);
  }

  return { capabilities, status: capabilities, browse, changes, fetchAll, capsulesOneByOne, lineagesOneByOne, query };
}

function* loggedCapsules(capsules: BundledCapsules): Generator<LoggedCapsule> {
  for (const read of capsules.values()) yield { ...read().lineage, stateDate: undefined };
}

const absenceAsDifference = (error: UnreadableError): Error => (error.status === 404 ? new DifferenceError(error.message) : error);

const CorpusDocument = z.object({
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
type Item = z.infer<typeof Item>;

const BrowseDocument = z.object({
  corpus_version: Sha256Hex,
  items: z.array(Item),
  page: z.object({ total: z.int(), has_more: z.boolean(), next_cursor: z.string().min(1).nullable().optional() }),
});

const FetchDocument = z.object({
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

const ChangesDocument = z.object({
  corpus_version: Sha256Hex,
  corpus_digest: Sha256Hex,
  changes: z.array(LoggedEvent),
  cursor: z.string().min(1),
  has_more: z.boolean(),
  total: z.int(),
  manifest: z.unknown(),
});

const QueryDocument = z.object({ corpus_version: Sha256Hex, results: z.array(Item) });

class DifferenceError extends Error {
  override readonly name = 'DifferenceError';
}

/** Reads a JSON document of the API. @throws {UnreadableError | DifferenceError} If it cannot be read, or has another form. */
async function readApi<T>(site: SiteReader, path: string, schema: z.ZodType<T>, post?: Post): Promise<T> {
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

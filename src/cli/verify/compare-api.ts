import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { VerifiedManifest } from '../../provenance/verify/documents.ts';
import { type Proof, verify } from '../../provenance/verify/verify.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsuleApiPath, lineageApiPath, PATHS } from '../../schemas/paths.ts';
import { AnswerDocument, BrowseDocument, CorpusDocument, DifferenceError, FetchDocument, type Item, readApi } from './api-documents.ts';
import type { BundledCapsule } from './bundled-capsules.ts';
import { compareChanges } from './compare-changes.ts';
import { forEachAtATime, type SiteReader, UnreadableError } from './site-reader.ts';

/** The bundle of a site, of which all checks hold: what the API is compared with. */
export interface Bundle {
  readonly manifest: VerifiedManifest;
  readonly capsules: ReadonlyMap<string, BundledCapsule>;
}

/** How the answers of an API compare with the bundle of its site; one sentence each. */
export interface ApiComparison {
  readonly compared: readonly string[];
  /** What could not be compared, and why. */
  readonly omitted: readonly string[];
  readonly differences: readonly string[];
  /** Answers that could not be read. */
  readonly unread: readonly string[];
}

export interface ApiSettings {
  /** Ids of the capsules that are asked for one by one. */
  readonly sample: readonly string[];
  /** API key with the scope read, for queries. */
  readonly key: string | undefined;
  /** Time of the check, as a timestamp. */
  readonly now: string;
}

/** Most queries that are sent. */
const QUERIES_MAX = 10;

/** Statuses of a host that does not have an operation: a site of files alone. */
const ABSENT: readonly unknown[] = [404, 405, 501];

const API = {
  capabilities: `${PATHS.gateway}/capabilities`,
  status: `${PATHS.publicCapsules}/status`,
  browse: `${PATHS.publicCapsules}/browse`,
  changes: `${PATHS.publicCapsules}/changes`,
  fetch: `${PATHS.capsulesApi}/fetch`,
  query: `${PATHS.gateway}/query`,
};

/** The file that stands for a document on a site of files alone. */
const fileOf = (name: 'capabilities' | 'status' | 'browse' | 'changes'): string => `${PATHS.data}/${name}.json`;

/**
 * Compares what the API of a site answers, and the files that stand for it where there are no functions, with the bundle of the site:
 * whoever asks must be told the same as whoever mirrors.
 */
export async function compareApi(site: SiteReader, bundle: Bundle, settings: ApiSettings): Promise<ApiComparison> {
  const comparison = { compared: [], omitted: [], differences: [], unread: [] } as { [K in keyof ApiComparison]: string[] };
  const answers = new AnswerComparer(site, bundle, settings);

  /** Makes one comparison, and notes what came of it; whether there was an answer. */
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
  const omit = (name: string, why: string): number => comparison.omitted.push(`${name}: ${why}`);

  let hasApi = false;
  for (const name of ['capabilities', 'status', 'browse', 'changes'] as const) {
    const atApi = await compare(() => answers[name](API[name], false));
    const asFile = await compare(() => answers[name](fileOf(name), true));
    hasApi ||= atApi;
    if (!atApi && !asFile) omit(name, `neither ${API[name]} nor ${fileOf(name)} is there`);
  }
  if (!hasApi) {
    omit('capsules and lineages of the API', 'there is no API');
    return comparison;
  }
  if (!(await compare(() => answers.fetch()))) omit('fetch', `${API.fetch} is not there`);
  await compare(() => answers.capsules());
  await compare(() => answers.lineages());
  if (settings.key === undefined) omit('query', 'needs an API key (AGENT_API_KEY)');
  else if (!(await compare(() => answers.query(settings.key ?? '')))) omit('query', `${API.query} is not there`);
  return comparison;
}

/** Compares answers of one kind each; every method says what agrees, or throws a {@link DifferenceError}. */
class AnswerComparer {
  readonly #site: SiteReader;
  readonly #bundle: Bundle;
  readonly #settings: ApiSettings;
  #corpusVersion: string | undefined;

  constructor(site: SiteReader, bundle: Bundle, settings: ApiSettings) {
    this.#site = site;
    this.#bundle = bundle;
    this.#settings = settings;
  }

  async capabilities(path: string): Promise<string> {
    const { corpus } = await readApi(this.#site, path, CorpusDocument);
    this.#demandCorpus(path, corpus);
    const { statement } = this.#bundle.manifest;
    const states = [...this.#bundle.capsules.values()].map(({ lineage }) => lineage.head.statement.status);
    const expected = {
      capsules: statement.capsules,
      versions: statement.versions,
      ...Object.fromEntries(['current', 'superseded', 'retracted'].map((state) => [state, states.filter((one) => one === state).length])),
    };
    for (const [name, count] of Object.entries(expected))
      if (corpus[name as keyof typeof corpus] !== count)
        throw new DifferenceError(`${path}: corpus.${name} is not ${count}, as in the bundle`);
    return path;
  }

  status(path: string): Promise<string> {
    return this.capabilities(path);
  }

  async browse(path: string, isFile: boolean): Promise<string> {
    const seen = new Set<string>();
    for (let cursor: string | null | undefined, hasMore = true; hasMore; ) {
      const query = `?limit=${LIMITS.browseLimitMax}${cursor === undefined || cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const { items, page, ...answer } = await readApi(this.#site, isFile ? path : path + query, BrowseDocument);
      this.#demandCorpus(path, answer);
      for (const { capsule_id: id } of items) {
        if (seen.has(id)) throw new DifferenceError(`${path}: lists ${id} twice`);
        seen.add(id);
      }
      // A list quotes nothing, so it makes no difference to the check whether a text is sold.
      await this.#demandProved(path, 'answer', { results: items.map(({ access: _, ...item }) => item) }, items);
      if (page.total !== this.#bundle.capsules.size) throw new DifferenceError(`${path}: the total is not that of the bundle`);
      cursor = page.next_cursor;
      hasMore = page.has_more && items.length > 0 && typeof cursor === 'string';
    }
    const missing = [...this.#bundle.capsules.keys()].find((id) => !seen.has(id));
    if (missing !== undefined) throw new DifferenceError(`${path}: does not list ${missing}`);
    return `${path} (${seen.size} capsules)`;
  }

  async changes(path: string, isFile: boolean): Promise<string> {
    const count = await compareChanges(this.#site, path, isFile, this.#bundle, (answer) => this.#demandCorpus(path, answer));
    return `${path} (${count} events)`;
  }

  /** All capsules, in as few requests as the API takes. */
  async fetch(): Promise<string> {
    const left = [...this.#bundle.capsules.keys()];
    const tooLarge: string[] = [];
    const batches = Array.from({ length: Math.ceil(left.length / LIMITS.fetchItemsMax) }, (_, at) =>
      left.slice(at * LIMITS.fetchItemsMax, (at + 1) * LIMITS.fetchItemsMax),
    );
    await forEachAtATime(batches, async (batch) => {
      for (let ids = batch; ids.length > 0; ) {
        const json = { ids, token_budget: LIMITS.tokenBudgetMax };
        const { items, ...answer } = await readApi(this.#site, API.fetch, FetchDocument, { json });
        this.#demandCorpus(API.fetch, answer);
        const answered = items.map((item) => item.capsule_id);
        if (!isDeepStrictEqual(answered, ids)) throw new DifferenceError(`${API.fetch}: answers other ids`);
        const next = items.filter(({ outcome }) => outcome === 'over_budget').map((item) => item.capsule_id);
        for (const { capsule_id: id, outcome, capsule } of items)
          if (outcome === 'payment_required') this.#demandSold(`${API.fetch}: ${id}`, id);
          else if (outcome !== 'over_budget') await this.#demandCapsule(API.fetch, id, capsule);
        // A capsule that is larger than a whole budget can only be read by itself.
        if (next.length === ids.length) tooLarge.push(...next);
        ids = next.length === ids.length ? [] : next;
      }
    });
    for (const id of tooLarge)
      await this.#demandCapsule(capsuleApiPath(id), id, await readApi(this.#site, capsuleApiPath(id), z.unknown()));
    return `${API.fetch} (${left.length} capsules)`;
  }

  async capsules(): Promise<string> {
    const { sample } = this.#settings;
    await forEachAtATime(sample, async (id) => {
      const path = capsuleApiPath(id);
      try {
        await this.#demandCapsule(path, id, await readApi(this.#site, path, z.unknown()));
      } catch (error) {
        if (!(error instanceof UnreadableError)) throw error;
        if (error.status === 402) this.#demandSold(path, id);
        else throw absenceAsDifference(error);
      }
    });
    return `${capsuleApiPath('{capsule_id}')} (${this.#sampled()})`;
  }

  async lineages(): Promise<string> {
    const { sample } = this.#settings;
    await forEachAtATime(sample, async (id) => {
      const path = lineageApiPath(id);
      const document = await readApi(this.#site, path, z.looseObject({ id: z.literal(id) })).catch((error: unknown) => {
        throw error instanceof UnreadableError ? absenceAsDifference(error) : error;
      });
      const { versions, head } = this.#capsule(path, id).lineage;
      if (!isDeepStrictEqual([document['versions'], document['head']], [versions, head]))
        throw new DifferenceError(`${path}: is not the lineage that the bundle has`);
    });
    return `${lineageApiPath('{capsule_id}')} (${this.#sampled()})`;
  }

  /** Results of queries for some titles, with their quotes. */
  async query(key: string): Promise<string> {
    const ids = this.#settings.sample.slice(0, QUERIES_MAX);
    for (const id of ids) {
      const query = this.#capsule(API.query, id).lineage.versions.at(-1)?.record.title.slice(0, LIMITS.queryMaxLength);
      const json = { query, max_results: LIMITS.maxResultsMax };
      const { results, ...answer } = await readApi(this.#site, API.query, AnswerDocument, { json, key });
      this.#demandCorpus(API.query, answer);
      await this.#demandProved(API.query, 'answer', { results }, results);
    }
    return `${API.query} (${ids.length} queries, every result and quote)`;
  }

  #sampled(): string {
    const { size } = this.#bundle.capsules;
    return `${this.#settings.sample.length} of ${size} capsules`;
  }

  #demandCorpus(path: string, answer: { readonly corpus_version: string; readonly corpus_digest?: string }): void {
    const { corpus_version: version, corpus_digest: digest } = answer;
    if (digest !== undefined && `sha256:${digest}` !== this.#bundle.manifest.statement.corpusDigest)
      throw new DifferenceError(`${path}: corpus_digest is not that of the manifest`);
    this.#corpusVersion ??= version;
    if (version !== this.#corpusVersion) throw new DifferenceError(`${path}: corpus_version is not that of other answers`);
  }

  #capsule(path: string, id: string): BundledCapsule {
    const capsule = this.#bundle.capsules.get(id);
    if (capsule === undefined) throw new DifferenceError(`${path}: ${id} is not in the bundle`);
    return capsule;
  }

  #demandSold(path: string, id: string): void {
    const { lineage, texts } = this.#capsule(path, id);
    if (texts[lineage.versions.at(-1)?.record.canonical ?? ''] !== undefined)
      throw new DifferenceError(`${path}: is sold here, and free in the bundle`);
  }

  async #demandCapsule(path: string, id: string, capsule: unknown): Promise<void> {
    const item = capsule as Item | undefined;
    if (item?.capsule_id !== id) throw new DifferenceError(`${path}: does not give ${id}`);
    await this.#demandProved(path, 'capsule', item, [item]);
  }

  /** Demands that the verifier finds nothing wrong with what an answer says of capsules, and that it speaks of their newest versions. */
  async #demandProved(path: string, kind: Proof['kind'], document: object, items: readonly Item[]): Promise<void> {
    const capsules = items.map(({ capsule_id: id }) => this.#capsule(path, id));
    // The verifier takes an answer's word for it that a text is sold, and looks at the summary alone.
    for (const { capsule_id: id, access } of items) if (access === 'paid') this.#demandSold(`${path}: ${id}`, id);
    const proof: Proof = {
      document: JSON.stringify(document),
      lineages: Object.fromEntries(capsules.map(({ lineage }) => [lineage.id, JSON.stringify(lineage)])),
      texts: path === API.query ? Object.assign({}, ...capsules.map(({ texts }) => texts)) : {},
      now: this.#settings.now,
      ...(kind === undefined ? {} : { kind }),
    };
    const failed = (await verify(proof)).checks.find(({ ok }) => !ok);
    if (failed) throw new DifferenceError(`${path}: ${failed.check} ${failed.detail}`);
    const older = items.find(({ version }, at) => version !== capsules[at]?.lineage.head.statement.version);
    if (older) throw new DifferenceError(`${path}: ${older.capsule_id} is not in its newest version`);
  }
}

/** A capsule of the bundle that the API does not have is a difference; all else could not be read. */
const absenceAsDifference = (error: UnreadableError): Error => (error.status === 404 ? new DifferenceError(error.message) : error);

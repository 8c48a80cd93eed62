import * as z from 'zod';
import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { isList, readPageList } from '../../gateway/knowledge/record-pages.ts';
import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { appendEvents, type LoggedChange } from '../../provenance/change-log.ts';
import { readJson } from '../../provenance/verify/verification-types.ts';
import { UserError } from '../../publication/content-problem.ts';
import { ChangesResponse } from '../../schemas/knowledge/corpus-responses.ts';
import type { PageReference } from '../../schemas/knowledge/generation-manifest.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { blockPath, PATHS } from '../../schemas/paths.ts';
import { Id } from '../../schemas/primitives.ts';
import { EARLIER_GENERATIONS } from '../corpus-blocks/build-generation.ts';
import { withListedPages } from '../corpus-blocks/divide-records-into-pages.ts';
import { blocksOf, type GenerationStore, parseManifest } from '../corpus-blocks/generation-store.ts';
import { type BlockNamespace, heldManifests, type NeededBlock } from './block-namespace.ts';
import type { LiveVersion } from './plan-garbage-collection.ts';

/**
 * The change log of a deployed site, for the next build to continue: the file of a frontend-only site, or what its API answers.
 *
 * @throws {UserError} If the site does not have it, or its digests do not match its events.
 */
export async function restoreLogOfSite(baseUrl: string): Promise<LoggedChange[]> {
  const log: LoggedChange[] = [];
  const append = async (address: string): Promise<ChangesResponse | undefined> => {
    const document = await documentAt(address, ChangesResponse);
    const wrong = document && (await appendEvents(log, document.changes));
    if (wrong !== undefined) throw new UserError(`event ${wrong} of ${address} does not follow from the events before it`);
    return document;
  };
  if ((await append(`${baseUrl}${PATHS.data}/changes.json`)) !== undefined) return log;
  for (let cursor = '0', hasMore = true; hasMore; ) {
    const page = await append(`${baseUrl}${PATHS.publicCapsules}/changes?limit=${LIMITS.changesLimitMax}&cursor=${cursor}`);
    if (page === undefined)
      throw new UserError(
        `${baseUrl} did not respond with a change log; before the first deployment there is none: leave this command out then`,
      );
    ({ cursor, has_more: hasMore } = page);
    if (hasMore && page.changes.length === 0) throw new UserError(`the change log of ${baseUrl} ends before its end`);
  }
  return log;
}

/** Members of a catalog that are read; the deployed site may be older than this command. */
const LiveCatalog = z.object({ offers: z.array(z.object({ id: Id })) });

/** Ids of the offers in the catalog of a deployed site; none without a catalog. */
export async function offersOfSite(baseUrl: string): Promise<string[]> {
  const catalog = await documentAt(`${baseUrl}${PATHS.offersJson}`, LiveCatalog);
  return catalog?.offers.map(({ id }) => id) ?? [];
}

/** The document at an address; `undefined` without a response, and for one that is not such a document in unambiguous JSON. */
async function documentAt<T>(address: string, schema: z.ZodType<T>): Promise<T | undefined> {
  try {
    const response = await fetch(address);
    return response.ok ? schema.safeParse(readJson(await response.text())).data : undefined;
  } catch {
    return undefined;
  }
}

/** A list of pages without any, in place of one that is missing. */
const NO_PAGES = new TextEncoder().encode('[]');

const PARALLEL_READS = 16;

/**
 * Replaces the history of this machine by the complete generations of a namespace, the last published one and those that it lists, and returns
 * their number. Reads only manifests, lists of pages and the change log.
 */
export async function restoreFromNamespace(namespace: BlockNamespace, store: GenerationStore): Promise<number> {
  const held = await namespace.list();
  const present = new Set(held.map(({ sha256 }) => sha256));
  const candidates = heldManifests(held)
    .slice(0, EARLIER_GENERATIONS + 1)
    .map(({ sha256 }) => sha256);
  const fetched = new Map<string, Uint8Array>();
  const add = async (digests: readonly string[]): Promise<void> => {
    const missing = digests.filter((sha256) => !fetched.has(sha256));
    for (const [sha256, bytes] of missing.length === 0 ? [] : await namespace.read(missing))
      if ((await sha256Hex(bytes)) === sha256) fetched.set(sha256, bytes);
  };
  const addPages = (references: readonly PageReference[]): Promise<void> => add(references.map(({ sha256 }) => sha256));
  await add(candidates);
  const newest = candidates.find((version) => parseManifest(fetched.get(version)) !== undefined);
  if (newest === undefined) return 0;
  const earlier = parseManifest(fetched.get(newest))?.previous ?? [];
  await add(earlier.filter((version) => present.has(version)));
  const manifests = [newest, ...earlier].flatMap((version) => parseManifest(fetched.get(version)) ?? []);
  for (
    let lists = manifests.flatMap(({ blocks }) =>
      Object.values(blocks).flatMap((references: readonly PageReference[] = []) => references.filter(isList)),
    );
    lists.length > 0;
  ) {
    await addPages(lists);
    lists = lists.flatMap(({ sha256 }) => readPageList(fetched.get(sha256) ?? NO_PAGES).filter(isList));
  }
  await addPages(await withListedPages(manifests[0]?.blocks.changes ?? [], async (sha256) => fetched.get(sha256)));
  const read = async (version: string): Promise<Uint8Array | undefined> => fetched.get(version);
  return restoreWhole([newest, ...earlier], read, async (sha256) => present.has(sha256), fetched, store);
}

/**
 * Replaces the history of this machine by the generations whose blocks are files of the deployed site, with all blocks, which the next deploy
 * needs, and returns their number.
 *
 * @throws {UserError} If the site does not say which generation it serves.
 */
export async function restoreFromSite(baseUrl: string, live: LiveVersion, store: GenerationStore): Promise<number> {
  if (live === 'none') return 0;
  if ('unknown' in live) throw new UserError(`the generations cannot be restored: ${live.unknown}`);
  const fetched = new Map<string, Uint8Array>();
  const get = async (sha256: string): Promise<Uint8Array | undefined> => {
    const known = fetched.get(sha256) ?? (await store.block(sha256));
    if (known !== undefined) return known;
    const response = await fetch(`${baseUrl}${blockPath(sha256)}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (!response.ok || (await sha256Hex(bytes)) !== sha256) return undefined;
    fetched.set(sha256, bytes);
    return bytes;
  };
  const newest = parseManifest(await get(live.version));
  const has = async (sha256: string): Promise<boolean> => (await get(sha256)) !== undefined;
  return restoreWhole([live.version, ...(newest?.previous ?? [])], get, has, fetched, store);
}

async function restoreWhole(
  versions: readonly string[],
  read: (version: string) => Promise<Uint8Array | undefined>,
  has: (sha256: string) => Promise<boolean>,
  fetched: ReadonlyMap<string, Uint8Array>,
  store: GenerationStore,
): Promise<number> {
  const whole: DeployedGeneration[] = [];
  for (const version of versions) {
    const manifest = parseManifest(await read(version));
    if (manifest === undefined) continue;
    const generation = { version, manifest };
    if (await hasAll(await blocksOf(generation, read), has)) whole.push(generation);
  }
  if (whole.length > 0) await store.restore(whole, fetched);
  return whole.length;
}

async function hasAll(blocks: readonly NeededBlock[], has: (sha256: string) => Promise<boolean>): Promise<boolean> {
  for (let from = 0; from < blocks.length; from += PARALLEL_READS) {
    const present = await Promise.all(blocks.slice(from, from + PARALLEL_READS).map(({ sha256 }) => has(sha256)));
    if (!present.every(Boolean)) return false;
  }
  return true;
}

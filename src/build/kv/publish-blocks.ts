import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import type { Database } from '../../platform/d1/database.ts';
import { ordersByOffer } from '../../platform/d1/order-administration.ts';
import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { UserError } from '../../publication/content-problem.ts';
import { countProgress, type OnProgress } from '../../publication/worker-threads.ts';
import { FREE_PLAN } from '../../schemas/limits.ts';
import { dayOf } from '../../schemas/time.ts';
import { isReadable } from '../corpus-blocks/build-generation.ts';
import { type GenerationStore, parseManifest } from '../corpus-blocks/generation-store.ts';
import { BLOCK_KINDS, type BlockNamespace, type HeldBlock, heldManifests, type NeededBlock, type WrittenBlock } from './block-namespace.ts';
import { type GarbageCollectionPlan, GRACE_DAYS, type LiveVersion, planGarbageCollection } from './plan-garbage-collection.ts';

export interface PublishOptions {
  /** Reports what would be written and deleted, and does neither. */
  readonly dryRun?: boolean;
  /** Writes more keys than the free plan allows in a day. */
  readonly overBudget?: boolean;
  /** Most keys to write on a day (UTC), with those that were written earlier on it; a run on a later day writes the others. */
  readonly limit?: number | undefined;
  /** Publishes a build that does not continue the newest generation of the namespace. */
  readonly dropEarlier?: boolean;
  /** Leaves out manifests, by which a namespace knows what is published, until the site is online. */
  readonly withoutManifests?: boolean;
  /** Number of events of the change log up to the last take-down; generations with fewer hold a text that was taken down. */
  readonly takeDownEvents?: number;
  readonly findLive: () => Promise<LiveVersion>;
  readonly now: Date;
  readonly report: (line: string) => void;
  readonly onProgress?: OnProgress | undefined;
}

export interface PublishOutcome {
  readonly written: number;
  readonly total: number;
  readonly removed: number;
  /** Whether the namespace holds all that was to be written, so that the site can be deployed. */
  readonly complete: boolean;
}

/**
 * Writes the blocks that a namespace lacks, and deletes unreachable ones. Readers see the new generation once its functions are deployed.
 *
 * @throws {UserError} Before anything is written.
 */
export async function publishBlocks(namespace: BlockNamespace, store: GenerationStore, options: PublishOptions): Promise<PublishOutcome> {
  const { report, now, limit = Number.POSITIVE_INFINITY, takeDownEvents = 0 } = options;
  const generations = await store.listed();
  if (generations.length === 0) throw new UserError('there is no build to publish: run "npm run build" first');
  const listed = generations.map(({ version }) => version);
  const held = await namespace.list();
  const readManifests = async (digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    const here = await Promise.all(digests.map(async (sha256) => [sha256, await store.block(sha256)] as const));
    const found = new Map(here.flatMap(([sha256, bytes]) => (bytes ? [[sha256, bytes] as const] : [])));
    const missing = digests.filter((sha256) => !found.has(sha256));
    return missing.length === 0 ? found : new Map([...found, ...(await namespace.read(missing))]);
  };
  if (!options.dropEarlier) await requireContinuation(held, listed, store, readManifests, takeDownEvents);
  const plan = planWrites(await blocksOfAll(generations, store), held);
  const writtenToday = held.filter(({ note }) => note !== undefined && dayOf(Date.parse(note.written)) === dayOf(now.getTime())).length;
  const missing = options.withoutManifests ? plan.missing.filter(({ kind }) => kind !== 'manifest') : plan.missing;
  const writing = missing.slice(0, Math.max(0, limit - writtenToday));
  const complete = writing.length === missing.length;
  const collection: GarbageCollectionPlan =
    complete && !options.withoutManifests
      ? await planGarbageCollection({ held, listed, findLive: options.findLive, now, readManifests, takeDownEvents })
      : { removable: [] };
  const removing = 'removable' in collection ? collection.removable.slice(0, FREE_PLAN.kvDeletesADay) : [];
  reportPlan({ ...plan, writing, writtenToday, collection, removing, held }, report);
  if (writing.length > 0 && writtenToday + writing.length > FREE_PLAN.kvWritesADay && !options.overBudget)
    throw new UserError(describeOverBudget(missing.length, writtenToday));
  await checkBlocks(writing, store);
  const outcome = { total: plan.needed.length, complete };
  if (options.dryRun) {
    report('KV: dry run: nothing was written or deleted');
    return { ...outcome, written: 0, removed: 0, complete: missing.length === 0 };
  }
  await writeBlocks(writing, store, namespace, now, countProgress('Writing keys', writing.length, options.onProgress));
  if (removing.length > 0) await namespace.remove(removing.map(({ sha256 }) => sha256));
  if (!complete) {
    const left = missing.length - writing.length;
    report(
      `KV: ${left.toLocaleString('en')} ${left === 1 ? 'key is' : 'keys are'} left, including the manifest, so readers still get what is deployed. Do not deploy yet: run this again after 00:00 UTC${left > limit ? `, on ${Math.ceil(left / limit)} days` : ''}`,
    );
  }
  return { ...outcome, written: writing.length, removed: removing.length };
}

/** The blocks of each generation. @throws {UserError} If a list of pages is missing, because its pages are unknown then. */
async function blocksOfAll(generations: readonly DeployedGeneration[], store: GenerationStore): Promise<NeededBlock[][]> {
  const blocks = await Promise.all(generations.map((generation) => store.blocksOf(generation)));
  for (const { sha256, kind } of blocks.flat())
    if (kind === 'lists' && (await store.block(sha256)) === undefined)
      throw new UserError(
        `block ${sha256} (a list of pages) is missing on this machine. Run "npm run restore:kv" and "npm run build", then publish again`,
      );
  return blocks;
}

/** Requires that a build continues the newest generation of the namespace: its pinned results and its change log. */
async function requireContinuation(
  held: readonly HeldBlock[],
  listed: readonly string[],
  store: GenerationStore,
  readManifests: (digests: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>,
  takeDownEvents: number,
): Promise<void> {
  const [last] = heldManifests(held);
  if (last === undefined) return;
  const manifest = parseManifest((await readManifests([last.sha256])).get(last.sha256));
  if (manifest === undefined) return;
  const { count, digest } = manifest.changes;
  if (count > 0 && (await store.changes())[count - 1]?.digest !== digest)
    throw new UserError(
      `the build does not continue the change log that was published on ${last.written.slice(0, 10)}: everyone who follows it would have to start over. Run "npm run restore:kv" and "npm run build", then publish again. To start a new log anyway, add --drop-earlier`,
    );
  if (listed.includes(last.sha256) || !isReadable(manifest) || count < takeDownEvents) return;
  throw new UserError(
    `the build does not list generation ${last.sha256.slice(0, 12)}, published on ${last.written.slice(0, 10)}: queries pinned to it would fail. Run "npm run restore:kv" and "npm run build", then publish again. To publish anyway, add --drop-earlier`,
  );
}

interface WritePlan {
  readonly needed: readonly NeededBlock[];
  /** The blocks to write, in order: manifests last, the newest manifest last of all. */
  readonly missing: readonly NeededBlock[];
  /** Number of {@link missing} that only earlier generations need, which were built here and never published. */
  readonly unpublished: number;
}

/**
 * Finds the blocks that a namespace lacks of generations, each with its manifest last, the newest generation first. The newest manifest is
 * written again if another one was published after it, because its note says since when it is the newest.
 */
export function planWrites(listed: readonly (readonly NeededBlock[])[], held: readonly HeldBlock[]): WritePlan {
  const needed = new Map<string, NeededBlock>();
  const manifests: NeededBlock[] = [];
  for (const block of listed.flat()) {
    if (block.kind === 'manifest') manifests.unshift(block);
    else needed.set(block.sha256, block);
  }
  for (const manifest of manifests) needed.set(manifest.sha256, manifest);
  const present = new Set(held.map(({ sha256 }) => sha256));
  const [newest = []] = listed;
  const version = newest.at(-1)?.sha256;
  if (version !== undefined && heldManifests(held)[0]?.sha256 !== version) present.delete(version);
  const missing = [...needed.values()].filter(({ sha256 }) => !present.has(sha256));
  const ofNewest = new Set(newest.map(({ sha256 }) => sha256));
  return { needed: [...needed.values()], missing, unpublished: missing.filter(({ sha256 }) => !ofNewest.has(sha256)).length };
}

/** What the paid plan costs in US dollars, and what a month of it includes (developers.cloudflare.com/workers/platform/pricing). */
const PAID_PLAN = { aMonth: 5, writesIncluded: 1_000_000, aMillionWrites: 5, gigabytesIncluded: 1, aGigabyte: 0.5 } as const;

/** Largest value of a key in KV, on every plan. */
const MAX_VALUE_BYTES = 25 * 1024 * 1024;

/** A size such as `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}

function describeBlocks(blocks: readonly Pick<NeededBlock, 'kind' | 'bytes'>[]): string {
  const kinds = Object.entries(BLOCK_KINDS).flatMap(([kind, name]) => {
    const count = blocks.filter((block) => block.kind === kind).length;
    return count === 0 ? [] : [`${name} ${count}`];
  });
  const bytes = blocks.reduce((sum, block) => sum + block.bytes, 0);
  return `${blocks.length} ${blocks.length === 1 ? 'key' : 'keys'}${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}, ${formatBytes(bytes)}`;
}

/** A share of a limit, such as `12 of 1,000 (1 %)`. */
function describeShare(used: number, limit: number, format: (value: number) => string = (value) => value.toLocaleString('en')): string {
  return `${format(used)} of ${format(limit)} (${Math.ceil((used / limit) * 100)} %)`;
}

interface PublishPlan extends WritePlan {
  readonly writing: readonly NeededBlock[];
  readonly writtenToday: number;
  readonly collection: GarbageCollectionPlan;
  readonly removing: readonly HeldBlock[];
  readonly held: readonly HeldBlock[];
}

function reportPlan(
  { needed, missing, unpublished, writing, writtenToday, collection, removing, held }: PublishPlan,
  report: (line: string) => void,
): void {
  const part = writing.length < missing.length ? ` now, ${missing.length} in all` : '';
  report(`KV: to write ${describeBlocks(writing)}${part}; ${needed.length - missing.length} of ${needed.length} blocks exist already`);
  if (unpublished > 0)
    report(
      `KV: ${unpublished} of the keys to write belong to earlier generations that were never published; to leave them out, run "npm run restore:kv" and "npm run build"`,
    );
  const notes = removing.flatMap(({ note }) => (note ? [note] : []));
  if ('refused' in collection) report(`KV: nothing is deleted, because ${collection.refused}`);
  else if (removing.length > 0) report(`KV: to delete ${describeBlocks(notes)}; no deployment has used them for ${GRACE_DAYS} days`);
  const stored = held.reduce((sum, { note }) => sum + (note?.bytes ?? 0), 0) + missing.reduce((sum, { bytes }) => sum + bytes, 0);
  const longest = needed.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  report(
    `KV: share of the free plan: writes ${describeShare(writtenToday + writing.length, FREE_PLAN.kvWritesADay)} a day${writtenToday === 0 ? '' : `, ${writtenToday.toLocaleString('en')} of them earlier today`}, deletes ${describeShare(removing.length, FREE_PLAN.kvDeletesADay)} a day, storage ${describeShare(stored, FREE_PLAN.kvBytes, formatBytes)}, longest value ${describeShare(longest, MAX_VALUE_BYTES, formatBytes)}`,
  );
  if (stored > FREE_PLAN.kvBytes)
    report(
      `KV: the free plan does not store that much; use the paid plan ($${PAID_PLAN.aMonth} a month with ${PAID_PLAN.gigabytesIncluded} GB, and $${PAID_PLAN.aGigabyte.toFixed(2)} a month for each further one), or "storage: assets" in content/publisher.yaml`,
    );
}

function describeOverBudget(keys: number, writtenToday: number): string {
  const { kvWritesADay: writesADay } = FREE_PLAN;
  const days = Math.ceil((keys + writtenToday) / writesADay);
  const beyond = (Math.max(0, keys - PAID_PLAN.writesIncluded) / 1_000_000) * PAID_PLAN.aMillionWrites;
  const number = (value: number): string => value.toLocaleString('en');
  return [
    `${number(keys)} keys are to be written${writtenToday === 0 ? '' : ` and ${number(writtenToday)} were written earlier today`}, and the free plan writes ${number(writesADay)} a day.`,
    `On the free plan, run this on ${days} days with --limit ${writesADay} (less if you write other keys too): npm run publish:kv -- --limit ${writesADay}. It goes on where it stopped; deploy after the last one.`,
    `On the paid plan ($${PAID_PLAN.aMonth} a month, with ${number(PAID_PLAN.writesIncluded)} writes${beyond === 0 ? '' : `; these cost $${beyond.toFixed(2)} more`}), write all at once: npm run publish:kv -- --over-budget`,
  ].join('\n');
}

/**
 * Requires that every offer with orders still exists, by its id or an alias, because what it delivers is in its file. Orders that cannot be
 * read, for instance because the database has no tables yet, are reported only.
 *
 * @throws {UserError} If an offer with an order that was not refunded in full is missing.
 */
export async function requireOrderedOffers(database: Database, offers: Iterable<string>, report: (line: string) => void): Promise<void> {
  const orders = await ordersByOffer(database).catch((error: Error) => {
    report(`orders: not compared with content/offers, because the database cannot be read (${error.message.split('\n')[0]})`);
    return new Map<string, number>();
  });
  const known = new Set(offers);
  const missing = [...orders].filter(([offer]) => !known.has(offer));
  if (missing.length === 0) return;
  const counts = missing.map(([offer, count]) => `"${offer}" (${count === 1 ? '1 order' : `${count} orders`})`).join(', ');
  throw new UserError(
    `the database has orders of offers that are missing in content/offers: ${counts}. They could not be delivered any more. Restore the files, and add "discontinued: <day>" to what is no longer sold. To publish anyway, add --drop-offers`,
  );
}

/** Target size of one bulk write, and so of what is in memory: a request may have 100 MB (developers.cloudflare.com/api), in base64. */
const PART_BYTES = 48 * 1024 * 1024;

/** @throws {UserError} For the first block that is missing here, damaged or too long. */
async function checkBlocks(blocks: readonly NeededBlock[], store: GenerationStore): Promise<void> {
  for (const block of blocks) {
    const { length } = await readBlock(block, store);
    if (length > MAX_VALUE_BYTES)
      throw new UserError(
        `block ${block.sha256} (${block.kind}) has ${formatBytes(length)}; a value in KV has at most ${formatBytes(MAX_VALUE_BYTES)}. Split the longest capsule into several`,
      );
  }
}

/** Writes blocks in bulk, with the time in their notes. Each manifest is dated a millisecond later, so that notes tell which is the newest. */
async function writeBlocks(
  blocks: readonly NeededBlock[],
  store: GenerationStore,
  namespace: BlockNamespace,
  now: Date,
  onWritten: (keys: number) => void,
): Promise<void> {
  let part: WrittenBlock[] = [];
  let bytes = 0;
  let manifests = 0;
  for (const block of blocks) {
    const value = await readBlock(block, store);
    const written = new Date(now.getTime() + (block.kind === 'manifest' ? manifests++ : 0)).toISOString();
    part.push({ sha256: block.sha256, value, note: { kind: block.kind, bytes: value.length, written } });
    bytes += value.length;
    if (bytes < PART_BYTES && block !== blocks.at(-1)) continue;
    await namespace.write(part);
    onWritten(part.length);
    part = [];
    bytes = 0;
  }
}

async function readBlock({ sha256, kind }: NeededBlock, store: GenerationStore): Promise<Uint8Array> {
  const value = await store.block(sha256);
  if (value === undefined || (await sha256Hex(value)) !== sha256)
    throw new UserError(
      `block ${sha256} (${kind}) is missing in KV and on this machine. Run "npm run restore:kv" and "npm run build", then publish again`,
    );
  return value;
}

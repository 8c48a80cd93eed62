import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { countProgress, type OnProgress } from '../../publication/progress.ts';
import { isReadable } from '../generation/generation.ts';
import { type GenerationStore, parseManifest } from '../generation/generation-store.ts';
import { checkBlocks, writeBlocks } from '../generation/write-blocks.ts';
import { UserError } from '../user-error.ts';
import type { BlockNamespace, HeldBlock, NeededBlock } from './block-namespace.ts';
import { describeOverBudget, FREE_PLAN, reportPlan } from './kv-budget.ts';
import { type GarbageCollectionPlan, type LiveVersion, planGarbageCollection } from './plan-garbage-collection.ts';
import { heldManifests, planWrites } from './plan-writes.ts';

/** How to publish. */
export interface PublishOptions {
  /** Reports what would be written and deleted, and does neither. */
  readonly dryRun?: boolean;
  /** Writes more keys than the free plan allows in a day. */
  readonly overBudget?: boolean;
  /** Most keys to write on a day (UTC), with those that were written earlier on it; a run on a later day writes the others. */
  readonly limit?: number | undefined;
  /** Publishes a build that does not continue the newest generation of the namespace. */
  readonly dropEarlier?: boolean;
  /** Number of events of the change log up to the last take-down; generations with fewer hold a text that was taken down. */
  readonly takeDownEvents?: number;
  readonly findLive: () => Promise<LiveVersion>;
  readonly now: Date;
  readonly report: (line: string) => void;
  /** Told how many keys are written. */
  readonly onProgress?: OnProgress | undefined;
}

/** What a publish did. */
export interface PublishOutcome {
  readonly written: number;
  /** Number of blocks of all listed generations. */
  readonly total: number;
  readonly removed: number;
  /** Whether the namespace holds all of them now, so that the site can be deployed. */
  readonly complete: boolean;
}

/**
 * Writes the blocks that a namespace lacks, and deletes unreachable ones. Readers see the new generation when the functions with its
 * manifest are deployed afterwards.
 *
 * @throws {UserError} Before anything is written.
 */
export async function publishBlocks(namespace: BlockNamespace, store: GenerationStore, options: PublishOptions): Promise<PublishOutcome> {
  const { report, now, limit = Number.POSITIVE_INFINITY } = options;
  const generations = await store.listed();
  if (generations.length === 0) throw new UserError('there is no build to publish: run "npm run build" first');
  const listed = generations.map(({ version }) => version);
  const held = await namespace.list();
  const readManifests = manifestReader(namespace, store);
  const { takeDownEvents = 0 } = options;
  if (!options.dropEarlier) await requireContinuation(held, listed, store, readManifests, takeDownEvents);
  const plan = planWrites(await blocksOfAll(generations, store), held);
  const writtenToday = held.filter(({ note }) => note !== undefined && isSameDay(note.written, now)).length;
  const writing = plan.missing.slice(0, Math.max(0, limit - writtenToday));
  const complete = writing.length === plan.missing.length;
  const collection: GarbageCollectionPlan = complete
    ? await planGarbageCollection({ held, listed, findLive: options.findLive, now, readManifests, takeDownEvents })
    : { removable: [] };
  const removing = 'removable' in collection ? collection.removable.slice(0, FREE_PLAN.deletesADay) : [];
  reportPlan({ ...plan, writing, writtenToday, collection, removing, held }, report);
  if (writing.length > 0 && writtenToday + writing.length > FREE_PLAN.writesADay && !options.overBudget)
    throw new UserError(describeOverBudget(plan.missing.length, writtenToday));
  await checkBlocks(writing, store);
  const outcome = { total: plan.needed.length, complete };
  if (options.dryRun) {
    report('KV: dry run: nothing was written or deleted');
    return { ...outcome, written: 0, removed: 0, complete: plan.missing.length === 0 };
  }
  await writeBlocks(writing, store, namespace, now, countProgress('Writing keys', writing.length, options.onProgress));
  if (removing.length > 0) await namespace.remove(removing.map(({ sha256 }) => sha256));
  if (!complete) {
    const left = plan.missing.length - writing.length;
    report(
      `KV: ${left.toLocaleString('en')} ${left === 1 ? 'key is' : 'keys are'} left, including the manifest, so readers still get what is deployed. Do not deploy yet: run this again after 00:00 UTC${left > limit ? `, on ${Math.ceil(left / limit)} days` : ''}`,
    );
  }
  return { ...outcome, written: writing.length, removed: removing.length };
}

function isSameDay(time: string, now: Date): boolean {
  const day = 'YYYY-MM-DD'.length;
  return time.slice(0, day) === now.toISOString().slice(0, day);
}

/**
 * The blocks of each generation.
 *
 * @throws {UserError} If a list of pages is missing, because its pages are unknown then.
 */
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

/** Reads manifests from this machine, and missing ones from the namespace. */
function manifestReader(namespace: BlockNamespace, store: GenerationStore) {
  return async (digests: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> => {
    const here = await Promise.all(digests.map(async (sha256) => [sha256, await store.block(sha256)] as const));
    const found = new Map(here.flatMap(([sha256, bytes]) => (bytes ? [[sha256, bytes] as const] : [])));
    const missing = digests.filter((sha256) => !found.has(sha256));
    return missing.length === 0 ? found : new Map([...found, ...(await namespace.read(missing))]);
  };
}

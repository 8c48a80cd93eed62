import type { BlockKind, HeldBlock, NeededBlock } from './block-namespace.ts';
import { type GarbageCollectionPlan, GRACE_DAYS } from './plan-garbage-collection.ts';
import type { WritePlan } from './plan-writes.ts';

/** Limits of the free plan of Workers KV (developers.cloudflare.com/kv/platform/limits and /pricing). */
export const FREE_PLAN = {
  /** Days begin at 00:00 UTC. */
  writesADay: 1_000,
  deletesADay: 1_000,
  /** Of all namespaces of an account. */
  storageBytes: 1_000_000_000,
} as const;

/** What the paid plan costs in US dollars, and what a month of it includes (developers.cloudflare.com/workers/platform/pricing). */
const PAID_PLAN = { aMonth: 5, writesIncluded: 1_000_000, aMillionWrites: 5, gigabytesIncluded: 1, aGigabyte: 0.5 } as const;

/** Longest value of a key in bytes, on every plan. */
export const MAX_VALUE_BYTES = 25 * 1024 * 1024;

const KIND_NAMES: Readonly<Record<BlockKind, string>> = {
  index: 'index',
  documents: 'documents',
  history: 'history',
  lineages: 'lineages',
  relatives: 'relatives',
  changes: 'changes',
  texts: 'paid texts',
  articles: 'articles',
  facets: 'facets of capsules',
  entries: 'lists of capsules',
  site_index: 'index of guides, offers and errors',
  site_texts: 'guides, offers and errors',
  files: 'delivered files',
  lists: 'lists of pages',
  manifest: 'manifests',
};

/** A size such as `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}

/** The number of blocks by kind, such as `7 keys (index 1, documents 2, …), 1.2 MB`. */
function describeBlocks(blocks: readonly Pick<NeededBlock, 'kind' | 'bytes'>[]): string {
  const kinds = Object.entries(KIND_NAMES).flatMap(([kind, name]) => {
    const count = blocks.filter((block) => block.kind === kind).length;
    return count === 0 ? [] : [`${name} ${count}`];
  });
  const bytes = blocks.reduce((sum, block) => sum + block.bytes, 0);
  return `${blocks.length} keys${kinds.length === 0 ? '' : ` (${kinds.join(', ')})`}, ${formatBytes(bytes)}`;
}

/** A share of a limit, such as `12 of 1,000 (1 %)`. */
function describeShare(used: number, limit: number, format: (value: number) => string = (value) => value.toLocaleString('en')): string {
  return `${format(used)} of ${format(limit)} (${Math.ceil((used / limit) * 100)} %)`;
}

/** What a publish is about to do. */
interface PublishPlan extends WritePlan {
  /** The missing blocks that are written now. */
  readonly writing: readonly NeededBlock[];
  /** Number of keys that were written earlier today. */
  readonly writtenToday: number;
  readonly collection: GarbageCollectionPlan;
  /** The removable blocks that are deleted now. */
  readonly removing: readonly HeldBlock[];
  readonly held: readonly HeldBlock[];
}

/** Reports what will be written and deleted, and the share of the free plan that this uses. */
export function reportPlan(
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
    `KV: share of the free plan: writes ${describeShare(writtenToday + writing.length, FREE_PLAN.writesADay)} a day${writtenToday === 0 ? '' : `, ${writtenToday.toLocaleString('en')} of them earlier today`}, deletes ${describeShare(removing.length, FREE_PLAN.deletesADay)} a day, storage ${describeShare(stored, FREE_PLAN.storageBytes, formatBytes)}, longest value ${describeShare(longest, MAX_VALUE_BYTES, formatBytes)}`,
  );
  if (stored > FREE_PLAN.storageBytes)
    report(
      `KV: the free plan does not store that much; use the paid plan ($${PAID_PLAN.aMonth} a month with ${PAID_PLAN.gigabytesIncluded} GB, and $${PAID_PLAN.aGigabyte.toFixed(2)} a month for each further one), or "storage: assets" in content/publisher.yaml`,
    );
}

/** Why so many keys are not written, and how to write them on each plan. */
export function describeOverBudget(keys: number, writtenToday: number): string {
  const { writesADay } = FREE_PLAN;
  const days = Math.ceil((keys + writtenToday) / writesADay);
  const beyond = (Math.max(0, keys - PAID_PLAN.writesIncluded) / 1_000_000) * PAID_PLAN.aMillionWrites;
  const number = (value: number): string => value.toLocaleString('en');
  return [
    `${number(keys)} keys are to be written${writtenToday === 0 ? '' : ` and ${number(writtenToday)} were written earlier today`}, and the free plan writes ${number(writesADay)} a day.`,
    `On the free plan, run this on ${days} days with --limit ${writesADay} (less if you write other keys too): npm run publish:kv -- --limit ${writesADay}. It goes on where it stopped; deploy after the last one.`,
    `On the paid plan ($${PAID_PLAN.aMonth} a month, with ${number(PAID_PLAN.writesIncluded)} writes${beyond === 0 ? '' : `; these cost $${beyond.toFixed(2)} more`}), write all at once: npm run publish:kv -- --over-budget`,
  ].join('\n');
}

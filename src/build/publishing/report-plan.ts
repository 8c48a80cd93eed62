import type { HeldBlock, NeededBlock } from './block-namespace.ts';
import { describeBlocks, describeShare, FREE_PLAN, formatBytes, MAX_VALUE_BYTES } from './kv-budget.ts';
import { type CollectionPlan, GRACE_DAYS } from './plan-collection.ts';
import type { WritePlan } from './plan-writes.ts';

/** What a publish is about to do. */
export interface PublishPlan extends WritePlan {
  /** Those of the missing blocks that are written now. */
  readonly writing: readonly NeededBlock[];
  readonly collection: CollectionPlan;
  /** Those of the removable blocks that are deleted now. */
  readonly removing: readonly HeldBlock[];
  readonly held: readonly HeldBlock[];
}

/** Tells what will be written and deleted, and how much of the free plan that takes. */
export function reportPlan(
  { needed, missing, unpublished, writing, collection, removing, held }: PublishPlan,
  report: (line: string) => void,
): void {
  const part = writing.length < missing.length ? ` now, ${missing.length} in all` : '';
  report(`KV: to write ${describeBlocks(writing)}${part}; ${needed.length - missing.length} of ${needed.length} blocks are there`);
  if (unpublished > 0)
    report(
      `KV: ${unpublished} of the keys to write are of earlier generations that were never published; "npm run restore:kv" and "npm run build" leave them out`,
    );
  const notes = removing.flatMap(({ note }) => (note ? [note] : []));
  if ('refused' in collection) report(`KV: nothing is deleted, because ${collection.refused}`);
  else if (removing.length > 0) report(`KV: to delete ${describeBlocks(notes)}; nobody could ask for them for ${GRACE_DAYS} days`);
  const stored = held.reduce((sum, { note }) => sum + (note?.bytes ?? 0), 0) + writing.reduce((sum, { bytes }) => sum + bytes, 0);
  const longest = needed.reduce((most, { bytes }) => Math.max(most, bytes), 0);
  report(
    `KV: of the free plan, this takes writes ${describeShare(writing.length, FREE_PLAN.writesADay)} a day, deletes ${describeShare(removing.length, FREE_PLAN.deletesADay)} a day, storage ${describeShare(stored, FREE_PLAN.storageBytes, formatBytes)}, longest value ${describeShare(longest, MAX_VALUE_BYTES, formatBytes)}`,
  );
  if (stored > FREE_PLAN.storageBytes) report('KV: that is more than the free plan stores: a paid plan is needed, or "storage: assets"');
}

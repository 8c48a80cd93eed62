import * as z from 'zod';
import { CorpusStats } from '../../schemas/knowledge/corpus-lists.ts';
import { PATHS } from '../../schemas/paths.ts';
import { EARLIER_GENERATIONS } from '../generation/generation.ts';
import type { HeldBlock } from './block-namespace.ts';
import { heldManifests } from './plan-writes.ts';

/**
 * Days for which a generation stays whole after so many others have been published that the newest does not list it any more.
 * Within them a deployment can be rolled back, a preview of it answers, and requests that are under way come to their end.
 */
export const GRACE_DAYS = 30;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Version of the generation that the deployed functions answer from, that there is no deployment, or why that cannot be told. */
export type LiveVersion = { readonly version: string } | 'none' | { readonly unknown: string };

/** What is known when old blocks are looked for. */
export interface CollectionFacts {
  readonly held: readonly HeldBlock[];
  /** The newest generation and those that it lists, newest first; the newest may not have been written yet. */
  readonly listed: readonly string[];
  /** Finds the generation that the deployed functions answer from; asked only if there is anything old. */
  readonly findLive: () => Promise<LiveVersion>;
  readonly now: Date;
  /** Bytes of manifests, by digest, of this machine or of the namespace. */
  readonly readManifests: (digests: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Blocks that may be deleted, oldest first, or why none may. */
export type CollectionPlan = { readonly removable: readonly HeldBlock[] } | { readonly refused: string };

/**
 * Finds the blocks that no generation consists of any more which could still be asked for. A generation stays whole if the newest
 * one lists it, if the deployed functions answer from it or list it, and for {@link GRACE_DAYS} after it fell out of the list. When
 * that was follows from the days on which the manifests in the namespace were published, so that nothing is kept elsewhere: a
 * machine that has never published sees the same. Any digest that stands in the manifest of such a generation is kept, whatever
 * the layout of the manifest. Keys without a note are left alone, and so are blocks that were written within the grace.
 */
export async function planCollection({ held, listed, findLive, now, readManifests }: CollectionFacts): Promise<CollectionPlan> {
  const before = new Date(now.getTime() - GRACE_DAYS * DAY_MS).toISOString();
  const aged = held.filter(({ note }) => note !== undefined && note.written < before);
  if (aged.length === 0) return { removable: [] };
  const whole = new Set([...listed, ...withinGrace(held, listed[0], now, before)]);
  const live = await findLive();
  if (live !== 'none') {
    if ('unknown' in live) return { refused: `the live generation is not known: ${live.unknown}` };
    const bytes = (await readManifests([live.version])).get(live.version);
    if (bytes === undefined) return { refused: `the manifest of the live generation ${live.version.slice(0, 12)} is not in the namespace` };
    whole.add(live.version);
    for (const version of previousOf(bytes)) if (held.some(({ sha256 }) => sha256 === version)) whole.add(version);
  }
  const manifests = await readManifests([...whole]);
  const unread = [...whole].find((version) => !manifests.has(version));
  if (unread !== undefined) return { refused: `the manifest of the generation ${unread.slice(0, 12)} cannot be read` };
  const kept = new Set([...whole, ...[...manifests.values()].flatMap(digestsIn)]);
  const removable = aged.filter(({ sha256 }) => !kept.has(sha256));
  return { removable: removable.sort((a, b) => ((a.note?.written ?? '') < (b.note?.written ?? '') ? -1 : 1)) };
}

/** Generations that the newest listed, and those that fell out of the list no longer than the grace ago. */
function withinGrace(held: readonly HeldBlock[], newest: string | undefined, now: Date, before: string): string[] {
  const known = heldManifests(held);
  const isPublished = newest === undefined || known[0]?.sha256 === newest;
  const order = isPublished ? known : [{ sha256: newest, written: now.toISOString() }, ...known.filter(({ sha256 }) => sha256 !== newest)];
  // The generation at `at` fell out when the one that stands as many places before it was published.
  return order.flatMap(({ sha256 }, at) => {
    const fellOut = order[at - EARLIER_GENERATIONS - 1]?.written;
    return fellOut === undefined || fellOut >= before ? [sha256] : [];
  });
}

/** Every digest that stands in a manifest of any layout. */
function digestsIn(manifest: Uint8Array): string[] {
  return new TextDecoder().decode(manifest).match(/\b[0-9a-f]{64}\b/g) ?? [];
}

function previousOf(manifest: Uint8Array): string[] {
  const { previous } = JSON.parse(new TextDecoder().decode(manifest)) as { previous?: unknown };
  return Array.isArray(previous) ? previous.filter((version) => typeof version === 'string') : [];
}

/** Longest time to wait for the deployed service, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** What of a status is looked at: the deployed service may be older than this command. */
const LiveStatus = z.object({ corpus: CorpusStats.pick({ corpus_version: true }) });

/** Asks the deployed service which generation it answers from. */
export async function findLiveVersion(baseUrl: string): Promise<LiveVersion> {
  const address = `${baseUrl}${PATHS.publicCapsules}/status`;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return { unknown: `${address} answered with ${response.status}` };
    return { version: LiveStatus.parse(await response.json()).corpus.corpus_version };
  } catch {
    return { unknown: `${address} did not answer with a status` };
  }
}

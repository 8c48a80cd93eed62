import * as z from 'zod';
import { isList } from '../../gateway/knowledge/record-pages.ts';
import { CorpusStats } from '../../schemas/knowledge/corpus-responses.ts';
import { PageReference } from '../../schemas/knowledge/generation-manifest.ts';
import { PATHS } from '../../schemas/paths.ts';
import { DAY_MS } from '../../schemas/time.ts';
import { EARLIER_GENERATIONS } from '../corpus-blocks/build-generation.ts';
import { type HeldBlock, heldManifests } from './block-namespace.ts';

/**
 * Days for which the blocks of a generation stay after the newest one stops listing it, so that a deployment can be rolled back, previews
 * work, and requests in progress complete.
 */
export const GRACE_DAYS = 30;

/** The generation that the deployed functions serve, `none` without a deployment, or why it is unknown. */
export type LiveVersion = { readonly version: string } | 'none' | { readonly unknown: string };

interface GarbageCollectionInput {
  readonly held: readonly HeldBlock[];
  /** The newest generation, which may be unwritten, and those that it lists, newest first. */
  readonly listed: readonly string[];
  /** Finds the generation that the deployed functions serve; called only if there are old blocks. */
  readonly findLive: () => Promise<LiveVersion>;
  readonly now: Date;
  /**
   * Number of events of the change log up to the last take-down: blocks that only generations with fewer events need are deleted without
   * grace, once the deployed functions use another one.
   */
  readonly takeDownEvents?: number;
  readonly readManifests: (digests: readonly string[]) => Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Blocks that can be deleted, oldest first, or why none can. */
export type GarbageCollectionPlan = { readonly removable: readonly HeldBlock[] } | { readonly refused: string };

/**
 * Finds the blocks that no reachable generation needs. A generation is reachable if the newest one lists it, if the deployed functions
 * serve or list it, and for {@link GRACE_DAYS} after it left the list. That day follows from the notes of the manifests in the namespace, so
 * every machine sees the same. Every digest in the manifest of a reachable generation and in its lists of pages is kept, whatever the
 * format of the manifest; so are keys without a note, and blocks written within the grace period.
 */
export async function planGarbageCollection({
  held,
  listed,
  findLive,
  now,
  readManifests,
  takeDownEvents = 0,
}: GarbageCollectionInput): Promise<GarbageCollectionPlan> {
  const before = new Date(now.getTime() - GRACE_DAYS * DAY_MS).toISOString();
  const aged = held.filter(({ note }) => note !== undefined && note.written < before);
  const tainted = takeDownEvents === 0 ? [] : await manifestsBefore(takeDownEvents, held, readManifests);
  if (aged.length === 0 && tainted.length === 0) return { removable: [] };
  const gone = new Set(tainted.map(({ version }) => version));
  const whole = new Set([...listed, ...withinGrace(held, listed[0], now, before)].filter((version) => !gone.has(version)));
  const live = await findLive();
  if (live !== 'none') {
    if ('unknown' in live) return { refused: `the live generation is unknown: ${live.unknown}` };
    const bytes = (await readManifests([live.version])).get(live.version);
    if (bytes === undefined) return { refused: `the manifest of the live generation ${live.version.slice(0, 12)} is not in KV` };
    whole.add(live.version);
    for (const version of manifestIn(bytes).previous) if (held.some(({ sha256 }) => sha256 === version)) whole.add(version);
  }
  const manifests = await readManifests([...whole]);
  const unread = [...whole].find((version) => !manifests.has(version));
  if (unread !== undefined) return { refused: `the manifest of generation ${unread.slice(0, 12)} cannot be read` };
  const { digests, missing } = await digestsOf([...manifests.values()], readManifests);
  if (missing !== undefined) return { refused: `the list of pages ${missing.slice(0, 12)} cannot be read` };
  const kept = new Set([...whole, ...digests]);
  const taken = tainted.map(({ bytes }) => bytes);
  const withoutGrace = new Set([...gone, ...(await digestsOf(taken, readManifests)).digests]);
  const removable = held.filter((block) => !kept.has(block.sha256) && (aged.includes(block) || withoutGrace.has(block.sha256)));
  return { removable: removable.sort((a, b) => ((a.note?.written ?? '') < (b.note?.written ?? '') ? -1 : 1)) };
}

async function manifestsBefore(events: number, held: readonly HeldBlock[], readManifests: GarbageCollectionInput['readManifests']) {
  const manifests = await readManifests(heldManifests(held).map(({ sha256 }) => sha256));
  return [...manifests].filter(([, bytes]) => manifestIn(bytes).changes.count < events).map(([version, bytes]) => ({ version, bytes }));
}

/** What is read of a manifest, which may be of another version of the engine: without a count it has all events. */
const AnyManifest = z.object({
  changes: z.object({ count: z.number() }).catch({ count: Number.POSITIVE_INFINITY }),
  previous: z.array(z.string()).catch([]),
});

function manifestIn(bytes: Uint8Array): z.infer<typeof AnyManifest> {
  return AnyManifest.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

function withinGrace(held: readonly HeldBlock[], newest: string | undefined, now: Date, before: string): string[] {
  const known = heldManifests(held);
  const isPublished = newest === undefined || known[0]?.sha256 === newest;
  const order = isPublished ? known : [{ sha256: newest, written: now.toISOString() }, ...known.filter(({ sha256 }) => sha256 !== newest)];
  // A generation leaves the list when the generation EARLIER_GENERATIONS + 1 places before it is published.
  return order.flatMap(({ sha256 }, at) => {
    const left = order[at - EARLIER_GENERATIONS - 1]?.written;
    return left === undefined || left >= before ? [sha256] : [];
  });
}

async function digestsOf(
  documents: readonly Uint8Array[],
  read: GarbageCollectionInput['readManifests'],
): Promise<{ digests: string[]; missing: string | undefined }> {
  const digests = documents.flatMap((document) => new TextDecoder().decode(document).match(/\b[0-9a-f]{64}\b/g) ?? []);
  const lists = [...new Set(documents.flatMap(listsIn))];
  if (lists.length === 0) return { digests, missing: undefined };
  const found = await read(lists);
  const further = await digestsOf([...found.values()], read);
  return { digests: [...digests, ...further.digests], missing: lists.find((sha256) => !found.has(sha256)) ?? further.missing };
}

function listsIn(document: Uint8Array): string[] {
  const value = JSON.parse(new TextDecoder().decode(document)) as { blocks?: object } | readonly unknown[];
  const references: unknown[] = Array.isArray(value) ? value : Object.values((value as { blocks?: object }).blocks ?? {}).flat();
  return references.flatMap((reference) => {
    const { data } = PageReference.safeParse(reference);
    return data !== undefined && isList(data) ? [data.sha256] : [];
  });
}

const TIMEOUT_MS = 10_000;

/** The only member of a status that is read: the deployed service may be older than this command. */
const LiveStatus = z.object({ corpus: CorpusStats.pick({ corpus_version: true }) });

export async function findLiveVersion(baseUrl: string): Promise<LiveVersion> {
  const address = baseUrl + PATHS.statusApi;
  try {
    const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return { unknown: `${address} responded with ${response.status}` };
    return { version: LiveStatus.parse(await response.json()).corpus.corpus_version };
  } catch {
    return { unknown: `${address} did not respond with a status` };
  }
}

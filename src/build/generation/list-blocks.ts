import { encodeDays, encodeFacts } from '../../gateway/knowledge/lists/list-store.ts';
import { listEntry, makeLists, NEWEST_GROUP } from '../../gateway/knowledge/lists/make-lists.ts';
import { encodeRecordPage } from '../../gateway/knowledge/paged-records.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { ListDirectory } from '../../schemas/knowledge/capsule-lists.ts';
import { endsPage } from '../content/paginate.ts';

/** Average size of a page of entries in bytes: a list reads one or two for a page of its own. */
const PAGE_BYTES = 128 * 1024;

/** Approximate limit of the pages of entries; larger corpora have larger ones. */
const PAGES_MAX = 1_024;

/** The lists of a corpus as blocks. */
export interface ListBlocks {
  /** Directory, days and facts, in this order. */
  readonly facets: readonly Uint8Array[];
  /** Pages of entries, made when they are taken. */
  readonly entries: Iterable<Uint8Array>;
}

/**
 * The lists of a corpus as blocks. A change of a text alone changes the days and the page of the newest capsules; a change of title, summary or
 * tags also the pages of the lists that have the capsule.
 *
 * @param language Language of readers, which decides the order of titles.
 */
export function listBlocks(capsules: readonly CapsuleMetadata[], language: string): ListBlocks {
  const { directory, groups, days, facts } = makeLists(capsules, language);
  const sizes = capsules.map((capsule) => Buffer.byteLength(JSON.stringify(listEntry(capsule))));
  const all = groups.reduce((sum, { members }) => members.reduce((bytes, number) => bytes + (sizes[number] ?? 0), sum), 0);
  const target = Math.max(PAGE_BYTES, all / PAGES_MAX);
  const pages: number[][] = [];
  const pageStarts: number[] = [];
  let position = 0;
  let isEnded = true;
  for (const { name, members } of groups) {
    // Each change moves the newest capsules: they have a page of their own.
    const isWhole = name === NEWEST_GROUP;
    if (isWhole) isEnded = true;
    for (const number of members) {
      if (isEnded) {
        pages.push([]);
        pageStarts.push(position);
      }
      pages.at(-1)?.push(number);
      position += 1;
      isEnded = !isWhole && endsPage(`${name} ${capsules[number]?.capsule_id}`, sizes[number] ?? 0, target);
    }
  }
  const complete: ListDirectory = { ...directory, pageStarts };
  return {
    facets: [new TextEncoder().encode(JSON.stringify(complete)), encodeDays(days), encodeFacts(facts)],
    entries: encoded(capsules, pages),
  };
}

function* encoded(capsules: readonly CapsuleMetadata[], pages: readonly (readonly number[])[]): Generator<Uint8Array> {
  for (const page of pages)
    yield encodeRecordPage(
      page.flatMap((number) => {
        const capsule = capsules[number];
        return capsule === undefined ? [] : [{ id: capsule.capsule_id, value: listEntry(capsule) }];
      }),
    );
}

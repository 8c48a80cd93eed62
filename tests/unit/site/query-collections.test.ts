import { expect, it } from 'vitest';
import { LIST_PAGE_SIZE, type ShownList } from '../../../src/gateway/knowledge/capsule-lists/read-list.ts';
import { PUBLISHER_ENTRY } from '../../../src/site/collection-entries.ts';
import { collections } from '../../support/astro-content.ts';

// Types of Astro's modules are known to `astro check` alone.
const ENTRIES = '../../../src/site/query-collections.ts';
interface Entries {
  readonly listFiles: () => Promise<{ readonly props: { readonly file: object } }[]>;
  readonly readListFile: (file: object) => Promise<ShownList>;
}

const CAPSULES = 3_000;
let reads = 0;

/** Entries of a collection that count how often they are looked at. */
const entries = Array.from({ length: CAPSULES }, (_, at) => {
  const id = `capsule-${String(at).padStart(4, '0')}`;
  const data = {
    capsule_id: id,
    title: `Title ${(at * 7) % CAPSULES}`,
    summary: `Summary ${at}.`,
    tags: [`tag-${at % 50}`, `rare-${at % 700}`],
    type: at % 3 === 0 ? 'concept' : 'reference',
    evidence: 'documented',
    language: 'en',
    status: 'current',
    access: 'public',
    updated: `2026-11-${String((at % 28) + 1).padStart(2, '0')}`,
    sources: [],
    degree: 0,
  };
  return {
    id,
    get data() {
      reads += 1;
      return data;
    },
  };
});

collections['capsules'] = entries;
collections['publisher'] = [{ id: PUBLISHER_ENTRY, data: { shared: { site: { capsulePages: 'files' } } } }];

it('reads all capsules once for the pages of all lists of a build, each of which is made of no more than it shows', async () => {
  const { listFiles, readListFile } = (await import(ENTRIES)) as Entries;
  const files = await listFiles();
  const shown: number[] = [];
  for (const { props } of files) shown.push((await readListFile(props.file)).list?.capsules.length ?? 0);
  expect(reads).toBe(CAPSULES);
  expect(files.length).toBeGreaterThan(1_000);
  expect(Math.max(...shown)).toBe(LIST_PAGE_SIZE);
});

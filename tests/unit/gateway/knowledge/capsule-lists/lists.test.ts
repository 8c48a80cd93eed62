import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listBlocks } from '../../../../../src/build/corpus-blocks/build-generation.ts';
import { type ListStore, storedLists } from '../../../../../src/gateway/knowledge/capsule-lists/list-store.ts';
import { listsInMemory, titleOrder } from '../../../../../src/gateway/knowledge/capsule-lists/make-lists.ts';
import { LIST_PAGE_SIZE, ownLists, readListPage } from '../../../../../src/gateway/knowledge/capsule-lists/read-list.ts';
import { RecordPage } from '../../../../../src/gateway/knowledge/record-pages.ts';
import { textPrices } from '../../../../../src/schemas/commerce/capsule-price.ts';
import type { CapsuleMetadata } from '../../../../../src/schemas/knowledge/capsule.ts';
import { CapsuleType } from '../../../../../src/schemas/knowledge/capsule-fields.ts';
import type { ListConditions, ListEntry, ListRequest } from '../../../../../src/schemas/knowledge/capsule-lists.ts';
import { EVIDENCE_LEVELS } from '../../../../../src/schemas/knowledge/kinds-and-levels.ts';

const TAGS = ['a', 'http', 'page', 'z-9', '2026'];
const LANGUAGES = ['en', 'de', 'zh-Hant'];
const DAYS = ['2024-02-29', '2025-12-31', '2026-01-01', '2026-11-23'];
type Described = Pick<CapsuleMetadata, 'title' | 'tags' | 'type' | 'evidence' | 'language' | 'updated'>;

const described: fc.Arbitrary<Described> = fc.record({
  title: fc.constantFrom('The cache', 'A cache', 'Cache 2', 'Cache 10', 'Über', 'Zebra', '緩存'),
  tags: fc.subarray(TAGS),
  type: fc.constantFrom(...CapsuleType.options),
  evidence: fc.constantFrom(...EVIDENCE_LEVELS),
  language: fc.constantFrom(...LANGUAGES),
  updated: fc.constantFrom(...DAYS),
});

function capsulesOf(all: readonly Described[]): CapsuleMetadata[] {
  return all.map((capsule, at) => ({
    capsule_id: `capsule-${at}`,
    version: '1.0.0',
    summary: `Summary ${at}.`,
    license: 'CC-BY-4.0',
    status: 'current',
    access: 'public',
    created: '2024-01-01',
    words: 1,
    tokens: 1,
    content_sha256: '0'.repeat(64),
    sources: [],
    derived_from: [],
    cites: [],
    supersedes: [],
    versions: [],
    ...capsule,
  }));
}

function stored(capsules: readonly CapsuleMetadata[]): { readonly lists: ListStore; readonly reads: number[] } {
  const { facets, entries } = listBlocks(capsules, 'en');
  const pages = [...entries];
  const reads: number[] = [];
  const lists = storedLists({
    read: async (block, decode) => decode(facets[block] as Uint8Array),
    pages: async (numbers) => {
      reads.push(numbers.length);
      return numbers.map((number) => new RecordPage<ListEntry>(pages[number] as Uint8Array));
    },
  });
  return { lists, reads };
}

const conditions: fc.Arbitrary<ListConditions> = fc
  .record(
    {
      tag: fc.constantFrom(...TAGS, 'none'),
      type: fc.constantFrom(...CapsuleType.options),
      evidence: fc.constantFrom(...EVIDENCE_LEVELS),
      language: fc.constantFrom(...LANGUAGES, 'fr'),
      changed: fc.constantFrom('2025', '2026', '2026-01', '2026-11', '2020'),
    },
    { requiredKeys: [] },
  )
  .map((set) => set as ListConditions);

const request: fc.Arbitrary<ListRequest> = fc.record({
  conditions,
  sort: fc.constantFrom<ListRequest['sort']>('title', 'newest'),
  page: fc.integer({ min: 1, max: 5 }),
});

/** What a request means, written down once more. */
function expected({ conditions: { tag, changed, ...exact }, sort }: ListRequest, capsules: readonly CapsuleMetadata[]): string[] {
  const byTitle = titleOrder(capsules, 'en').map((number) => capsules[number] as CapsuleMetadata);
  const matching = byTitle.filter(
    (capsule) =>
      (tag === undefined || capsule.tags.includes(tag)) &&
      (changed === undefined || capsule.updated.startsWith(changed)) &&
      Object.entries(exact).every(([name, value]) => capsule[name as keyof typeof exact] === value),
  );
  if (sort === 'newest') matching.sort((a, b) => (a.updated === b.updated ? 0 : a.updated < b.updated ? 1 : -1));
  return matching.map(({ capsule_id }) => capsule_id);
}

describe('readListPage()', () => {
  it('selects, orders, counts and pages what the conditions say, the same from memory and from blocks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(described, { maxLength: 170 }), request, async (all, asked) => {
        const capsules = capsulesOf(all);
        const ids = expected(asked, capsules);
        const fromMemory = await readListPage(asked, listsInMemory(capsules, 'en'));
        expect(await readListPage(asked, stored(capsules).lists)).toEqual(fromMemory);
        const isOverview = capsules.length <= 100 && asked.sort === 'title' && Object.keys(asked.conditions).length === 0;
        const size = isOverview ? Math.max(1, capsules.length) : LIST_PAGE_SIZE;
        if (asked.page > Math.max(1, Math.ceil(ids.length / size))) {
          expect(fromMemory).toBeUndefined();
          return;
        }
        expect(fromMemory?.total).toBe(ids.length);
        expect(fromMemory?.capsules.map(({ id }) => id)).toEqual(ids.slice((asked.page - 1) * size, asked.page * size));
        for (const { id, metadata } of fromMemory?.capsules ?? [])
          expect(metadata).toEqual(expect.objectContaining({ updated: capsules.find(({ capsule_id }) => capsule_id === id)?.updated }));
      }),
      { numRuns: 80 },
    );
  });

  it('has every price of a text', async () => {
    const prices = textPrices(5, { EUR: 4.5 });
    const [capsule] = capsulesOf([
      { title: 'Rates', tags: [], type: 'reference', evidence: 'reported', language: 'en', updated: '2026-01-01' },
    ]);
    const { lists } = stored(capsule ? [{ ...capsule, access: 'paid', ...prices }] : []);
    const page = await readListPage({ conditions: {}, sort: 'title', page: 1 }, lists);
    expect(page?.capsules.map(({ metadata }) => metadata)).toEqual([expect.objectContaining(prices)]);
  });

  it('names what replaces a capsule by its title, also where a list has it on no page', async () => {
    const [former, newer] = capsulesOf(
      ['Old', 'New'].map((title) => ({
        title,
        tags: [title.toLowerCase()],
        type: 'reference',
        evidence: 'reported',
        language: 'de',
        updated: '2026-01-01',
      })),
    );
    if (former === undefined || newer === undefined) throw new Error('two capsules are two');
    const capsules = [{ ...former, status: 'superseded' as const, superseded_by: newer.capsule_id }, newer];
    for (const lists of [stored(capsules).lists, listsInMemory(capsules, 'en')]) {
      const page = await readListPage({ conditions: { tag: 'old' }, sort: 'title', page: 1 }, lists);
      expect(page?.capsules.map(({ metadata }) => metadata.replacement)).toEqual([{ title: 'New', status: 'current', language: 'de' }]);
    }
  });

  it('offers values with the number of capsules that choosing them leads to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(described, { minLength: 101, maxLength: 140 }), conditions, async (all, chosen) => {
        const lists = listsInMemory(capsulesOf(all), 'en');
        const page = await readListPage({ conditions: chosen, sort: 'newest', page: 1 }, lists);
        for (const [name, values] of Object.entries(page?.facets ?? {}))
          for (const [value, count] of values) {
            const others = page?.isFile ? {} : chosen;
            const next = await readListPage({ conditions: { ...others, [name]: value }, sort: 'title', page: 1 }, lists);
            expect([name, value, next?.total]).toEqual([name, value, count]);
          }
      }),
      { numRuns: 20 },
    );
  });
});

describe('lists in blocks', () => {
  const many = (count: number): Described[] =>
    Array.from({ length: count }, (_, at) => ({
      title: `Title ${(at * 7919) % count} of a text that says something`,
      tags: [`subject-${at % 37}`, `rare-${at % 450}`],
      type: CapsuleType.options[at % 3] ?? 'concept',
      evidence: EVIDENCE_LEVELS[at % 5] ?? 'opinion',
      language: 'en',
      updated: `2026-${String(1 + (at % 11)).padStart(2, '0')}-01`,
    }));

  it('take at most two pages of entries for any page of a list of its own, the newest capsules included', async () => {
    const capsules = capsulesOf(many(3_000));
    const { lists, reads } = stored(capsules);
    for (const { request: own, pages } of ownLists(await lists.directory()))
      for (const page of [1, Math.ceil(pages / 2)]) {
        if (own.sort === 'newest' && page * LIST_PAGE_SIZE > 600) continue;
        await readListPage({ ...own, page }, lists);
      }
    expect(reads.filter((count) => count > 2).length).toBe(0);
  });

  it('change in two blocks and the page of the newest capsules after an edit of a text', () => {
    const before = many(3_000);
    const after = before.map((capsule, at) => (at === 2_000 ? { ...capsule, updated: '2026-11-23' } : capsule));
    const blocksOf = (all: readonly Described[]): string[] => {
      const { facets, entries } = listBlocks(capsulesOf(all), 'en');
      return [...facets, ...entries].map((bytes) => Buffer.from(bytes).toString('base64'));
    };
    const known = new Set(blocksOf(before));
    expect(blocksOf(after).filter((block) => !known.has(block)).length).toBeLessThanOrEqual(3);
  });
});

it.each<[readers: string, rule: string, ordered: Record<string, string>]>([
  [
    'en',
    'passes over the leading article in the language of each title',
    { Apple: 'en', 'Die Birne': 'de', 'Die hard': 'en', "L'orange": 'fr', 'The zebra': 'en' },
  ],
  ['sv', 'follows their alphabet', { Zebra: 'sv', Ärla: 'sv' }],
  ['de', 'follows their alphabet', { Ärger: 'de', Zebra: 'de' }],
  ['en', 'has numbers by value', { 'Part 9': 'en', 'Part 10': 'en' }],
])('titleOrder() for readers of %s %s', (readers, _rule, ordered) => {
  const titles = Object.entries(ordered).toReversed();
  const capsules = titles.map(([title, language], at) => ({ capsule_id: `${at}`, title, language }));
  expect(titleOrder(capsules, readers).map((number) => titles[number]?.[0])).toEqual(Object.keys(ordered));
});

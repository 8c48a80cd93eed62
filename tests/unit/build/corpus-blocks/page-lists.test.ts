import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { searchFiles } from '../../../../src/build/corpus-blocks/browser-search-index.ts';
import { type BuiltGeneration, buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { pageLists, withLists } from '../../../../src/build/corpus-blocks/divide-records-into-pages.ts';
import { GenerationStore } from '../../../../src/build/corpus-blocks/generation-store.ts';
import { openCorpus as openBuilt } from '../../../../src/build/make-publication.ts';
import { browseCapsules } from '../../../../src/gateway/knowledge/browse-capsules.ts';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { BlockCache, BlockLoader } from '../../../../src/gateway/knowledge/load-block.ts';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { findCapsule, similarCapsules } from '../../../../src/gateway/knowledge/read-capsule.ts';
import { readLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import { isList, PageDirectory } from '../../../../src/gateway/knowledge/record-pages.ts';
import { readSearchAsTyped, readSearchPage } from '../../../../src/gateway/knowledge/search-results-page.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import { freePart } from '../../../../src/publication/publish/published-capsules.ts';
import {
  type BlockReference,
  type DocumentPageReference,
  GenerationManifest,
  type PageReference,
} from '../../../../src/schemas/knowledge/generation-manifest.ts';
import { GENERATION_FORMATS } from '../../../../src/schemas/knowledge/kinds-and-levels.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import type { IndexHead } from '../../../../src/search/format/index-block.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { logOf, ownBlocks } from '../../../support/generations.ts';
import { BASE_URL, expectValue, openCorpus, realCapsules, recordingStore } from '../../gateway/real-generation.ts';
import { day, lost, useNamespace } from '../published-corpus.ts';

/** So that few capsules have lists of lists, and a head of their index that is a block. */
const TINY = { inlineMax: 1, kindMax: 1, listLength: 2, headMaxBytes: 100 };

let capsules: PublishedCapsule[];
let inline: BuiltGeneration;
let listed: BuiltGeneration;
beforeAll(async () => {
  capsules = await realCapsules();
  inline = await buildGeneration(capsules, []);
  listed = await buildGeneration(capsules, [], { lists: TINY });
});

function edited(number: number): PublishedCapsule[] {
  const [first, ...rest] = capsules.slice(0, 30);
  return first === undefined ? [] : [{ ...first, metadata: { ...first.metadata, summary: `Edition ${number}` } }, ...rest];
}

function memoryBlocks() {
  const blocks = new Map<string, Uint8Array>();
  const add = async (bytes: Uint8Array): Promise<BlockReference> => {
    const sha256 = await sha256Hex(bytes);
    blocks.set(sha256, bytes);
    return { sha256, bytes: bytes.length };
  };
  return { blocks, add, loader: new BlockLoader({ read: async (sha256) => blocks.get(sha256) }, new BlockCache(2 ** 24)) };
}

describe('the search files of a site without functions', () => {
  let built: BuiltGeneration;
  let files: NonNullable<Awaited<ReturnType<typeof searchFiles>>>;
  beforeAll(async () => {
    built = await buildGeneration(capsules, [], { isForBrowsers: true });
    const made = await searchFiles(built, capsules.map(freePart), 'static');
    if (made === undefined) throw new Error('there are no search files');
    files = made;
  });

  it('find what functions find, and have what the first letter finds', async () => {
    const { manifest, blocks } = files;
    GenerationManifest.parse(manifest.manifest);
    expect(manifest.manifest.index).toHaveProperty('spellingStarts');
    const inBrowser = openCorpus(manifest, { read: async (sha256) => blocks.get(sha256) });
    const atFunctions = openCorpus(inline, recordingStore(inline));
    const site = { baseUrl: '', offers: [] };
    const never = (): void => undefined;
    for (const query of ['caching', 'how do agents pay', 'a sigantuer of pages', 'zzzqqq']) {
      const found = expectValue(await readSearchPage({ query, page: 1 }, inBrowser, site, never));
      expect(found).toEqual(expectValue(await readSearchPage({ query, page: 1 }, atFunctions, site, never)));
    }
    for (const typed of ['cach', 'sign', 'how do ag'])
      expect(await readSearchAsTyped(typed, undefined, inBrowser, site, never)).toEqual(
        await readSearchAsTyped(typed, undefined, atFunctions, site, never),
      );
    const { c = '' } = manifest.answers ?? {};
    expect(JSON.parse(new TextDecoder().decode(blocks.get(c)))).toEqual(
      expectValue(await readSearchAsTyped('c', undefined, await openBuilt(built), site, never)),
    );
  });

  it('are read little for a few letters: no similar texts, no columns, and few texts', async () => {
    const { index, blocks } = files.manifest.manifest as GenerationManifest & { index: IndexHead };
    const numbers = new Map(blocks.index.map(({ sha256 }, number) => [sha256, number]));
    for (const [typed, isBrief] of [
      ['sig', true],
      ['x', true],
      ['signature', false],
    ] as const) {
      const read: string[] = [];
      const corpus = openCorpus(files.manifest, {
        read: async (sha256) => {
          read.push(sha256);
          return files.blocks.get(sha256);
        },
      });
      const found = expectValue(await readSearchAsTyped(typed, undefined, corpus, { baseUrl: '', offers: [] }, () => undefined));
      expect(found.hits.length > 0).toBe(true);
      if (isBrief) expect(found.hits.length).toBeLessThanOrEqual(2 * 6);
      const ofIndex = read.flatMap((sha256) => numbers.get(sha256) ?? []);
      expect([typed, ofIndex.includes(index.neighbours?.[0] ?? -1)]).toEqual([typed, !isBrief]);
      expect([typed, ofIndex.includes(index.columns?.[0] ?? -1)]).toEqual([typed, false]);
    }
  });
});

const digest = (number: number): string => number.toString(16).padStart(64, '0');
const idOf = (number: number): string => `id-${String(number).padStart(7, '0')}`;

describe('pages in lists', () => {
  const sizes = fc.record({ kindMax: fc.integer({ min: 1, max: 6 }), listLength: fc.integer({ min: 2, max: 9 }) });
  const counts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 0, maxLength: 120 });

  it('are found by position and by key as without lists, for any number of pages', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, counts, async (size, documents) => {
        const { add, loader } = memoryBlocks();
        let start = 0;
        const pages = documents.map((count, number): DocumentPageReference & { start: number } => {
          const page = { sha256: digest(number), bytes: 9, first: idOf(start * 2), documents: count, start };
          start += count;
          return page;
        });
        const flat = pages.map(({ start: _start, ...page }) => page);
        const references = await pageLists(add, size).documents(flat);
        const directory = new PageDirectory(references, loader, ({ documents: items }) => items);
        expect(directory.size).toBe(start);
        const places = Array.from({ length: start }, (_, position) => position);
        const pageAt = (position: number) => pages.findLast((page) => page.start <= position);
        const nameOf = (page: { sha256: string; start: number } | undefined) => page && [page.sha256, page.start];
        const named = (found: Awaited<ReturnType<typeof directory.at>>) =>
          found.map((place) => place && [place.reference.sha256, place.start]);
        expect(named(await directory.at(places))).toEqual(places.map((position) => nameOf(pageAt(position))));
        // Ids between those of two documents are on the page of the lower one.
        const keys = places.flatMap((position) => [idOf(position * 2), idOf(position * 2 + 1)]);
        const held = named(await directory.holding(keys, ({ first }) => first));
        expect(held).toEqual(places.flatMap((position) => [nameOf(pageAt(position)), nameOf(pageAt(position))]));
        if (start > 0) expect(await directory.holding(['a'], ({ first }) => first)).toEqual([undefined]);
        expect(await directory.overlapping()).toEqual(flat);
        const [from, to] = [Math.floor(start / 3), Math.ceil(start / 2)];
        const within = pages.filter((page) => page.start < to && page.start + page.documents > from);
        expect((await directory.overlapping(from, to)).map(({ sha256 }) => sha256)).toEqual(within.map(({ sha256 }) => sha256));
      }),
      { numRuns: 60 },
    );
  });

  it('are in at most a few kilobytes of a manifest, whatever their number', async () => {
    for (const count of [64, 65, 2_000, 100_000]) {
      const { blocks, add } = memoryBlocks();
      const pages = Array.from({ length: count }, (_, number): PageReference => ({ sha256: digest(number), bytes: 65_000 }));
      const references = await pageLists(add).numbered(pages);
      expect(JSON.stringify(references).length).toBeLessThan(10_000);
      expect(references.every(isList)).toBe(count > 64);
      expect(blocks.size).toBe(count > 64 ? Math.ceil(count / 512) + (count > 64 * 512 ? 1 : 0) : 0);
    }
  });

  it('are made only where all kinds together have many pages', async () => {
    const pagesOf = (count: number): PageReference[] => Array.from({ length: count }, (_, at) => ({ sha256: digest(at), bytes: 65_000 }));
    const manifest = (lineages: number, articles: number) => ({
      ...inline.manifest.blocks,
      documents: [],
      lineages: pagesOf(lineages),
      articles: pagesOf(articles),
    });
    const { blocks, add } = memoryBlocks();
    expect(await withLists(manifest(300, 400), add)).toEqual(manifest(300, 400));
    expect(blocks.size).toBe(0);
    const { lineages, articles, changes } = await withLists(manifest(50, 900), add);
    expect([lineages.some(isList), articles?.every(isList), changes.some(isList)]).toEqual([false, true, false]);
  });

  it('change in one list for one changed page, and in at most two for one more', async () => {
    const page = (number: number, version = 0): DocumentPageReference => ({
      sha256: digest(number * 10 + version),
      bytes: 9,
      first: idOf(number),
      documents: 3,
    });
    const pages = Array.from({ length: 4_000 }, (_, number) => page(number * 2));
    const before = memoryBlocks();
    await pageLists(before.add).documents(pages);
    for (const changed of [pages.with(1_234, page(2_468, 1)), pages.toSpliced(1_234, 0, page(2_467)), pages.toSpliced(1_234, 1)]) {
      const after = memoryBlocks();
      await pageLists(after.add).documents(changed);
      expect([...after.blocks.keys()].filter((sha256) => !before.blocks.has(sha256)).length).toBeLessThanOrEqual(2);
    }
  });
});

describe('a generation with lists of pages', () => {
  it('has the same pages, and a short manifest of a format that earlier code refuses', async () => {
    const kinds = async (generation: BuiltGeneration) =>
      (await ownBlocks(generation)).filter(({ kind }) => !['lists', 'index', 'manifest'].includes(kind));
    expect(await kinds(listed)).toEqual(await kinds(inline));
    const blocks = await ownBlocks(listed);
    expect(blocks.map(({ sha256 }) => sha256).sort()).toEqual([...listed.blocks.keys()].sort());
    for (const { sha256, bytes } of blocks) expect(listed.blocks.get(sha256)?.length).toBe(bytes);
    expect(GenerationManifest.parse(listed.manifest)).toEqual(listed.manifest);
    expect([inline.manifest.format, listed.manifest.format]).toEqual([GENERATION_FORMATS.inline, GENERATION_FORMATS.withLists]);
  });

  it('gives the same answers as one without', async () => {
    const answers = async (generation: BuiltGeneration): Promise<string> => {
      const corpus = openCorpus(generation, recordingStore(generation));
      // A cursor names the corpus version, too.
      return JSON.stringify(await answersOf(corpus))
        .replaceAll(generation.version, 'VERSION')
        .replaceAll(/"next_cursor":"[^"]*"/g, 'CURSOR');
    };
    expect((await answers(listed)) === (await answers(inline))).toBe(true);
  });

  it('reads a list once, and only those that it needs', async () => {
    const store = recordingStore(listed);
    const corpus = openCorpus(listed, store);
    await corpus.newest.capsule('bm25');
    const lists = new Set((await ownBlocks(listed)).flatMap(({ sha256, kind }) => (kind === 'lists' ? [sha256] : [])));
    const read = store.asked.filter((sha256) => lists.has(sha256)).length;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(lists.size);
    await corpus.newest.capsule('bm25');
    expect(store.asked).toHaveLength(read + 1);
  });

  it('is incomplete without one of its lists or the head of its index, and then the generation before it answers', async () => {
    const newer = await buildGeneration(capsules.slice(1), [inline], { changes: logOf(inline), lists: TINY });
    const head = 'head' in newer.manifest.index ? newer.manifest.index.head.sha256 : '';
    for (const [missing, kind] of [
      [newer.manifest.blocks.documents.map(({ sha256 }) => sha256), 'documents'],
      [[head], 'index'],
    ] as const) {
      const store = recordingStore(inline, newer);
      for (const sha256 of missing) store.blocks.delete(sha256);
      const corpus = openCorpus(newer, store);
      const request = QueryRequest.parse({ query: 'bm25' });
      let hasFallenBack = false;
      const answer = await queryKnowledge(request, corpus, BASE_URL, () => {
        hasFallenBack = true;
      });
      expect([expectValue(answer).corpus_version, hasFallenBack]).toEqual([inline.version, true]);
      expect(await corpus.newest.kindOf(missing[0] ?? '')).toBe(kind);
    }
  });
});

async function answersOf(corpus: Corpus): Promise<unknown[]> {
  const request = QueryRequest.parse({ query: 'how are documents ranked', max_results: 20, facets: ['tags'] });
  const { newest } = corpus;
  return [
    await queryKnowledge(request, corpus, BASE_URL),
    await browseCapsules({ limit: 100 }, corpus, BASE_URL),
    await similarCapsules('bm25', corpus, BASE_URL),
    await newest.changes(0, 1_000),
    await newest.changes(20, 15),
    ...(await Promise.all(capsules.map(({ id }) => readLineage({ id, hasCursors: true }, corpus)))),
    ...(await Promise.all(
      capsules.flatMap(({ id, versions }) => versions.map(({ metadata }) => findCapsule(id, metadata.version, newest))),
    )),
    await newest.newestOf(['a', 'zz', 'no-such-capsule', 'bm25']),
  ];
}

describe('publishing lists of pages', () => {
  const { namespace, freshMachine } = useNamespace();

  it('writes them, keeps what they name for as long as a generation needs it, and deletes it then', async () => {
    const machine = await freshMachine();
    const built: BuiltGeneration[] = [];
    for (let number = 0; number < 6; number += 1) {
      // The first two without lists, as earlier versions of the engine publish.
      built.unshift(await machine.build(edited(number), number < 2 ? undefined : TINY));
      await machine.publish(day(number * 10), 'none');
    }
    const notes = (await namespace().list()).map(({ note }) => note?.kind);
    expect(notes.filter((kind) => kind === 'lists').length).toBeGreaterThan(4);
    expect(await lost(namespace(), built)).toEqual([]);
    const { removed } = await machine.publish(day(75), { version: built[0]?.version ?? '' });
    expect(removed).toBeGreaterThan(0);
    expect(await lost(namespace(), built.slice(0, 5))).toEqual([]);
    expect((await lost(namespace(), built.slice(5))).length).toBeGreaterThan(0);
  });

  it('deletes nothing while a list of the live generation cannot be read', async () => {
    const machine = await freshMachine();
    const live = await machine.build(edited(0), TINY);
    await machine.publish(day(0), 'none');
    for (let number = 1; number < 5; number += 1) await machine.build(edited(number), TINY);
    await namespace().remove([live.manifest.blocks.documents[0]?.sha256 ?? '']);
    expect((await machine.publish(day(100), { version: live.version }, { dropEarlier: true })).removed).toBe(0);
    expect(machine.lines.join('\n')).toContain('nothing is deleted, because the list of pages');
  });

  it('restores them on another machine, which continues the log and knows every block', async () => {
    const machine = await freshMachine();
    const first = await machine.build(edited(1));
    await machine.publish(day(0), 'none');
    const second = await machine.build(edited(2), TINY);
    await machine.publish(day(1), 'none');
    const fresh = await freshMachine();
    expect(await fresh.restore()).toBe(2);
    expect(await fresh.store.changes()).toEqual(logOf(inOne(second)));
    const newest = await fresh.build(edited(3), TINY);
    expect(newest.manifest.previous).toEqual([second.version, first.version]);
    await fresh.publish(day(2), { version: second.version });
    expect(await lost(namespace(), [newest, second, first])).toEqual([]);
  });

  it('is whole on a machine only with every block that a list names', async () => {
    const machine = await freshMachine();
    const built = await machine.build(edited(1), TINY);
    const page = (await ownBlocks(built)).find(({ kind }) => kind === 'documents')?.sha256 ?? '';
    expect(machine.store).toBeInstanceOf(GenerationStore);
    expect(await machine.store.wholeHistory()).toHaveLength(1);
    expect((await machine.store.blocksOf(built)).map(({ sha256 }) => sha256)).toContain(page);
  });
});

function inOne({ manifest, blocks }: BuiltGeneration): Pick<BuiltGeneration, 'manifest' | 'blocks'> {
  const pagesOf = (references: readonly { readonly sha256: string; readonly pages?: number | undefined }[]): typeof references =>
    references.flatMap((reference) =>
      isList(reference as PageReference) ? pagesOf(JSON.parse(new TextDecoder().decode(blocks.get(reference.sha256)))) : [reference],
    );
  const changes = pagesOf(manifest.blocks.changes) as typeof manifest.blocks.changes;
  return { manifest: { ...manifest, blocks: { ...manifest.blocks, changes } }, blocks };
}

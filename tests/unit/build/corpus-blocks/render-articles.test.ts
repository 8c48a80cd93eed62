import { beforeAll, describe, expect, it } from 'vitest';
import { buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { type ArticleRecord, renderArticles } from '../../../../src/build/corpus-blocks/render-articles.ts';
import { freePart } from '../../../../src/publication/publish/published-capsules.ts';
import { interfaceLanguage } from '../../../../src/publication/read/strings-file.ts';
import type { FreeCapsule, PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { ownBlocks } from '../../../support/generations.ts';
import { realCapsules } from '../../gateway/real-generation.ts';

const LANGUAGE = interfaceLanguage('en');

const textsOf = async (records: readonly ArticleRecord[]): Promise<Map<string, string>> =>
  new Map(await Promise.all(records.map(async ({ id, load }) => [id, JSON.stringify(await load())] as const)));

const withoutColours = (texts: ReadonlyMap<string, string>): string[] =>
  [...texts.values()].map((text) => text.replace(/<span class=\\"hl-[a-z-]+\\">([^<]*)<\/span>/g, '$1'));

let published: readonly PublishedCapsule[];
let capsules: readonly FreeCapsule[];
let records: readonly ArticleRecord[];
beforeAll(async () => {
  // Rendering takes longest of all in a build: some free texts, and those that are sold.
  const all = await realCapsules();
  published = all.filter(({ metadata }, at) => metadata.access === 'paid' || at < 20);
  capsules = published.map(freePart);
  records = await renderArticles(capsules, LANGUAGE, { threads: 0 });
});

describe('renderArticles()', () => {
  it('renders every free text, and no text that is sold', async () => {
    const free = capsules.filter(({ metadata }) => metadata.access === 'public');
    expect(records.map(({ id }) => id)).toEqual(free.map(({ id }) => id));
    for (const { load } of records) expect((await load()).html).toMatch(/^<(?:p|aside class="notes" role="note")>/);
    for (const { bytes, load } of records) expect(bytes).toBe(Buffer.byteLength(JSON.stringify(await load())));
  });

  it('gives the same records from a thread', async () => {
    const [some, known] = [capsules.slice(0, 12), records.slice(0, 12)];
    const onThreads = await textsOf(await renderArticles(some, LANGUAGE, { threads: 1 }));
    // In a process that has run many tests, the library rarely leaves a word of code without its colour; a build is a process of its own.
    expect(withoutColours(await textsOf(known))).toEqual(withoutColours(onThreads));
  });

  it('gives each text its own record from a thread, also where a later batch is done first', async () => {
    const [capsule] = capsules;
    if (capsule === undefined) throw new Error('no capsule');
    // Only the first batch waits for a library of diagrams.
    const texts = Array.from({ length: 60 }, (_, at) => {
      const markdown = `Text ${at}.\n${at === 0 ? '\n```dot\ndigraph { a -> b }\n```\n' : ''}`;
      return { ...capsule, id: `text-${at}`, markdown, metadata: { ...capsule.metadata, content_sha256: String(at) } };
    });
    const found = await renderArticles(texts, LANGUAGE, { threads: 1 });
    for (const [at, { load }] of found.entries()) expect((await load()).html).toContain(`Text ${at}.`);
  });

  it('stores the text for the page as markdown only where it is not the published one', async () => {
    const [capsule] = capsules;
    if (capsule?.markdown === undefined) throw new Error('no capsule');
    const { title } = capsule.metadata;
    const [written] = await renderArticles([{ ...capsule, markdown: `# ${title}\n\nText.\n` }], LANGUAGE);
    expect(await written?.load()).toMatchObject({ markdown: 'Text.\n' });
    for (const { load } of records) expect(await load()).not.toHaveProperty('markdown');
  });
});

it('a generation with articles has their pages among its blocks, and differs from one without in nothing else', async () => {
  const [files, edge] = [await buildGeneration(published, []), await buildGeneration(published, [], { articles: records })];
  const { articles = [], ...rest } = edge.manifest.blocks;
  expect(articles.length).toBeGreaterThan(0);
  expect(rest).toEqual(files.manifest.blocks);
  expect(files.manifest.blocks).not.toHaveProperty('articles');
  const kinds = (await ownBlocks(edge)).filter(({ kind }) => kind === 'articles');
  expect(kinds.map(({ sha256 }) => sha256)).toEqual(articles.map(({ sha256 }) => sha256));
  for (const { sha256, bytes } of kinds) expect(edge.blocks.get(sha256)?.length).toBe(bytes);
});

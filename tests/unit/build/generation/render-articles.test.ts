import { beforeAll, describe, expect, it } from 'vitest';
import type { PagedRecord } from '../../../../src/build/content/paginate.ts';
import { buildGeneration } from '../../../../src/build/generation/generation.ts';
import { renderArticles } from '../../../../src/build/generation/render-articles.ts';
import { type FreeCapsule, freePart } from '../../../../src/publication/capsules/paid-capsules.ts';
import { interfaceLanguage } from '../../../../src/publication/strings/interface-strings.ts';
import type { Article } from '../../../../src/schemas/knowledge/generation.ts';
import { ownBlocks } from '../../../support/generations.ts';
import { realCapsules } from '../../gateway/real-generation.ts';

const LANGUAGE = interfaceLanguage('en');

const withoutColours = (record: PagedRecord): unknown =>
  JSON.parse(JSON.stringify(record).replace(/<span class=\\"hl-[a-z-]+\\">([^<]*)<\/span>/g, '$1'));

let capsules: readonly FreeCapsule[];
let records: readonly PagedRecord[];
beforeAll(async () => {
  capsules = (await realCapsules()).map(freePart);
  records = await renderArticles(capsules, LANGUAGE, 0);
});

describe('renderArticles()', () => {
  it('renders every free text, and no text that is sold', () => {
    const free = capsules.filter(({ metadata }) => metadata.access === 'public');
    expect(records.map(({ id }) => id)).toEqual(free.map(({ id }) => id));
    for (const { value } of records) expect((value as Article).html).toMatch(/^<p>/);
  });

  it('gives the same records from any number of threads', async () => {
    const [one, two] = await Promise.all([renderArticles(capsules, LANGUAGE, 1), renderArticles(capsules, LANGUAGE, 2)]);
    expect(two).toEqual(one);
    // In a process that has run many tests, the library rarely leaves a word of code without its colour; a build is a process of its own.
    expect(records.map(withoutColours)).toEqual(one.map(withoutColours));
  });

  it('stores the text for the page as markdown only where it is not the published one', async () => {
    const [capsule] = capsules;
    if (capsule?.markdown === undefined) throw new Error('no capsule');
    const { title } = capsule.metadata;
    const [written] = await renderArticles([{ ...capsule, markdown: `# ${title}\n\nText.\n` }], LANGUAGE);
    expect(written?.value).toMatchObject({ markdown: 'Text.\n' });
    expect(records.every(({ value }) => !Object.hasOwn(value as Article, 'markdown'))).toBe(true);
  });
});

describe('a generation with articles', () => {
  it('has their pages among its blocks, and differs from one without in nothing else', async () => {
    const published = await realCapsules();
    const [files, edge] = [await buildGeneration(published, []), await buildGeneration(published, [], { articles: records })];
    const { articles = [], ...rest } = edge.manifest.blocks;
    expect(articles.length).toBeGreaterThan(0);
    expect(rest).toEqual(files.manifest.blocks);
    expect(files.manifest.blocks).not.toHaveProperty('articles');
    const kinds = (await ownBlocks(edge)).filter(({ kind }) => kind === 'articles');
    expect(kinds.map(({ sha256 }) => sha256)).toEqual(articles.map(({ sha256 }) => sha256));
    for (const { sha256, bytes } of kinds) expect(edge.blocks.get(sha256)?.length).toBe(bytes);
  });
});

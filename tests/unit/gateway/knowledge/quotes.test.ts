import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { readCapsule } from '../../../../src/gateway/knowledge/read-capsule.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import type { Capsule } from '../../../../src/schemas/knowledge/capsule.ts';
import { QueryRequest, type QueryResponse } from '../../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { CACHING } from '../ask.ts';
import { type DescribedCapsule, randomCorpus } from '../random-generation.ts';
import { allSummaries, BASE_URL, expectValue, realCorpus } from '../real-generation.ts';

/** What a caller holds to check a quote with: the capsule as it was fetched, and the digest worked out over its text. */
interface Held {
  readonly markdown: string;
  readonly digest: string;
}

async function fetchAll(corpus: Corpus): Promise<Map<string, Held>> {
  const held = new Map<string, Held>();
  for (const { capsule_id } of await allSummaries(corpus)) {
    const answer = JSON.stringify(expectValue(await readCapsule(capsule_id, undefined, corpus, BASE_URL)));
    const { markdown } = JSON.parse(answer) as Capsule;
    held.set(capsule_id, { markdown, digest: await sha256Hex(markdown) });
  }
  return held;
}

/** Half a surrogate pair: a pattern that reads characters finds no whole one. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a place in a text lies between two characters, and not within a surrogate pair. */
const isBetweenCharacters = (text: string, place: number): boolean =>
  !/^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, place - 1), place + 1));

async function expectExactQuotes(query: string, corpus: Corpus, held: ReadonlyMap<string, Held>): Promise<number> {
  const request = QueryRequest.parse({ query, max_results: LIMITS.maxResultsMax });
  const { results } = JSON.parse(JSON.stringify(expectValue(await queryKnowledge(request, corpus, BASE_URL)))) as QueryResponse;
  for (const { capsule_id, content_sha256, quote, answer, highlights } of results) {
    const { markdown, digest } = held.get(capsule_id) as Held;
    const { start, end, text } = quote;
    const inside = highlights.every((range, at) => range.start >= (highlights[at - 1]?.end ?? 0) && range.start < range.end);
    const places = [start, end, ...highlights.flatMap((range) => [start + range.start, start + range.end])];
    expect({
      text: markdown.slice(start, end),
      answer: answer && { ...answer, text: markdown.slice(Math.max(start, answer.start), Math.min(end, answer.end)) },
      content_sha256: digest,
      bounds: [0 <= start, start <= end, end <= markdown.length, end - start <= LIMITS.quoteUnsureLength],
      highlights: inside && (highlights.at(-1)?.end ?? 0) <= text.length,
      split: places.filter((place) => !isBetweenCharacters(markdown, place)),
      wellFormed: !LONE_SURROGATE.test(text),
    }).toEqual({ text, answer, content_sha256, bounds: [true, true, true, true], highlights: true, split: [], wellFormed: true });
  }
  return results.length;
}

describe('quotes from the capsules of the project', () => {
  let corpus: Corpus;
  let held: Map<string, Held>;
  let titles: string[];
  beforeAll(async () => {
    ({ corpus } = await realCorpus());
    titles = (await allSummaries(corpus)).map(({ title }) => title);
    held = await fetchAll(corpus);
  });

  test('are cut exactly out of the text of the stated digest, for the title of every capsule', async () => {
    let quotes = 0;
    for (const title of titles) quotes += await expectExactQuotes(title, corpus, held);
    expect(quotes).toBeGreaterThan(titles.length * 10);
  });

  test('and for random runs of words of every capsule', async () => {
    const run = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 12 }));
    for (const { markdown } of held.values()) {
      const words = markdown.split(/\s+/).filter((word) => word !== '');
      await fc.assert(
        fc.asyncProperty(run, async ([at, length]) => {
          const from = at % words.length;
          await expectExactQuotes(
            words
              .slice(from, from + length)
              .join(' ')
              .slice(0, LIMITS.queryMaxLength),
            corpus,
            held,
          );
        }),
        { numRuns: 2 },
      );
    }
  });
});

/** What is hard to cut: characters of several code units or code points, marks without a letter, turned writing, controls, long words. */
const HARD_WORDS = [
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}',
  '\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}',
  '\u{1f44d}\u{1f3fd}',
  'cafe\u0301',
  `z${'\u0301\u0316\u20dd'.repeat(40)}`,
  '\u0301\u0308',
  '\u202efdp.exe\u202c',
  '\u2066\u05d0\u05d1\u05d2\u2069',
  '\u0627\u0644\u0639\u0631\u0628\u064a\u0629',
  'bell\u0007back\u0008esc\u001b[31m',
  'soft\u00adhyphen\u200bzero\u2060width',
  '\u{1d538}\u{1d539}\u{1d53a}',
  '\u{20000}\u{20001}\u{2a6a5}',
  '\u{10400}\u{10428}',
  '\u{1d4b3}'.repeat(400),
  'x'.repeat(2_000),
  '\u77e5\u8bc6\u80f6\u56ca',
  '\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22',
  '\u1112\u1161\u11ab\u1100\u1173\u11af',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '`code`',
  '[^1]',
  'plain',
  'word.',
];
const hardText = fc
  .array(fc.tuple(fc.constantFrom(...HARD_WORDS), fc.constantFrom(' ', ' ', '', '\n\n', '. ', '\u3002', '\u00a0')), {
    minLength: 1,
    maxLength: 40,
  })
  .map((words) => words.map((parts) => parts.join('')).join(''));
const hardCapsule = fc
  .record({
    title: hardText,
    summary: hardText,
    sections: fc.array(fc.tuple(fc.constantFrom(...HARD_WORDS), hardText), { maxLength: 3 }),
    language: fc.constantFrom('en', 'de', 'ar', 'zh'),
  })
  .map((hard): DescribedCapsule => ({ ...CACHING, ...hard }));

function cutOut(texts: readonly string[], cuts: readonly (readonly [number, number, number])[]): string[] {
  return cuts.flatMap(([which, at, length]) => {
    const characters = [...(texts[which % texts.length] ?? '')];
    const from = at % Math.max(1, characters.length);
    const query = characters.slice(from, from + length).join('');
    return QueryRequest.safeParse({ query }).success ? [query] : [];
  });
}

describe('quotes from texts that are hard to cut', () => {
  test('are exact for queries that were cut out of them', async () => {
    const cuts = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 60 })), { minLength: 4, maxLength: 8 });
    let quotes = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(hardCapsule, { minLength: 1, maxLength: 5 }), cuts, async (described, places) => {
        const corpus = await randomCorpus(described);
        const held = await fetchAll(corpus);
        for (const { markdown } of held.values()) expect(LONE_SURROGATE.test(markdown)).toBe(false);
        const queries = cutOut(
          [...held.values()].map(({ markdown }) => markdown),
          places,
        );
        for (const query of queries) quotes += await expectExactQuotes(query, corpus, held);
      }),
      { numRuns: 40 },
    );
    expect(quotes).toBeGreaterThan(0);
  });

  test('are exact for every hard word alone', async () => {
    const corpus = await randomCorpus(
      HARD_WORDS.map((word) => ({
        ...CACHING,
        title: 'Hard words',
        summary: `plain ${word}${word} ${word}`,
        sections: [[word, `${word} `.repeat(40)]],
      })),
    );
    const held = await fetchAll(corpus);
    for (const query of cutOut(
      HARD_WORDS,
      HARD_WORDS.map((_, which) => [which, 0, 500]),
    ))
      await expectExactQuotes(query, corpus, held);
    expect(await expectExactQuotes('plain', corpus, held)).toBe(HARD_WORDS.length);
  });
});

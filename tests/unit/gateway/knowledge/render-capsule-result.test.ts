import { beforeAll, describe, expect, it } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge, queryKnowledgeText } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { type FoundDocument, ResultRenderer, type ResultShape } from '../../../../src/gateway/knowledge/render-capsule-result.ts';
import type { StoredVersion } from '../../../../src/schemas/knowledge/generation-manifest.ts';
import { QueryRequest, QueryResponse, QueryResult } from '../../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import { BASE_URL, expectValue, realCorpus } from '../real-generation.ts';

let corpus: Corpus;
let stored: StoredVersion;
let text: string;
beforeAll(async () => {
  ({ corpus } = await realCorpus());
  const [first] = await corpus.newest.capsules([0]);
  if (first?.markdown === undefined) throw new Error('the sample content has no capsule that is free to read');
  stored = first;
  text = first.markdown;
});

const SHAPE: ResultShape = { quoteLength: LIMITS.quoteDefaultLength, unsureQuoteLength: LIMITS.quoteUnsureLength, passages: 0 };
const longTerms = () => [...new Set(text.toLowerCase().match(/[a-z]{6,}/g))].slice(0, 5);
const found = (terms: readonly string[], more: Partial<FoundDocument> = {}): FoundDocument => ({
  query: { question: terms.join(' '), terms, known: terms.length, weights: terms.map(() => 1) },
  mayAnswer: true,
  score: 7,
  match: { level: 'partial', share: 0.5 },
  ...more,
});

describe('ResultRenderer', () => {
  it('writes results of the published form, with their lengths as UTF-8', () => {
    const texts = [text, `${text}\n\nÜber „Straße“ — 東京 🚀 quoted`, 'ü'];
    for (const markdown of texts) {
      const capsule = new ResultRenderer({ metadata: { ...stored.metadata, title: `Ü ${stored.metadata.title}` }, markdown });
      for (const terms of [longTerms(), ['quot'], []]) {
        const { json, bytes } = capsule.result(found(terms), SHAPE, BASE_URL);
        const result = JSON.parse(json) as QueryResult;
        expect(QueryResult.parse(result)).toEqual(result);
        expect(JSON.stringify(result)).toBe(json);
        expect(bytes).toBe(new TextEncoder().encode(json).length);
        expect(result).toMatchObject({ score: 7, quote: { text: markdown.slice(result.quote.start, result.quote.end) } });
      }
    }
  });

  it('states an answer where it may, of a current text that can be read', () => {
    const markdown = 'Gateways retry webhooks. Nothing else is said.';
    const { metadata } = stored;
    const answerOf = (version: StoredVersion, more: Partial<FoundDocument> = {}): string | undefined =>
      (JSON.parse(new ResultRenderer(version).result(found(['gateway', 'retri', 'webhook'], more), SHAPE, BASE_URL).json) as QueryResult)
        .answer?.text;
    expect(answerOf({ metadata, markdown })).toBe('Gateways retry webhooks.');
    expect(answerOf({ metadata, markdown }, { mayAnswer: false })).toBeUndefined();
    expect(answerOf({ metadata, markdown }, { match: { level: 'weak', share: 0.1 } })).toBeUndefined();
    expect(answerOf({ metadata: { ...metadata, status: 'superseded' }, markdown })).toBeUndefined();
    expect(answerOf({ metadata: { ...metadata, summary: markdown } })).toBeUndefined();
  });

  it('writes the addresses of the service that it is asked for, and how the score came about where that is asked for', () => {
    const capsule = new ResultRenderer(stored);
    const explanation = { parts: [] };
    for (const base of ['https://one.example', 'https://another.example', 'https://one.example']) {
      const result = JSON.parse(capsule.result(found([], { explanation }), SHAPE, base).json) as QueryResult;
      expect([result.url, result.markdown_url, result.lineage_url, result.related_url].every((url) => url?.startsWith(`${base}/`))).toBe(
        true,
      );
      expect(result.explanation).toEqual(explanation);
    }
  });

  it('writes as many passages as are asked for, the first of which is the quote, and keeps the named members in their order', () => {
    const markdown = `${Array.from({ length: 9 }, (_, n) => `## Part ${n}\n\nWords about caches in part ${n}.`).join('\n\n')}\n`;
    const anchors = [...markdown.matchAll(/^## Part \d/gm)].map(({ 0: heading, index }): [number, string] => [
      index,
      heading.slice(3).toLowerCase().replace(' ', '-'),
    ]);
    const capsule = new ResultRenderer({ metadata: stored.metadata, markdown, anchors });
    const whole = JSON.parse(capsule.result(found(['cach']), { ...SHAPE, passages: 3 }, BASE_URL).json) as QueryResult;
    expect(QueryResult.parse(whole)).toEqual(whole);
    expect(whole.passages).toHaveLength(3);
    expect(whole.passages?.[0]).toMatchObject(whole.quote);
    for (const { start, end, text, headings, url } of whole.passages ?? []) {
      expect(text).toBe(markdown.slice(start, end));
      expect(url).toBe(`${whole.url}#${headings.at(-1)?.toLowerCase().replace(' ', '-')}`);
    }
    const fields = new Set(['capsule_id', 'passages', 'title']);
    const { json, bytes } = capsule.result(found(['cach']), { ...SHAPE, passages: 2, fields }, BASE_URL);
    expect(json).toBe(JSON.stringify({ capsule_id: whole.capsule_id, title: whole.title, passages: whole.passages?.slice(0, 2) }));
    expect(bytes).toBe(Buffer.byteLength(json));
  });

  it('has as the address of a passage the last heading before it, and the page before the first one', () => {
    const markdown = `Caches first.\n\n## A\n\n${'Nothing is said. '.repeat(9)}\n\nCaches again.\n\n## B\n\nNothing.\n`;
    const anchors = ['a', 'b'].map((name): [number, string] => [markdown.indexOf(`## ${name.toUpperCase()}`), name]);
    const capsule = new ResultRenderer({ metadata: stored.metadata, markdown, anchors });
    const shape = { quoteLength: LIMITS.quoteMinLength, unsureQuoteLength: LIMITS.quoteMinLength, passages: 2 };
    const { passages, url } = JSON.parse(capsule.result(found(['cach']), shape, BASE_URL).json) as QueryResult;
    expect(passages?.map((passage) => [passage.text, passage.url])).toEqual([
      [expect.stringMatching(/^Caches first/), url],
      [expect.stringMatching(/Caches again/), `${url}#a`],
    ]);
  });

  it('is made once for a capsule as long as that is kept', async () => {
    const [again] = await corpus.newest.capsules([0]);
    expect(again).toBe(stored);
    expect(corpus.renderer(stored)).toBe(corpus.renderer(stored));
  });
});

it('queryKnowledgeText() is the JSON of the answer, member for member', async () => {
  const requests = [
    { query: 'cache' },
    { query: 'cached answer', explain: true, facets: ['type'], max_results: 2 },
    { query: 'cache', token_budget: 300 },
    { query: 'zzzz qqqq' },
  ];
  for (const body of requests) {
    const request = QueryRequest.parse(body);
    const text = expectValue(await queryKnowledgeText(request, corpus, { baseUrl: BASE_URL, offers: [] }));
    const answer = expectValue(await queryKnowledge(request, corpus, BASE_URL));
    expect(QueryResponse.parse(answer)).toEqual(answer);
    expect(JSON.stringify(answer)).toBe(text);
    expect(expectValue(await queryKnowledgeText(request, (await realCorpus()).corpus, { baseUrl: BASE_URL, offers: [] }))).toBe(text);
  }
});

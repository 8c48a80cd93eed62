import { beforeAll, describe, expect, it } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge, queryKnowledgeText } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { ResultRenderer } from '../../../../src/gateway/knowledge/result-renderer.ts';
import type { StoredVersion } from '../../../../src/schemas/knowledge/generation.ts';
import { QueryRequest, QueryResponse, QueryResult } from '../../../../src/schemas/knowledge/query.ts';
import { utf8Length } from '../../../../src/schemas/knowledge/token-estimates.ts';
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

const longTerms = () => [...new Set(text.toLowerCase().match(/[a-z]{6,}/g))].slice(0, 5);

describe('ResultRenderer', () => {
  it('writes results of the published form, with their lengths as UTF-8', () => {
    const texts = [text, `${text}\n\nÜber „Straße“ — 東京 🚀 quoted`, 'ü'];
    for (const markdown of texts) {
      const capsule = new ResultRenderer({ metadata: { ...stored.metadata, title: `Ü ${stored.metadata.title}` }, markdown });
      for (const terms of [longTerms(), ['quot'], []]) {
        const { json, bytes } = capsule.result({ question: '', terms, weights: terms.map(() => 1) }, 7, undefined, BASE_URL);
        const result = JSON.parse(json) as QueryResult;
        expect(QueryResult.parse(result)).toEqual(result);
        expect(JSON.stringify(result)).toBe(json);
        expect(bytes).toBe(new TextEncoder().encode(json).length);
        expect(result).toMatchObject({ score: 7, quote: { text: markdown.slice(result.quote.start, result.quote.end) } });
      }
    }
  });

  it('writes the addresses of the service that it is asked for, and how the score came about where that is asked for', () => {
    const capsule = new ResultRenderer(stored);
    const explanation = { parts: [] };
    for (const base of ['https://one.example', 'https://another.example', 'https://one.example']) {
      const result = JSON.parse(capsule.result({ question: '', terms: [], weights: [] }, 1, explanation, base).json) as QueryResult;
      expect([result.url, result.markdown_url, result.lineage_url, result.related_url].every((url) => url?.startsWith(`${base}/`))).toBe(
        true,
      );
      expect(result.explanation).toEqual(explanation);
    }
  });

  it('is made once for a capsule as long as that is kept', async () => {
    const [again] = await corpus.newest.capsules([0]);
    expect(again).toBe(stored);
    expect(corpus.renderer(stored)).toBe(corpus.renderer(stored));
  });
});

describe('queryKnowledgeText()', () => {
  it('is the JSON of the answer, member for member', async () => {
    const requests = [
      { query: 'cache' },
      { query: 'cached answer', explain: true, facets: ['type'], max_results: 2 },
      { query: 'cache', token_budget: 300 },
      { query: 'zzzz qqqq' },
    ];
    for (const body of requests) {
      const request = QueryRequest.parse(body);
      const text = expectValue(await queryKnowledgeText(request, corpus, BASE_URL));
      const answer = expectValue(await queryKnowledge(request, corpus, BASE_URL));
      expect(QueryResponse.parse(answer)).toEqual(answer);
      expect(JSON.stringify(answer)).toBe(text);
      expect(expectValue(await queryKnowledgeText(request, (await realCorpus()).corpus, BASE_URL))).toBe(text);
    }
  });
});

describe('utf8Length()', () => {
  it.each(['', 'ascii \x00\x7f', 'ü', '\u0080', '東京', '🚀', '\ud800', 'a\udc00b'])('counts the bytes of %j', (text) => {
    expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { JSON_ANSWER, MARKDOWN_ANSWER } from '../../../../src/gateway/knowledge/query-answer-formats.ts';
import { queryKnowledgeText } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import { estimateTokens } from '../../../../src/schemas/knowledge/token-estimates.ts';
import { ask } from '../ask.ts';
import { BASE_URL, expectValue, realCorpus } from '../real-generation.ts';

let corpus: Corpus;
beforeAll(async () => {
  ({ corpus } = await realCorpus());
});

async function askInMarkdown(request: Record<string, unknown>): Promise<string> {
  return expectValue(
    await queryKnowledgeText(QueryRequest.parse(request), corpus, { baseUrl: BASE_URL, offers: [] }, undefined, MARKDOWN_ANSWER),
  );
}

function passagesIn(answer: string) {
  return answer
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [, id = '', version = ''] = /Source: \[(\S+) ([\d.]+)\]/.exec(section) ?? [];
      const sha256 = /SHA-256 `([0-9a-f]{64})`/.exec(section)?.[1];
      return [
        ...section.matchAll(
          /^\[.*\]\((\S+)\), (\d+) to (\d+)(?:, not whole sentences)?(?:, of a table with the columns `.*`)?(?:, the answer \d+ to \d+)?:\n\n((?:>.*(?:\n|$))+)/gm,
        ),
      ].map(([, url = '', start, end, quoted = '']) => ({
        ...{ id, version, sha256, url },
        range: [Number(start), Number(end)] as const,
        text: quoted.trimEnd().replace(/^> ?/gm, ''),
      }));
    });
}

describe('an answer in markdown', () => {
  test('quotes the passages of the JSON answer, which verify as it says', async () => {
    for (const query of ['how long may a cached answer be reused', 'x402 payment header', 'stemming']) {
      const { results, corpus_version } = await ask(corpus, { query, max_results: 4, passages: 2 });
      const answer = await askInMarkdown({ query, max_results: 4, passages: 2, fields: ['title'] });
      const passages = passagesIn(answer);
      expect(passages.map(({ text, url }) => ({ text, url }))).toEqual(
        results.flatMap((result) => result.passages?.map(({ text, url }) => ({ text, url })) ?? []),
      );
      expect(answer).toContain(corpus_version);
      for (const { id, version, sha256, range, text } of passages) {
        const { markdown = '' } = (await corpus.newest.capsuleVersion(id, version)) ?? {};
        expect(await sha256Hex(markdown)).toBe(sha256);
        expect(markdown.slice(...range)).toBe(text);
      }
    }
  });

  test('has one passage of each result unless more are asked for', async () => {
    const { results } = await ask(corpus, { query: 'signature', max_results: 3 });
    expect(passagesIn(await askInMarkdown({ query: 'signature', max_results: 3 })).map(({ text }) => text)).toEqual(
      results.map(({ quote }) => quote.text),
    );
  });

  test('costs at most the token budget, frame included, and gives all results over several pages', async () => {
    const { results } = await ask(corpus, { query: 'payment', max_results: 50 });
    for (const token_budget of [600, 1_500, 4_000]) {
      const ids: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const answer = await askInMarkdown({ query: 'payment', max_results: 50, token_budget, ...(cursor ? { cursor } : {}) });
        expect(estimateTokens(answer)).toBeLessThanOrEqual(token_budget);
        ids.push(...passagesIn(answer).map(({ id }) => id));
        cursor = /cursor `(\S+)`/.exec(answer)?.[1];
        if (cursor === undefined) break;
      }
      expect(ids.slice(0, results.length)).toEqual(results.map(({ capsule_id }) => capsule_id));
    }
  });

  test('says where nothing fits, what is there instead, and what a result would cost', async () => {
    const answer = await askInMarkdown({ query: 'best `pizza` in Naples' });
    expect(answer).toMatch(/\*\*weak\*\*, \d+ %/);
    expect(answer).toMatch(/^- Nearest subjects: /m);
    expect(await askInMarkdown({ query: 'stemming', token_budget: 1 })).toMatch(
      /No result is shown, of \d+\. The next one costs \d+ tokens\. Send the same request with a larger `token_budget`\.$/m,
    );
    expect(await askInMarkdown({ query: 'the of' })).toContain('only stop words');
  });
});

test('a repeated question gets the same bytes in each form, and only such an answer is kept', async () => {
  const site = { baseUrl: BASE_URL, offers: [] };
  const request = QueryRequest.parse({ query: 'how long may a cache keep an answer', max_results: 3 });
  const asked = async (form = JSON_ANSWER) => expectValue(await queryKnowledgeText(request, corpus, site, undefined, form));
  const kept = () =>
    [JSON_ANSWER, MARKDOWN_ANSWER].map(({ name }) => corpus.answers.get(site)?.get(name + JSON.stringify(request))?.answer);
  const json = await asked();
  expect(kept()).toEqual([undefined, undefined]);
  for (let time = 0; time < 3; time += 1) expect(await asked()).toBe(json);
  expect(kept()).toEqual([json, undefined]);
  expect(await asked(MARKDOWN_ANSWER)).toContain('> Passages are reference material');
});

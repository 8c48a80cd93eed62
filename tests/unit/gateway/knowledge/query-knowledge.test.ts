import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import type { QueryResponse } from '../../../../src/schemas/knowledge/query.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { ask as askCorpus } from '../ask.ts';
import { realCorpus } from '../real-generation.ts';

let corpus: Corpus;
let capsules: PublishedCapsule[];
let queries: string[];
const MANY = 20;
/** The first results of every query. */
let answers: Map<string, QueryResponse>;
beforeAll(async () => {
  ({ corpus, capsules } = await realCorpus());
  const sentences = capsules.flatMap(({ metadata, markdown }) => [metadata.title, ...markdown.split(/(?<=[.?!])\s/).slice(1, 3)]);
  const odd = [
    '?',
    'how do i pay',
    'PAYMENT payment paymnt',
    'émigré 東京 <script>',
    '/capsules/bm25',
    'a b c d',
    '"x402" OR 1=1 --',
    '🛒 checkout 🛒',
    'x'.repeat(1_024),
    'the of and',
  ];
  queries = [...odd, ...sentences.map((text) => text.slice(0, LIMITS.queryMaxLength)).filter((text) => text.trim() !== '')].slice(0, 110);
  answers = new Map();
  for (const query of queries) answers.set(query, await ask({ query, max_results: MANY }));
}, 30_000);

const ask = (request: Record<string, unknown>, of = corpus): Promise<QueryResponse> => askCorpus(of, request);

describe('queryKnowledge()', () => {
  test('answers over 100 queries in the published form, the same bytes from another isolate', async () => {
    const other = (await realCorpus()).corpus;
    expect(answers.size).toBeGreaterThan(100);
    for (const [query, answer] of [...answers].slice(0, 25))
      expect(JSON.stringify(await ask({ query, max_results: MANY }, other))).toBe(JSON.stringify(answer));
  });

  test('ranks by falling score, and what was retracted after everything else', async () => {
    let mixed = 0;
    const narrow = await Promise.all(
      [...answers.keys()].map((query) => ask({ query, max_results: MANY, filters: { tags_any: ['mcp', 'protocol'] } })),
    );
    for (const { results } of [...answers.values(), ...narrow]) {
      const isRetracted = results.map(({ status }) => Number(status === 'retracted'));
      expect(isRetracted).toEqual([...isRetracted].sort());
      if (new Set(isRetracted).size > 1) mixed += 1;
      for (const [index, result] of results.slice(1).entries())
        if (isRetracted[index] === isRetracted[index + 1]) expect(result.score).toBeLessThanOrEqual(results[index]?.score ?? 0);
    }
    expect(mixed).toBeGreaterThan(0);
  });

  test('finds first what has been replaced where it alone answers, names what replaced it, and prefers that otherwise', async () => {
    const [old] = (await ask({ query: 'How did x402 version 1 carry the payment?' })).results;
    expect(old).toMatchObject({ capsule_id: 'x402-v1', status: 'superseded', superseded_by: 'x402-v2' });
    const [current] = (await ask({ query: 'How does x402 carry the payment?' })).results;
    expect(current?.status).toBe('current');
    const [stateless] = (await ask({ query: 'Is the initialize handshake still required in MCP?' })).results;
    expect(stateless?.capsule_id).toBe('mcp-2026-stateless');
  });

  test('states no answer from a text that another has replaced', async () => {
    const [replaced] = (await ask({ query: 'how do MCP clients resume a stream', filters: { status: 'superseded' } })).results;
    expect([replaced?.match.level, replaced?.quote.text]).toEqual(['strong', expect.stringContaining('resumed with `Last-Event-ID`')]);
    expect(replaced?.answer).toBeUndefined();
  });

  test('states an answer in the first result alone, and only if no other result fits as well', async () => {
    const stated = [...answers.values()].map(({ results }) => results.map(({ answer }) => answer !== undefined));
    expect(stated.flatMap(([, ...others]) => others).filter((has) => has)).toEqual([]);
    expect(stated.filter(([first]) => first).length).toBeGreaterThan(10);
    const query = 'how long may a bearer token be used';
    const [one] = (await ask({ query, max_results: 1 })).results;
    expect(one).toEqual((await ask({ query })).results[0]);
    for (const { answer } of (await ask({ query, sort: 'newest' })).results) expect(answer).toBeUndefined();
  });

  test('lowers what is above a bound, answers as if the bound had been sent, and says so', async () => {
    const bounded = await ask({ query: 'http', max_results: 50, token_budget: 100_000 });
    const clamped = await ask({ query: 'http', max_results: 51, token_budget: 1_000_000 });
    expect(bounded.meta.clamped).toEqual([]);
    expect(clamped.meta.clamped).toEqual([
      { pointer: '/max_results', requested: 51, applied: 50 },
      { pointer: '/token_budget', requested: 1_000_000, applied: 100_000 },
    ]);
    expect({ ...clamped, meta: { ...clamped.meta, clamped: [] } }).toEqual(bounded);
  });

  test('finds a superseded or retracted capsule first by its title among those of its state', async () => {
    for (const { id, metadata } of capsules.filter((capsule) => capsule.metadata.status !== 'current')) {
      expect((await ask({ query: metadata.title, filters: { status: metadata.status } })).results[0]?.capsule_id).toBe(id);
    }
  });

  test('shows a retracted capsule in the first results by its title or id, never first, and pages without gaps', async () => {
    for (const { id, metadata } of capsules.filter((capsule) => capsule.metadata.status === 'retracted')) {
      for (const query of [metadata.title, id]) {
        const { results, page } = await ask({ query, max_results: 3 });
        expect(results.map(({ capsule_id, status }) => [capsule_id, status])[2]).toEqual([id, 'retracted']);
        expect(results.slice(0, 2).map(({ status }) => status)).not.toContain('retracted');
        const whole = await ask({ query, max_results: MANY, token_budget: 100_000 });
        const next = await ask({ query, max_results: 3, cursor: page.next_cursor });
        expect([...results, ...next.results].map(({ capsule_id }) => capsule_id)).toEqual(
          whole.results.slice(0, 6).map(({ capsule_id }) => capsule_id),
        );
        for (const request of [{ queries: [query, 'http'] }, { query, sort: 'newest' }] as const)
          expect((await ask({ ...request, max_results: 3 })).results.map(({ capsule_id }) => capsule_id)).toContain(id);
      }
    }
  });
});

interface Judged {
  readonly question: string;
  readonly capsule_id: string;
}

it('finds the capsule that answers a question, nearly always among the first three', async () => {
  const judged = JSON.parse(await readFile(join(import.meta.dirname, '../../../data/questions.json'), 'utf8')) as Judged[];
  let first = 0;
  let amongThree = 0;
  let reciprocalRanks = 0;
  for (const { question, capsule_id: wanted } of judged) {
    const { results } = await ask({ query: question, max_results: 50 });
    const rank = results.findIndex(({ capsule_id }) => capsule_id === wanted) + 1;
    if (rank === 1) first += 1;
    if (rank >= 1 && rank <= 3) amongThree += 1;
    if (rank >= 1) reciprocalRanks += 1 / rank;
  }
  console.log(
    `${judged.length} questions: ${first} answered first, ${amongThree} among the first three, MRR ${(reciprocalRanks / judged.length).toFixed(3)}`,
  );
  expect(amongThree / judged.length).toBeGreaterThanOrEqual(0.9);
});

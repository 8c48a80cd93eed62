import { describe, expect, test } from 'vitest';
import type { BuiltGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import type { AuthoredCapsule, AuthoredContent } from '../../../src/publication/authored-content.ts';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import type { Requests } from '../../support/edge-gateway.ts';
import { ADDED, publishInTurn, sampleContent } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const QUERY = '/api/v1/agent-gateway/query';
const key = await makeKey();

/** Capsules that are published over and over: enough to rank, few enough to be quick. */
const FEW = 24;

const real = await sampleContent();
const few = real.capsules.slice(0, FEW);
const rest = few.filter(({ id }) => !ADDED.includes(id));
const added = (count: number): AuthoredCapsule[] => few.filter(({ id }) => ADDED.slice(0, count).includes(id));
const contentOf = (capsules: readonly AuthoredCapsule[]): AuthoredContent => ({
  ...real,
  capsules: [...capsules].sort((a, b) => (a.id < b.id ? -1 : 1)),
});
/** Capsules with a further sentence in one of them, which has words that many queries have. */
const edited = (capsules: readonly AuthoredCapsule[], at: number, sentence: string): AuthoredCapsule[] =>
  capsules.map((capsule, place) => (place === at ? { ...capsule, markdown: `${capsule.markdown.trimEnd()} ${sentence}\n` } : capsule));
const retracted = (capsules: readonly AuthoredCapsule[], at: number): AuthoredCapsule[] =>
  capsules.map((capsule, place) =>
    place === at
      ? { ...capsule, frontMatter: { ...capsule.frontMatter, retracted: { date: '2026-11-21', reason: 'It could not be repeated.' } } }
      : capsule,
  );

/** What an author published, one after another: texts added, changed and taken back, so that everything about ranking moves. */
const second = [...edited(rest, 3, 'Agents cache payment documents and rank them.'), ...added(1)];
const third = [...retracted(edited(second, 5, 'A signed document of agents, cached and ranked.'), 0), ...added(2).slice(1)].slice(1);
const [one, two, three] = (await publishInTurn([rest, second, third].map(contentOf))) as [
  BuiltGeneration,
  BuiltGeneration,
  BuiltGeneration,
];
const blocks = new Map([...one.blocks, ...two.blocks, ...three.blocks]);
const serviceOf = (generation: BuiltGeneration): Requests => useInProcessGateway({ generated: { generation }, blocks });
const newest = [serviceOf(one), serviceOf(two), serviceOf(three)] as const;

const REQUESTS: readonly (readonly [name: string, body: object])[] = [
  ['words', { query: 'how do agents cache and rank documents', max_results: 20 }],
  ['an explanation', { query: 'agents payment documents', explain: true, max_results: 5 }],
  ['facets', { query: 'agents documents', facets: ['type', 'tags', 'status', 'evidence'], max_results: 2 }],
  [
    'filters and excluded ids',
    { query: 'payment cache', filters: { status: 'current', min_evidence: 'documented' }, exclude_ids: ['bm25'] },
  ],
  ['a misspelt word', { query: 'agnets docments', max_results: 3 }],
  ['a token budget', { query: 'cached documents', token_budget: 900 }],
  ['words that nothing holds', { query: 'zzzzqqqq wwwwvvvv' }],
];

async function bodyOf(service: Requests, body: object): Promise<string> {
  const response = await service.post(QUERY, body, bearer(key));
  expect(response.status).toBe(200);
  return response.text();
}

describe('a pinned answer', () => {
  const VERSIONS = [
    ['two publishes ago', one, newest[0]],
    ['one publish ago', two, newest[1]],
  ] as const;

  test.each(VERSIONS)('of %s has the bytes that it had while that was the newest', async (_when, { version }, then) => {
    for (const [name, body] of REQUESTS) {
      const before = await bodyOf(then, { ...body, corpus_version: version });
      expect(await bodyOf(newest[2], { ...body, corpus_version: version }), name).toBe(before);
      expect(await bodyOf(then, body), `${name}, which nobody pinned then`).toBe(before);
      expect((JSON.parse(before) as QueryResponse).corpus_version).toBe(version);
    }
  });

  test.each(VERSIONS)('of %s: cursors that were given then lead on now', async (_when, { version }, then) => {
    const body = { query: 'agents cache documents', max_results: 4 };
    const { page } = JSON.parse(await bodyOf(then, body)) as QueryResponse;
    const next = { ...body, cursor: page.next_cursor };
    const now = await bodyOf(newest[2], next);
    expect(now).toBe(await bodyOf(then, next));
    expect((JSON.parse(now) as QueryResponse).corpus_version).toBe(version);
  });

  test('is not what is answered without a pin: what was published since changed every answer', async () => {
    expect(three.manifest.previous).toEqual([two.version, one.version]);
    for (const [name, body] of REQUESTS.slice(0, 3)) {
      const [unpinned, ofOne, ofTwo] = await Promise.all(
        [{}, { corpus_version: one.version }, { corpus_version: two.version }].map((pin) => bodyOf(newest[2], { ...body, ...pin })),
      );
      const results = [unpinned, ofOne, ofTwo].map((text = '{}') => JSON.stringify((JSON.parse(text) as QueryResponse).results));
      expect(new Set(results).size, name).toBe(3);
    }
  });
});

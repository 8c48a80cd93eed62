import { describe, expect, test } from 'vitest';
import type { LoadCorpus } from '../../../bench/load/load-corpus.ts';
import { driftOf, latenciesOf, perSecond } from '../../../bench/load/load-figures.ts';
import { goalsOf, type LoadReport, loadReportText } from '../../../bench/load/load-report.ts';
import { MIX_ROUTES, mixedRequests } from '../../../bench/load/mixed-requests.ts';
import type { LoadOutcome } from '../../../bench/load/run-load.ts';

function outcomeOf(latencies: readonly number[], more: Partial<LoadOutcome> = {}): LoadOutcome {
  return {
    elapsedMs: latencies.length,
    routes: ['query', 'register'],
    answered: {
      route: Uint8Array.from(latencies, (_, at) => at % 2),
      atMs: Float64Array.from(latencies, (_, at) => at),
      latencyMs: Float64Array.from(latencies),
    },
    serverErrors: 0,
    socketErrors: 0,
    unexpected: 0,
    statuses: {},
    reasons: [],
    ...more,
  };
}

const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
const report: LoadReport = {
  connections: 10,
  rate: 500,
  rateConnections: 20,
  seconds: 60,
  seed: 1,
  generatorBusy: 0.25,
  costs: [{ route: 'bare', cpuMs: 0.5, outcome: outcomeOf([1]) }],
  closed: outcomeOf(hundred),
  fixed: outcomeOf(hundred),
  rejected: outcomeOf(hundred, { statuses: { 'too large: 413': 7 } }),
};

test('latencies are those of all answers, of a route or of a time', () => {
  expect(latenciesOf(outcomeOf(hundred))).toEqual({ count: 100, p50: 50, p90: 90, p99: 99, max: 100 });
  expect(latenciesOf(outcomeOf(hundred), { route: 'register' })).toMatchObject({ count: 50, max: 99 });
  expect(latenciesOf(outcomeOf(hundred), { fromMs: 90 })).toMatchObject({ count: 10, max: 10 });
  expect(latenciesOf(outcomeOf([]))).toEqual({ count: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  expect(perSecond(outcomeOf(hundred))).toBe(1_000);
});

test('drift compares the first fifth with the last', () => {
  const rising = outcomeOf(Array.from({ length: 100 }, (_, at) => (at < 20 ? 10 : at < 80 ? 99 : 15)));
  expect(driftOf(rising, [100, 100, 900, 900, 900, 900, 900, 900, 110, 110])).toEqual({
    residentFirst: 100,
    residentLast: 110,
    residentShare: 110 / 100 - 1,
    p99First: 10,
    p99Last: 15,
    p99Share: 0.5,
  });
});

describe('goals', () => {
  test('are met by a thousand requests a second within 100 ms and without a fault', () => {
    expect(goalsOf(report).every(({ met }) => met)).toBe(true);
    expect(loadReportText(report)).not.toContain('NOT MET');
  });

  test.each<[string, Partial<LoadReport>, string]>([
    ['fewer requests', { closed: outcomeOf(hundred, { elapsedMs: 101 }) }, 'mix, at least 1000 requests/s: 990'],
    ['slow ones', { closed: outcomeOf(hundred.map((ms) => ms + 2)) }, 'mix, p99 at most 100 ms: 101.0 ms'],
    ['a fault', { closed: outcomeOf(hundred, { serverErrors: 1 }) }, 'mix, no 5xx and no socket error: 1 and 0'],
    ['slow ones at a rate', { fixed: outcomeOf([301]) }, '500/s, p99 at most 300 ms: 301.0 ms'],
    ['a lost connection at a rate', { fixed: outcomeOf([1], { socketErrors: 2 }) }, '500/s, no 5xx and no socket error: 0 and 2'],
    ['a lost refusal', { rejected: outcomeOf([1], { socketErrors: 1 }) }, 'refused with a body, no 5xx and no socket error: 0 and 1'],
    ['another status', { rejected: outcomeOf([1], { unexpected: 3 }) }, 'no unexpected status: 3'],
    [
      'memory that grows',
      { soak: { minutes: 1, rate: 500, outcome: outcomeOf(hundred), drift: driftOf(outcomeOf(hundred), [1, 1, 1, 1, 2]) } },
      'soak, memory at most 10 % more: 100 %',
    ],
  ])('are not met by %s', (_name, more, line) => {
    const failed = goalsOf({ ...report, ...more }).filter(({ met }) => !met);
    expect(failed).toHaveLength(1);
    expect(loadReportText({ ...report, ...more })).toContain(`NOT MET  ${line}`);
  });
});

describe('mixedRequests()', () => {
  const capsule = { capsule_id: 'bm25', title: 'What BM25 does', summary: 'BM25 ranks texts by words.', tags: ['search'] };
  const corpus = {
    capsules: [{ ...capsule, type: 'concept', evidence: 'documented' }],
    corpusVersion: 'a'.repeat(64),
    continued: [{ query: 'BM25', max_results: 5, cursor: 'next' }],
  } as unknown as LoadCorpus;
  const asker = { host: '127.0.0.1', key: 'akg_test_key' };

  test('makes the mix that it is said to make, of every kind of question', () => {
    const requests = mixedRequests(corpus, asker, 4_000, 1);
    const shares = MIX_ROUTES.map((route) => requests.filter((request) => request.route === route).length / 40);
    for (const [at, share] of [80, 10, 5, 5].entries()) expect(Math.abs((shares[at] ?? 0) - share)).toBeLessThan(2);
    const text = requests.map(({ bytes }) => Buffer.from(bytes).toString('utf8')).join('\n');
    for (const part of ['"cursor":"next"', '"filters":', '"facets":', `"corpus_version":"${'a'.repeat(64)}"`, 'Idempotency-Key: load-'])
      expect(text).toContain(part);
  });

  test('makes the same for the same seed, and of one route alone', () => {
    expect(mixedRequests(corpus, asker, 50, 7)).toEqual(mixedRequests(corpus, asker, 50, 7));
    expect(mixedRequests(corpus, asker, 50, 7)).not.toEqual(mixedRequests(corpus, asker, 50, 8));
    expect(new Set(mixedRequests(corpus, asker, 50, 7, ['lineage']).map(({ route }) => route))).toEqual(new Set(['lineage']));
  });
});

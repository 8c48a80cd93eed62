import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { clientOf, countsOf, type InsightCount, Insights, surfaceOf } from '../../../src/gateway/insights.ts';
import { addInsightCounts, readInsights } from '../../../src/platform/d1/insight-counts.ts';
import { INSIGHT_ROWS_PER_DAY } from '../../../src/schemas/limits.ts';
import { anyText } from '../../support/any-text.ts';
import { useDatabase } from '../../support/simulated/use-database.ts';

const NOW = Date.UTC(2027, 0, 2, 12);
const DAY = 24 * 3_600_000;
const TODAY = NOW - (NOW % DAY);
const database = useDatabase(NOW);

test.each([
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36', 'browsers'],
  ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)', 'ChatGPT'],
  ['Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)', 'OpenAI crawlers'],
  ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'Anthropic crawlers'],
  ['claude-ai', 'Claude'],
  ['Visual Studio Code', 'coding agents'],
  ['Claude-User (claude-code/2.0; +https://support.anthropic.com/)', 'Claude'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'search engines'],
  ['Mozilla/5.0 (compatible; SomeBot/1.0)', 'other robots'],
  ['python-requests/2.32.3', 'programs'],
  ['', 'programs'],
])('%s belongs to %s', (userAgent, client) => expect(clientOf(userAgent)).toBe(client));

test.each([
  ['/', undefined, 'page'],
  ['/capsules/retry-after', undefined, 'page'],
  ['/capsules/retry-after.md', undefined, 'markdown'],
  ['/llms.txt', undefined, 'document'],
  ['/.well-known/did.json', undefined, 'document'],
  ['/api/v1/agent-gateway/query', undefined, 'API'],
  ['/mcp', 'mcp', 'mcp'],
  ['/_astro/page.css', undefined, undefined],
  ['/favicon.svg', undefined, undefined],
])('%s is asked as %s', (path, protocol, surface) => expect(surfaceOf({ path, protocol })).toBe(surface));

describe('the counts of a request', () => {
  const request = { userAgent: 'curl/8', status: 200, durationMs: 30 };

  it('name the capsule at each of its addresses, and an offer at its page', () => {
    for (const path of [
      '/capsules/a-b',
      '/capsules/a-b.md',
      '/capsules/a-b/capsule.json',
      '/api/v1/agent-gateway/capsule/a-b',
      '/api/v1/agent-gateway/capsule/a-b/lineage',
    ])
      expect(countsOf({ ...request, path })).toContainEqual({ kind: 'capsule', name: 'a-b agents' });
    expect(countsOf({ ...request, path: '/buy/report', userAgent: 'Mozilla/5.0' })).toContainEqual({
      kind: 'offer',
      name: 'report people',
    });
    expect(countsOf({ ...request, path: '/capsules/a-b' })).toContainEqual({ kind: 'latency', name: 'page|100' });
  });

  it('name no capsule that is not there, whatever an address holds', () => {
    expect(countsOf({ ...request, path: '/capsules/nothing', status: 404 })).toEqual([
      { kind: 'request', name: 'page|programs|404' },
      { kind: 'latency', name: 'page|100' },
    ]);
    fc.assert(
      fc.property(anyText(), fc.string(), fc.integer({ min: 100, max: 599 }), (path, userAgent, status) => {
        for (const { name } of countsOf({ path: `/${path}`, userAgent, status })) expect(name).toMatch(/^[A-Za-z0-9|\- ]{1,80}$/);
      }),
    );
  });
});

describe('Insights', () => {
  const started = (keepsQuestions = false) => {
    const written: { atMs: number; counts: readonly InsightCount[] }[] = [];
    let nowMs = NOW;
    const add = async (_day: number, counts: readonly InsightCount[], atMs: number): Promise<void> => {
      written.push({ atMs, counts });
    };
    const insights = new Insights(add, { nowMs: () => nowMs }, keepsQuestions);
    return { insights, written, wait: (ms: number) => (nowMs += ms) };
  };
  const countOf = (counts: readonly InsightCount[], kind: string, name: string) =>
    counts.filter((count) => count.kind === kind && count.name === name).reduce((sum, { count }) => sum + count, 0);

  it('writes the first request at once, then ever more rarely, and loses none', async () => {
    const { insights, written, wait } = started();
    for (let second = 0; second < 7_200; second++) {
      insights.countRequest({ path: '/', userAgent: '', status: 200 });
      await insights.write();
      wait(1_000);
    }
    wait(1_800_000);
    await insights.write();
    expect(written.length).toBeLessThan(20);
    expect(written[0]?.counts[0]?.count).toBe(1);
    expect(written.reduce((sum, { counts }) => sum + countOf(counts, 'request', 'page|programs|200'), 0)).toBe(7_200);
  });

  it('stores words of questions, and neither numbers nor addresses, nor the text unless it is asked to', async () => {
    for (const keepsQuestions of [false, true]) {
      const { insights, written } = started(keepsQuestions);
      const text = 'Where is order 4711 of jane@example.com about Zeppelins?';
      insights.countUnanswered({ text, missing: ['Zeppelins', '4711', 'jane@example.com', 'order'], unknown: ['Zeppelins', 'x9'] });
      await insights.write();
      expect(written[0]?.counts.map(({ kind, name }) => `${kind}: ${name}`)).toEqual([
        'gap: order zeppelins',
        'term: zeppelins',
        ...(keepsQuestions ? [`question: ${text}`] : []),
      ]);
    }
  });

  it('adds to what the database has, for 90 days', async () => {
    const add = addInsightCounts(database.binding());
    const count = (day: number, kind: InsightCount['kind'], name: string, of: number) =>
      add(TODAY - day * DAY, [{ kind, name, count: of }], NOW);
    await count(95, 'request', 'page|programs|200', 7);
    await count(31, 'question', 'old', 1);
    await count(2, 'request', 'page|programs|200', 2);
    await count(0, 'request', 'page|programs|200', 3);
    await count(0, 'request', 'page|programs|200', 4);
    expect(await readInsights(database.binding(), 90, NOW)).toEqual({
      counts: [{ kind: 'request', name: 'page|programs|200', count: 9 }],
      incomplete: [],
      days: [
        { day: '2026-12-31', requests: 2 },
        { day: '2027-01-02', requests: 7 },
      ],
    });
    expect((await readInsights(database.binding(), 1, NOW)).counts).toEqual([{ kind: 'request', name: 'page|programs|200', count: 7 }]);
  });

  it('writes a bounded number of rows in a day, whatever is asked, and says which day is incomplete', async () => {
    let changes = 0;
    const counted = () => Number(database.look('SELECT total_changes() AS changes')[0]?.['changes']);
    const add = addInsightCounts(database.binding());
    const before = counted();
    for (let write = 0; write < 300; write++) {
      const names = Array.from(
        { length: 40 },
        (_, index): InsightCount => ({ kind: 'gap', name: `word${(write * 17 + index) % 2_000}`, count: 1 }),
      );
      await add(TODAY, names, NOW);
      changes = counted() - before;
    }
    expect(changes).toBeGreaterThan(1_000);
    expect(changes).toBeLessThanOrEqual(INSIGHT_ROWS_PER_DAY + 100);
    await add(TODAY - DAY, [{ kind: 'request', name: 'page|programs|200', count: 1 }], NOW);
    expect(await readInsights(database.binding(), 30, NOW)).toMatchObject({ incomplete: ['2027-01-02'], days: [{ day: '2027-01-01' }] });
  });
});

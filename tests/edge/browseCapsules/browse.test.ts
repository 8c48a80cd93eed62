import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BrowseItem, BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/kinds-and-levels.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import type { Requests } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders, faultsOf } from '../../support/expect-problem.ts';
import { ADDED, makeTwoGenerations } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { words } from '../../support/words.ts';

const BROWSE = '/api/v1/capsules/public/browse';
const ExactAnswer = z.strictObject({
  ...BrowseResponse.shape,
  items: z.array(z.strictObject(BrowseItem.shape)),
  page: z.strictObject(BrowseResponse.shape.page.shape),
});
const { older, newer, blocks } = await makeTwoGenerations();
const gateway = useInProcessGateway({ generated: { generation: newer }, blocks });
const before = useInProcessGateway({ generated: { generation: older }, blocks });
const browse = async (search: string, service: Requests = gateway): Promise<BrowseResponse> => {
  const response = await service.fetch(BROWSE + search);
  expect(response.status).toBe(200);
  return ExactAnswer.parse(await response.json());
};
const idsOf = ({ items }: BrowseResponse): string[] => items.map(({ capsule_id }) => capsule_id);
const pagesOf = async (search: string): Promise<BrowseResponse[]> => {
  const pages = [await browse(search)];
  for (let cursor = pages[0]?.page.next_cursor ?? null; cursor !== null; cursor = pages.at(-1)?.page.next_cursor ?? null) {
    expect(pages.length).toBeLessThan(100);
    pages.push(await browse(`${search}&cursor=${cursor}`));
  }
  return pages;
};

describe('browseCapsules 200 application/json', () => {
  test('the list is of the published form, newest change first, then by id', async () => {
    const response = await gateway.fetch(BROWSE);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expectSharedHeaders(response.headers);
    const { items, corpus_version, page } = await browse('?limit=100');
    expect(corpus_version).toBe(newer.version);
    expect(page).toEqual({ total: newer.manifest.counts.capsules, total_is_exact: true, has_more: false, next_cursor: null });
    const sorted = [...items].sort((a, b) => b.updated.localeCompare(a.updated) || (a.capsule_id < b.capsule_id ? -1 : 1));
    expect(items.map(({ capsule_id }) => capsule_id)).toEqual(sorted.map(({ capsule_id }) => capsule_id));
  });

  test.each([
    ['', LIMITS.browseLimitDefault],
    ['?limit=1', 1],
    ['?limit=7', 7],
    [`?limit=${LIMITS.browseLimitMax}`, LIMITS.browseLimitMax],
    [`?limit=${LIMITS.browseLimitMax + 1}`, LIMITS.browseLimitMax],
    ['?limit=999999', LIMITS.browseLimitMax],
  ])('"%s" gives pages of at most %i', async (search, size) => {
    const { items, page } = await browse(search);
    expect(items.length).toBe(Math.min(size, page.total));
    expect(page.has_more).toBe(page.total > size);
  });

  test.each(['?limit=1', '?limit=7', '?limit=20', '?type=protocol&limit=3', '?tag=payments&status=current&limit=2'])(
    '%s: pages lead to the end without gaps or repeats, and totals stay honest',
    async (search) => {
      const pages = await pagesOf(search);
      const whole = await browse(search.replace(/limit=\d+/, 'limit=100'));
      expect(pages.flatMap(idsOf)).toEqual(idsOf(whole));
      expect(whole.page.total).toBe(whole.items.length);
      expect(pages.map(({ page }) => page.total)).toEqual(pages.map(() => whole.page.total));
      expect(pages.map(({ page }) => page.has_more)).toEqual(pages.map((_, index) => index < pages.length - 1));
    },
  );

  test.each<[string, (item: BrowseItem) => boolean]>([
    ['?tag=payments', ({ tags }) => tags.includes('payments')],
    ['?tag=no-such-tag', () => false],
    ['?type=comparison', ({ type }) => type === 'comparison'],
    ['?language=en', ({ language }) => language === 'en'],
    ['?language=pt-BR', () => false],
    ['?status=current', ({ status }) => status === 'current'],
    ['?status=superseded', ({ status }) => status === 'superseded'],
    ['?status=retracted', ({ status }) => status === 'retracted'],
    ['?min_evidence=opinion', () => true],
    ['?min_evidence=documented', ({ evidence }) => EVIDENCE_LEVELS.indexOf(evidence) >= EVIDENCE_LEVELS.indexOf('documented')],
    ['?min_evidence=measured', ({ evidence }) => evidence === 'measured'],
    ['?updated_after=2000-01-01', () => true],
    ['?updated_after=2999-12-31', () => false],
    [
      '?type=protocol&tag=payments&min_evidence=specified',
      ({ type, tags, evidence }) => type === 'protocol' && tags.includes('payments') && EVIDENCE_LEVELS.indexOf(evidence) >= 3,
    ],
  ])('%s gives exactly the capsules that meet it', async (search, meets) => {
    const everything = await browse('?limit=100');
    const { items, page } = await browse(`${search}&limit=100`);
    expect(items).toEqual(everything.items.filter(meets));
    expect(page).toMatchObject({ total: items.length, has_more: false });
  });

  test('a cursor goes on in the generation that it came from, although a newer one is out', async () => {
    const first = await browse('?limit=10', before);
    const next = await browse(`?limit=100&cursor=${first.page.next_cursor}`);
    expect(next.corpus_version).toBe(older.version);
    expect([...idsOf(first), ...idsOf(next)]).toEqual(idsOf(await browse('?limit=100', before)));
    expect([...idsOf(first), ...idsOf(next)].filter((id) => ADDED.includes(id))).toEqual([]);
  });
});

describe('browseCapsules 400 invalid_request', () => {
  test.each([
    ...words`
      limit=0 limit=-1 limit=1.5 limit=1e3 limit= limit=ten limit=%205 limit=05 limit=٣ limit=9999999 limit=5&limit=5
      tag=HTTP tag= tag=a,b tag=a&type=protocol&tag=b type=poem type=Protocol language=* language=english status=draft min_evidence=proven
      updated_after=yesterday updated_after=2026-13-01 updated_after=2026-02-29 updated_after=20260101 cursor=
      tags=payments q=bm25 offset=5 page=2 __proto__=1 Limit=5 api_key=x
    `,
    `tag=${'a'.repeat(65)}`,
    `cursor=${'c'.repeat(513)}`,
  ])('?%s is refused, and the parameter is named', async (search) => {
    const problem = await expectProblem(await gateway.fetch(`${BROWSE}?${search}`), 'invalid_request');
    expect(faultsOf(problem).map(([place]) => place)).toContain(search.split('=')[0]);
  });

  test('every fault is listed', async () => {
    const problem = await expectProblem(await gateway.fetch(`${BROWSE}?limit=0&type=poem&x=1`), 'invalid_request');
    expect(
      faultsOf(problem)
        .map(([place]) => place)
        .sort(),
    ).toEqual(['limit', 'type', 'x']);
  });
});

describe('browseCapsules 400 invalid_cursor', () => {
  test('a cursor sent with other filters is refused', async () => {
    const { next_cursor } = (await browse('?limit=1&type=protocol')).page;
    for (const search of ['', '&type=concept', '&type=protocol&tag=payments'])
      await expectProblem(await gateway.fetch(`${BROWSE}?cursor=${next_cursor}${search}`), 'invalid_cursor');
    expect((await browse(`?cursor=${next_cursor}&type=protocol`)).items.length).toBeGreaterThan(0);
  });

  test('a cursor of a query is no cursor of the list', async () => {
    await expectProblem(await gateway.fetch(`${BROWSE}?cursor=${Buffer.from('not a cursor').toString('base64url')}`), 'invalid_cursor');
  });
});

test('browseCapsules 409 corpus_superseded: a cursor of a generation that is not listed any more is refused', async () => {
  const cursor = (await browse('?limit=1')).page.next_cursor;
  await expectProblem(await before.fetch(`${BROWSE}?cursor=${cursor}`), 'corpus_superseded');
});

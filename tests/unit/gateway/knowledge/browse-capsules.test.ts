import { beforeAll, describe, expect, test } from 'vitest';
import { browseCapsules } from '../../../../src/gateway/knowledge/browse-capsules.ts';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import type { CapsuleSummary } from '../../../../src/schemas/knowledge/capsule.ts';
import { BrowseParameters, BrowseResponse } from '../../../../src/schemas/knowledge/corpus-responses.ts';
import { matchesFilters } from '../../../support/matches-filters.ts';
import { allSummaries, BASE_URL, codeOf, expectValue, realCorpus } from '../real-generation.ts';

let corpus: Corpus;
let all: readonly CapsuleSummary[];
beforeAll(async () => {
  ({ corpus } = await realCorpus());
  all = await allSummaries(corpus);
});

const browse = async (parameters: Record<string, string> = {}): Promise<BrowseResponse> =>
  expectValue(await browseCapsules(BrowseParameters.parse(parameters), corpus, BASE_URL));

async function allPages(parameters: Record<string, string>): Promise<BrowseResponse[]> {
  const pages = [await browse(parameters)];
  for (let last = pages[0]; last?.page.next_cursor; last = pages.at(-1))
    pages.push(await browse({ ...parameters, cursor: last.page.next_cursor }));
  return pages;
}

describe('browseCapsules()', () => {
  test.each(['1', '7', '20', '100', '999999'])('lists every capsule exactly once in pages of %s, newest change first', async (limit) => {
    const pages = await allPages({ limit });
    const items = pages.flatMap((page) => page.items);
    expect(items.map(({ capsule_id }) => capsule_id).sort()).toEqual(all.map(({ capsule_id }) => capsule_id));
    const keys = items.map(({ updated, capsule_id }) => [updated, capsule_id] as const);
    expect(keys).toEqual([...keys].sort((a, b) => (a[0] === b[0] ? (a[1] < b[1] ? -1 : 1) : a[0] < b[0] ? 1 : -1)));
    expect(pages.every(({ page }) => page.total === all.length && page.total_is_exact)).toBe(true);
    expect(Math.max(...pages.map((page) => page.items.length))).toBeLessThanOrEqual(Math.min(Number(limit), 100));
    for (const page of pages) expect(BrowseResponse.parse(page)).toEqual(page);
  });

  test.each([
    { tag: 'http' },
    { type: 'protocol' },
    { status: 'retracted' },
    { min_evidence: 'measured' },
    { updated_after: '2026-11-20' },
    { language: 'xx' },
  ])('filters by %j exactly', async (parameters: Record<string, string>) => {
    const { tag, ...rest } = parameters;
    const expected = all.filter((capsule) => matchesFilters(capsule, { ...rest, ...(tag === undefined ? {} : { tags: [tag] }) }));
    const pages = await allPages({ ...parameters, limit: '3' });
    expect(pages.flatMap(({ items }) => items.map(({ capsule_id }) => capsule_id)).sort()).toEqual(
      expected.map(({ capsule_id }) => capsule_id),
    );
  });

  test('refuses a cursor of a list with other filters, and takes it with another size of page', async () => {
    const cursor = (await browse({ limit: '2', type: 'protocol' })).page.next_cursor ?? '';
    const code = async (parameters: Record<string, string>): Promise<string> =>
      codeOf(await browseCapsules(BrowseParameters.parse({ cursor, ...parameters }), corpus, BASE_URL));
    expect(await code({ type: 'protocol', limit: '5' })).toBe('ok');
    expect(await code({})).toBe('invalid_cursor');
    expect(await code({ type: 'concept' })).toBe('invalid_cursor');
    expect(await code({ type: 'protocol', tag: 'http' })).toBe('invalid_cursor');
  });

  test.each(['0', '-1', '1.5', '01', '1e3', ' 1', '', '1000000', 'all'])('has no page of %j', (limit) => {
    expect(BrowseParameters.safeParse({ limit }).success).toBe(false);
  });
});

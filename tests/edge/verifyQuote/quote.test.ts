import { describe, expect, test } from 'vitest';
import { QuoteCheck } from '../../../src/schemas/knowledge/quote-check.ts';
import { capsuleApiPath, quoteApiPath } from '../../../src/schemas/paths.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';

const gateway = useSharedGateway();
const pathOf = (text: string, id = SAMPLE_CAPSULE): string => `${quoteApiPath(id)}?${new URLSearchParams({ text })}`;

describe('verifyQuote 200 application/json', () => {
  test('finds a quotation where it is, in the exact text', async () => {
    const { results } = (await (await gateway.fetch('/api/v1/agent-gateway/search?q=bm25&kind=capsule&max_results=1')).json()) as {
      readonly results: readonly {
        readonly capsule_id: string;
        readonly markdown_url: string;
        readonly quote: { readonly text: string; readonly start: number };
      }[];
    };
    const [found] = results;
    if (found === undefined) throw new Error('nothing was found');
    const response = await gateway.fetch(pathOf(found.quote.text, found.capsule_id));
    const { verdict, ranges, markdown_url } = QuoteCheck.parse(await response.json());
    expect([verdict, ranges[0]?.start, markdown_url]).toEqual(['exact', found.quote.start, found.markdown_url]);
  });

  test('finds the summary and the title, and says that they are those', async () => {
    const read = (await (await gateway.fetch(capsuleApiPath(SAMPLE_CAPSULE))).json()) as Readonly<Record<'summary' | 'title', string>>;
    for (const part of ['summary', 'title'] as const) {
      const checked: unknown = await (await gateway.fetch(pathOf(read[part]))).json();
      expect(checked).toMatchObject({ verdict: 'exact', part, ranges: [{ start: 0, end: read[part].length }] });
    }
  });
});

test.each([
  ['', 'text'],
  ['?text=', 'text'],
  ['?text=+', 'text'],
  ['?text=a&version=x', 'version'],
  ['?text=a&quote=b', 'quote'],
])('verifyQuote 400 invalid_request: %s', async (query, name) => {
  const problem = await expectProblem(await gateway.fetch(quoteApiPath(SAMPLE_CAPSULE) + query), 'invalid_request');
  expect(faultsOf(problem).map(([pointer]) => pointer)).toEqual([name]);
});

test('verifyQuote 404 capsule_not_found: an unknown id, and a version that the capsule does not have', async () => {
  await expectProblem(await gateway.fetch(pathOf('a', 'no-such-capsule')), 'capsule_not_found');
  await expectProblem(await gateway.fetch(`${pathOf('a')}&version=9.9.9`), 'capsule_not_found');
});

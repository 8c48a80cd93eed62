import { describe, expect, test } from 'vitest';
import { QuoteCheck } from '../../../src/schemas/knowledge/quote-check.ts';
import { capsuleApiPath, quoteApiPath } from '../../../src/schemas/paths.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';

const gateway = useSharedGateway();
const pathOf = (text: string, id = SAMPLE_CAPSULE): string => `${quoteApiPath(id)}?${new URLSearchParams({ text })}`;
const check = async (text: string): Promise<QuoteCheck> => {
  const response = await gateway.fetch(pathOf(text));
  expect(response.status).toBe(200);
  return QuoteCheck.strict().parse(await response.json());
};
const textOf = async (): Promise<string> =>
  (await gateway.fetch(capsuleApiPath(SAMPLE_CAPSULE), { headers: { Accept: 'text/markdown' } })).text();

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

  test('finds it with other white space, and says so', async () => {
    const [paragraph = ''] = (await textOf()).split('\n\n');
    const words = paragraph.split(' ').slice(0, 6);
    expect((await check(words.join(' '))).verdict).toBe('exact');
    expect((await check(words.join('  '))).verdict).toBe('white_space_differs');
  });

  test('finds what was read elsewhere: on the page, in its markdown, in the summary', async () => {
    const { summary } = (await (await gateway.fetch(capsuleApiPath(SAMPLE_CAPSULE))).json()) as { readonly summary: string };
    expect(await check(summary)).toMatchObject({ verdict: 'exact', part: 'summary', ranges: [{ start: 0, end: summary.length }] });
    const withReference = (await textOf()).split(/(?<=\.)\s/).find((sentence) => /\[\^[a-z0-9-]+\]/.test(sentence)) ?? '';
    for (const read of [withReference.replaceAll(/\[\^[a-z0-9-]+\]/g, ''), withReference.replaceAll(/\[\^([a-z0-9-]+)\]/g, '[7][$1]')])
      expect(await check(read)).toMatchObject({ verdict: 'markup_differs', part: 'text' });
  });

  test('says that a text has no such sentence', async () => {
    expect(await check('No text of this site says this.')).toMatchObject({ verdict: 'not_found', ranges: [] });
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

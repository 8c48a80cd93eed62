import { describe, expect, test } from 'vitest';
import type { QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { makeTwoGenerations, withForeignHistory } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const QUERY = '/api/v1/agent-gateway/query';
const { older, newer, blocks } = await makeTwoGenerations();
const gateway = useInProcessGateway({ generated: { generation: newer }, blocks });
const key = await makeKey();
const ask = (body: object, headers: Record<string, string> = {}): Promise<Response> =>
  gateway.post(QUERY, body, { ...bearer(key), ...headers });
const answerTo = async (body: object): Promise<QueryResponse> => {
  const response = await ask(body);
  expect(response.status).toBe(200);
  return (await response.json()) as QueryResponse;
};
const cursorAfter = async (body: object): Promise<string> => (await answerTo(body)).page.next_cursor ?? '';

describe('queryKnowledge 400 invalid_cursor', () => {
  test.each([
    ['another query', { query: 'agent' }],
    ['another case of the query', { query: 'Agents' }],
    ['an id excluded', { query: 'agents', exclude_ids: ['bm25'] }],
    ['a filter more', { query: 'agents', filters: { type: 'protocol' } }],
    ['another pin', { query: 'agents', corpus_version: older.version }],
  ])('a cursor sent with %s is refused', async (_name, body) => {
    await expectProblem(await ask({ ...body, cursor: await cursorAfter({ query: 'agents', max_results: 1 }) }), 'invalid_cursor');
  });
});

describe('queryKnowledge 409 corpus_superseded', () => {
  const foreign = useInProcessGateway(withForeignHistory);

  test('an earlier version whose layout is not read is superseded, and the newest one answers', async () => {
    const { earlier } = await withForeignHistory();
    await expectProblem(await foreign.post(QUERY, { query: 'agents', corpus_version: earlier }, bearer(key)), 'corpus_superseded');
    expect((await foreign.post(QUERY, { query: 'agents' }, bearer(key))).status).toBe(200);
  });

  test('a block that is no manifest is no version, although KV holds it', async () => {
    await expectProblem(await ask({ query: 'a', corpus_version: newer.manifest.blocks.index[0]?.sha256 }), 'corpus_superseded');
  });
});

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type BrowseResponse, RelatedCapsule, RelatedResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSameProblem, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';

const relatedPath = (id: string): string => `/api/v1/agent-gateway/capsule/${id}/related`;
const ExactAnswer = z.strictObject({
  ...RelatedResponse.shape,
  items: z.array(z.strictObject(RelatedCapsule.shape)).max(LIMITS.relatedMax),
});

const gateway = useSharedGateway();
const relatedTo = async (id: string): Promise<RelatedResponse> => {
  const response = await gateway.fetch(relatedPath(id));
  expect(response.status).toBe(200);
  return ExactAnswer.parse(await response.json());
};
const allCapsules = async (): Promise<BrowseResponse['items']> =>
  ((await (await gateway.fetch('/api/v1/capsules/public/browse?limit=100')).json()) as BrowseResponse).items;

describe('getRelatedCapsules 200 application/json', () => {
  test('every capsule has a list of others, nearest first, each once, described as the list of capsules describes them', async () => {
    const listed = new Map((await allCapsules()).map((item) => [item.capsule_id, item]));
    let found = 0;
    for (const id of listed.keys()) {
      const { corpus_version, capsule_id, items } = await relatedTo(id);
      expect([corpus_version, capsule_id]).toEqual([(await builtGenerated()).generation.version, id]);
      const ids = items.map((item) => item.capsule_id);
      expect(new Set([id, ...ids]).size).toBe(ids.length + 1);
      expect(items.map(({ similarity }) => similarity)).toEqual(items.map(({ similarity }) => similarity).sort((a, b) => b - a));
      for (const { similarity: _similarity, related_url, ...item } of items) {
        const { json_url: _json, ...expected } = listed.get(item.capsule_id) ?? { json_url: undefined };
        expect(item).toEqual(expected);
        expect(related_url.endsWith(relatedPath(item.capsule_id))).toBe(true);
      }
      found += items.length;
    }
    expect(found).toBeGreaterThan(listed.size);
  });

  test('the capsule nearest to one about a protocol is about the same protocol', async () => {
    expect((await relatedTo('ucp-permalink')).items[0]?.capsule_id).toBe('ucp-profile');
  });

  test('an address in an item leads on', async () => {
    for (const { related_url } of (await relatedTo(SAMPLE_CAPSULE)).items.slice(0, 2)) {
      expect((await gateway.fetch(new URL(related_url).pathname)).status).toBe(200);
    }
  });
});

test('getRelatedCapsules 404 capsule_not_found: unknown and malformed ids get the same bytes, but for the id of the request and its path', async () => {
  await expectSameProblem(
    ['no-such-capsule', 'a', 'constructor', 'z'.repeat(65), '__proto__', '%00'].map((id) => gateway.fetch(relatedPath(id))),
    'capsule_not_found',
  );
});

test.each(['version', 'limit', 'cursor'])(
  'getRelatedCapsules 400 invalid_request: the parameter "%s" is not known: it is named, not ignored',
  async (name) => {
    const problem = await expectProblem(await gateway.fetch(`${relatedPath(SAMPLE_CAPSULE)}?${name}=1`), 'invalid_request');
    expect(faultsOf(problem)).toEqual([[name, expect.stringContaining('unknown')]]);
  },
);

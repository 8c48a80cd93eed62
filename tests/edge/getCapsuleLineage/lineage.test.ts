import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeCursor } from '../../../src/gateway/knowledge/cursor.ts';
import { provLineage } from '../../../src/gateway/knowledge/read-lineage.ts';
import { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSameProblem, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';

const lineagePath = (id: string): string => `/api/v1/agent-gateway/capsule/${id}/lineage`;
const gateway = useSharedGateway();
const accepting = (accept: string | undefined, path = lineagePath(SAMPLE_CAPSULE)): Promise<Response> =>
  gateway.fetch(path, { headers: accept === undefined ? {} : { Accept: accept } });
const lineageFile = (id: string): Promise<string> => readFile(join(PUBLICATION, 'dist/capsules', id, 'lineage.json'), 'utf8');
const expectedProv = async (id: string): Promise<string> => provLineage(Lineage.parse(JSON.parse(await lineageFile(id))), TEST_BASE_URL);

test('getCapsuleLineage 200 application/json: it holds no address of this deployment, so that previews and files have the same bytes', async () => {
  expect(await (await gateway.fetch(lineagePath(SAMPLE_CAPSULE))).text()).not.toContain('127.0.0.1');
});

describe('getCapsuleLineage 404 capsule_not_found', () => {
  const WRONG_IDS = ['no-such-capsule', 'constructor', 'z'.repeat(65), '__proto__', '%zz', '%00'];

  test('unknown and malformed ids get the same bytes, but for the id of the request and its path', async () => {
    await expectSameProblem(
      WRONG_IDS.map((id) => gateway.fetch(lineagePath(id))),
      'capsule_not_found',
    );
  });
});

test.each(['version', 'depth', 'signatures', '__proto__'])(
  'getCapsuleLineage 400 invalid_request: the parameter "%s" is not known: it is named, not ignored',
  async (name) => {
    const problem = await expectProblem(await gateway.fetch(`${lineagePath(SAMPLE_CAPSULE)}?${name}=1.0.0`), 'invalid_request');
    expect(faultsOf(problem)).toEqual([[name, expect.stringContaining('unknown')]]);
  },
);

describe('getCapsuleLineage 200 application/ld+json', () => {
  test.each(['application/ld+json', 'application/json;q=0, */*'])('Accept: %s is answered with PROV', async (accept) => {
    const response = await accepting(accept);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/ld+json']);
    expect(await response.text()).toBe(await expectedProv(SAMPLE_CAPSULE));
  });

  test('its entity tag is its own: that of the other form does not stand for it', async () => {
    const tagOf = async (accept: string): Promise<string> => (await accepting(accept)).headers.get('etag') ?? '';
    const [json, prov] = [await tagOf('application/json'), await tagOf('application/ld+json')];
    expect(prov).not.toBe(json);
    const asking = async (tag: string): Promise<number> =>
      (await gateway.fetch(lineagePath(SAMPLE_CAPSULE), { headers: { Accept: 'application/ld+json', 'If-None-Match': tag } })).status;
    expect([await asking(json), await asking(prov)]).toEqual([200, 304]);
  });

  test('a cursor is ignored, because this form has no graph that it could go on with', async () => {
    const response = await accepting('application/ld+json', `${lineagePath(SAMPLE_CAPSULE)}?cursor=abc`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(await expectedProv(SAMPLE_CAPSULE));
  });
});

test.each([undefined, '*/*', 'application/ld+json;q=0.8, application/json;q=0.9'])(
  'getCapsuleLineage with JSON accepted Accept: %s is answered with the bytes of lineage.json',
  async (accept) => {
    const response = await accepting(accept);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('vary')).toBe('Accept');
    expect(await response.text()).toBe(await lineageFile(SAMPLE_CAPSULE));
  },
);

test.each(['text/html', 'application/*;q=0'])('getCapsuleLineage 406 not_acceptable: Accept: %s rules out both forms', async (accept) => {
  const problem = await expectProblem(await accepting(accept), 'not_acceptable');
  expect(problem.detail).toContain('application/json or application/ld+json');
});

// tests/unit/gateway/knowledge/read-lineage.test.ts follows cursors from page to page, and through generations.
const cursorOf = (corpusVersion: string, of: object): string => encodeCursor({ corpusVersion, offset: LIMITS.lineageMaxNodes }, of);

describe('getCapsuleLineage 400 invalid_cursor', () => {
  test('a cursor of another capsule or of another list is refused', async () => {
    const { generation } = await builtGenerated();
    for (const list of [{ lineage: 'x402-v2' }, { query: SAMPLE_CAPSULE }]) {
      const path = `${lineagePath(SAMPLE_CAPSULE)}?cursor=${cursorOf(generation.version, list)}`;
      await expectProblem(await gateway.fetch(path), 'invalid_cursor');
    }
  });
});

test('getCapsuleLineage 409 corpus_superseded: a cursor of a generation that is not listed is refused', async () => {
  const path = `${lineagePath(SAMPLE_CAPSULE)}?cursor=${cursorOf('0'.repeat(64), { lineage: SAMPLE_CAPSULE })}`;
  expect((await expectProblem(await gateway.fetch(path), 'corpus_superseded')).next_actions.length).toBeGreaterThan(0);
});

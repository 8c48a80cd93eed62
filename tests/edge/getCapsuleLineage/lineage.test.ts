import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { canonicalDigest } from '../../../src/provenance/digest.ts';
import type { BrowseResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import { builtBlocks, builtGenerated, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_CAPSULE } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { ROOT } from '../../support/paths.ts';

const lineagePath = (id: string): string => `/api/v1/agent-gateway/capsule/${id}/lineage`;
const gateway = useSharedGateway();
const allIds = async (): Promise<string[]> =>
  ((await (await gateway.fetch('/api/v1/capsules/public/browse?limit=100')).json()) as BrowseResponse).items.map(
    ({ capsule_id }) => capsule_id,
  );

describe('getCapsuleLineage 200 application/json', () => {
  test('the bytes of every capsule are exactly those of its file, of the published form', async () => {
    for (const id of await allIds()) {
      const text = await (await gateway.fetch(lineagePath(id))).text();
      expect(text).toBe(await readFile(join(ROOT, 'dist/capsules', id, 'lineage.json'), 'utf8'));
      expect(z.strictObject(Lineage.shape).parse(JSON.parse(text)).id).toBe(id);
    }
  });

  test('the chain of a revised capsule holds: each record names the digest of the one before, and the head the last', async () => {
    const { versions, head } = Lineage.parse(await (await gateway.fetch(lineagePath('ucp-permalink'))).json());
    expect(versions.length).toBeGreaterThan(1);
    for (const [index, { record, recordDigest }] of versions.entries()) {
      expect(await canonicalDigest(record)).toBe(recordDigest);
      expect(record.previous?.recordDigest).toBe(versions[index - 1]?.recordDigest);
      expect(record.sequence).toBe(index);
    }
    expect(head.statement).toMatchObject({ head: versions.at(-1)?.recordDigest, count: versions.length });
  });

  test('it holds no address of this deployment, so that previews and files have the same bytes', async () => {
    const text = await (await gateway.fetch(lineagePath(SAMPLE_CAPSULE))).text();
    expect(text).not.toContain('127.0.0.1');
  });

  test('it may be reused for a minute', async () => {
    const { headers } = await gateway.fetch(lineagePath(SAMPLE_CAPSULE));
    expect(headers.get('content-type')).toBe('application/json');
    expect(headers.get('cache-control')).toBe('public, max-age=60');
    expectSharedHeaders(headers);
  });
});

describe('getCapsuleLineage 404 capsule_not_found', () => {
  const WRONG_IDS = ['no-such-capsule', 'constructor', 'BM25', 'z'.repeat(65), '__proto__', 'bm25%2F', '%zz', '%00'];

  test('unknown and malformed ids get the same bytes, but for the id of the request and its path', async () => {
    const bodies = await Promise.all(
      WRONG_IDS.map(async (id) => {
        const {
          request_id: _id,
          instance: _path,
          ...rest
        } = await expectProblem(await gateway.fetch(lineagePath(id)), 'capsule_not_found');
        return JSON.stringify(rest);
      }),
    );
    expect(new Set(bodies).size).toBe(1);
  });
});

describe('getCapsuleLineage 400 invalid_request', () => {
  test.each(['version', 'depth', 'signatures', '__proto__'])('the parameter "%s" is not known: it is named, not ignored', async (name) => {
    const problem = await expectProblem(await gateway.fetch(`${lineagePath(SAMPLE_CAPSULE)}?${name}=1.0.0`), 'invalid_request');
    expect(faultsOf(problem)).toEqual([[name, expect.stringContaining('not known')]]);
  });
});

describe('getCapsuleLineage 503 index_unavailable', () => {
  const empty = useSharedGateway({ blocks: 'none' });
  const damaged = useInProcessGateway(async () => {
    const { generation } = await builtGenerated();
    const names = new Set(generation.manifest.blocks.lineages.map(({ sha256 }) => sha256));
    return { blocks: new Map([...(await builtBlocks())].map(([name, bytes]) => [name, names.has(name) ? bytes.slice(0, -1) : bytes])) };
  });

  test('with an empty store the answer says when to come back', async () => {
    expect((await expectProblem(await empty.fetch(lineagePath(SAMPLE_CAPSULE)), 'index_unavailable')).retry_after_seconds).toBeGreaterThan(
      0,
    );
  });

  test('with damaged lineages they are unavailable, and the capsules themselves are not', async () => {
    await expectProblem(await damaged.fetch(lineagePath(SAMPLE_CAPSULE)), 'index_unavailable');
    expect((await damaged.fetch(`/api/v1/agent-gateway/capsule/${SAMPLE_CAPSULE}`)).status).toBe(200);
  });
});

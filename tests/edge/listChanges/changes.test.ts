import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import { publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { ChangeEvent, ChangesResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import type { Requests } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders, faultsOf } from '../../support/expect-problem.ts';
import { ADDED, logOf, makeTwoGenerations, sampleContent } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { PUBLICATION, TEST_BASE_URL } from '../../support/paths.ts';
import { words } from '../../support/words.ts';

const CHANGES = '/api/v1/capsules/public/changes';
const ExactAnswer = z.strictObject({ ...ChangesResponse.shape, changes: z.array(z.strictObject(ChangeEvent.shape)) });
const { older, newer, blocks } = await makeTwoGenerations();
const log = logOf(newer);
const gateway = useInProcessGateway({ generated: { generation: newer }, blocks });
const before = useInProcessGateway({ generated: { generation: older }, blocks });
const changes = async (search = '', service: Requests = gateway): Promise<ChangesResponse> => {
  const response = await service.fetch(CHANGES + search);
  expect(response.status).toBe(200);
  return ExactAnswer.parse(await response.json());
};
const cursorAfter = (count: number): string => (count === 0 ? '0' : `${count}.${log[count - 1]?.digest.slice('sha256:'.length)}`);

describe('listChanges 200 application/json', () => {
  test('from the beginning: the events of the log, oldest first, with the cursor after them', async () => {
    const response = await gateway.fetch(CHANGES);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expectSharedHeaders(response.headers);
    const answer = await changes();
    expect(answer).toMatchObject({
      corpus_version: newer.version,
      corpus_digest: newer.manifest.corpus_digest,
      total: log.length,
      has_more: log.length > LIMITS.changesLimitDefault,
    });
    expect(answer.changes).toEqual(log.slice(0, LIMITS.changesLimitDefault));
    expect(answer.cursor).toBe(cursorAfter(answer.changes.length));
    expect(await changes('?cursor=0')).toEqual(answer);
  });

  test('states the manifest of the corpus, the bytes of its file, and where that file is', async () => {
    const { manifest, manifest_url } = await changes();
    expect(manifest_url).toBe(`${TEST_BASE_URL}/mirror/manifest.json`);
    expect(JSON.stringify(manifest)).toBe(await readFile(join(PUBLICATION, 'dist/mirror/manifest.json'), 'utf8'));
  });

  test.each([1, 7, 64, LIMITS.changesLimitMax])('pages of %i lead to the end without gaps or repeats', async (limit) => {
    const pages = [await changes(`?limit=${limit}`)];
    while (pages.at(-1)?.has_more) {
      expect(pages.length).toBeLessThan(200);
      pages.push(await changes(`?limit=${limit}&cursor=${pages.at(-1)?.cursor}`));
    }
    expect(pages.flatMap((page) => page.changes)).toEqual(log);
    expect(pages.every((page) => page.total === log.length && page.changes.length <= limit)).toBe(true);
  });

  test('a larger limit is lowered to the most that one answer gives', async () => {
    expect((await changes('?limit=999999')).changes).toEqual(log.slice(0, LIMITS.changesLimitMax));
  });

  test('at the end there are no events, and the cursor stays', async () => {
    const cursor = cursorAfter(log.length);
    expect(await changes(`?cursor=${cursor}`)).toMatchObject({ changes: [], cursor, has_more: false, total: log.length });
  });

  test('count and digest of any event that the caller holds are a cursor', async () => {
    for (const count of [1, Math.floor(log.length / 2), log.length - 1])
      expect((await changes(`?cursor=${cursorAfter(count)}&limit=3`)).changes).toEqual(log.slice(count, count + 3));
  });

  test('whoever followed until the publish before gets what has happened since, and nothing else', async () => {
    const followed = await changes('?limit=1000', before);
    expect(followed).toMatchObject({ corpus_version: older.version, has_more: false });
    const since = await changes(`?cursor=${followed.cursor}`);
    expect(since.changes.map(({ event, capsule_id }) => `${event} ${capsule_id}`)).toEqual(ADDED.map((id) => `added ${id}`));
    expect([...followed.changes, ...since.changes]).toEqual((await changes('?limit=1000')).changes);
  });

  test('304 without a body while there is nothing new, at the beginning and at the end, and 200 after a publish', async () => {
    const end = (await changes('?limit=1000', before)).cursor;
    for (const search of ['', `?cursor=${end}`]) {
      const etag = (await before.fetch(CHANGES + search)).headers.get('etag') ?? '';
      const again = await before.fetch(CHANGES + search, { headers: { 'If-None-Match': etag } });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
      const published = await gateway.fetch(CHANGES + search, { headers: { 'If-None-Match': etag } });
      expect(published.status).toBe(200);
      await published.arrayBuffer();
    }
  });
});

describe('listChanges 400 invalid_request', () => {
  const DIGEST = 'a'.repeat(64);
  // Forms of limit are those of browseCapsules.
  test.each(words`
    cursor= cursor=1 cursor=00 cursor=-1 cursor=0.${DIGEST} cursor=01.${DIGEST} cursor=1.${DIGEST}a cursor=1.${DIGEST.slice(1)}
    cursor=1.${DIGEST.toUpperCase()} cursor=1.sha256:${DIGEST} cursor=${'1'.repeat(11)}.${DIGEST} cursor=%0a1.${DIGEST}
    cursor=1.${DIGEST}%0a cursor=${'c'.repeat(513)} cursor=0&cursor=0 limit=0 limit=9999999 since=2026-01-01 page=2 __proto__=1
  `)('?%s is refused, and the parameter is named', async (search) => {
    const problem = await expectProblem(await gateway.fetch(`${CHANGES}?${search}`), 'invalid_request');
    expect(faultsOf(problem).map(([place]) => place)).toContain(search.split('=')[0]);
  });
});

describe('listChanges 409 feed_restarted', () => {
  const anew = useInProcessGateway(async () => {
    const { capsules, ...content } = await sampleContent();
    const generation = await buildGeneration(await publishCapsules({ ...content, capsules: capsules.slice(1) }), []);
    return { generated: { generation }, blocks: generation.blocks };
  });

  test('a cursor of another log is refused, and the caller is told to take the bundle', async () => {
    for (const count of [1, 5, log.length - 5]) {
      const problem = await expectProblem(await anew.fetch(`${CHANGES}?cursor=${cursorAfter(count)}`), 'feed_restarted');
      expect(problem.next_actions.map(({ href }) => href)).toEqual([
        undefined,
        `${TEST_BASE_URL}/mirror/manifest.json`,
        TEST_BASE_URL + CHANGES,
      ]);
      expect(problem.retry_after_seconds).toBeUndefined();
    }
    expect((await changes('?cursor=0', anew)).changes.length).toBeGreaterThan(0);
  });

  test('a count beyond the end is refused with the advice to ask again first, with the digest of the end or any other', async () => {
    const { digest = '' } = log.at(-1) ?? {};
    const answers = [
      await gateway.fetch(`${CHANGES}?cursor=${log.length + 1}.${digest.slice(7)}`),
      await gateway.fetch(`${CHANGES}?cursor=9999999999.${'0'.repeat(64)}`),
      await before.fetch(`${CHANGES}?cursor=${cursorAfter(log.length)}`),
    ];
    for (const answer of answers) {
      const { detail, retry_after_seconds } = await expectProblem(answer, 'feed_restarted');
      expect(detail).toContain('An older deployment may have responded');
      expect(detail).toContain('rolled back');
      expect(retry_after_seconds).toBe(60);
    }
  });

  test('a digest of another place of the same log is refused', async () => {
    const [, digest] = cursorAfter(4).split('.');
    const problem = await expectProblem(await gateway.fetch(`${CHANGES}?cursor=5.${digest}`), 'feed_restarted');
    expect(problem.detail).toContain('Download the bundle');
    expect(problem.retry_after_seconds).toBeUndefined();
  });
});

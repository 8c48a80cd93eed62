import { describe, expect, test } from 'vitest';
import { buildGeneration } from '../../../src/build/corpus-blocks/build-generation.ts';
import { encodeCursor } from '../../../src/gateway/knowledge/cursor.ts';
import { publishCapsules } from '../../../src/publication/publish/published-capsules.ts';
import { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { contentOf, syntheticCapsules } from '../../bench/capsule-corpus.ts';
import type { Requests } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

/** A capsule on which so many rest that its graph has three pages. */
const DEPENDANTS = LIMITS.lineageMaxNodes * 2 + 5;
const authored = syntheticCapsules(DEPENDANTS + 1, 11).map((capsule) => ({ ...capsule, markdown: `Text of ${capsule.id}.\n` }));
const [hub = '', ...ids] = authored.map(({ id }) => id);
const related = authored.map((capsule) => ({
  ...capsule,
  frontMatter: { ...capsule.frontMatter, derived_from: capsule.id === hub ? [] : [hub], cites: [] },
}));
const older = await buildGeneration(await publishCapsules(contentOf(related.slice(0, -1))), []);
const newer = await buildGeneration(await publishCapsules(contentOf(related)), [older]);
const blocks = new Map([...older.blocks, ...newer.blocks]);
const gateway = useInProcessGateway({ generated: { generation: newer }, blocks });
const before = useInProcessGateway({ generated: { generation: older }, blocks });
const path = (id: string, cursor?: string | null): string =>
  `/api/v1/agent-gateway/capsule/${id}/lineage${cursor === undefined ? '' : `?cursor=${cursor}`}`;

async function pagesFrom(service: Requests, cursor?: string | null): Promise<Lineage[]> {
  const pages: Lineage[] = [];
  for (let next = cursor; next !== null; next = pages.at(-1)?.graph.next_cursor ?? null) {
    expect(pages.length).toBeLessThan(10);
    const response = await service.fetch(path(hub, next));
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    pages.push(Lineage.parse(await response.json()));
  }
  return pages;
}
const idsOn = (pages: readonly Lineage[]): string[] => pages.flatMap(({ graph }) => graph.nodes.map(({ capsule_id }) => capsule_id));
const cursorOf = async (service: Requests = gateway): Promise<string> =>
  Lineage.parse(await (await service.fetch(path(hub))).json()).graph.next_cursor ?? '';

describe('pages of the graph of getCapsuleLineage', () => {
  test('lead to every capsule around once, each with the whole proof', async () => {
    const pages = await pagesFrom(gateway);
    expect(pages).toHaveLength(3);
    expect(idsOn(pages)).toEqual([hub, ...[...ids].sort()]);
    for (const { graph, head, versions } of pages) {
      expect([graph.total, head, versions]).toEqual([DEPENDANTS + 1, pages[0]?.head, pages[0]?.versions]);
      expect(graph.nodes.every(({ hash_ok }) => hash_ok)).toBe(true);
    }
  });

  test('go on in the generation that their cursor came from, although a newer one is out', async () => {
    const cursor = await cursorOf(before);
    expect(await pagesFrom(gateway, cursor)).toEqual(await pagesFrom(before, cursor));
    expect(idsOn(await pagesFrom(gateway, cursor))).not.toContain(ids.at(-1));
  });
});

describe('getCapsuleLineage 400 invalid_cursor', () => {
  test('a cursor of another capsule or of another list is refused', async () => {
    const [other = ''] = ids;
    await expectProblem(await gateway.fetch(path(other, await cursorOf())), 'invalid_cursor');
    await expectProblem(await gateway.fetch(path('no-such-capsule', await cursorOf())), 'invalid_cursor');
    const ofBrowse = (await (await gateway.fetch('/api/v1/capsules/public/browse?limit=1')).json()) as { page: { next_cursor: string } };
    await expectProblem(await gateway.fetch(path(hub, ofBrowse.page.next_cursor)), 'invalid_cursor');
  });

  test('one that can be none by its length is named as a parameter', async () => {
    for (const cursor of ['', 'c'.repeat(513)]) {
      const problem = await expectProblem(await gateway.fetch(path(hub, cursor)), 'invalid_request');
      expect(faultsOf(problem)).toEqual([['cursor', expect.stringMatching(/ characters?$/)]]);
    }
  });

  test('one of a place where no page begins does no harm', async () => {
    for (const offset of [1, DEPENDANTS + 1, 999_999_999]) {
      const cursor = encodeCursor({ corpusVersion: newer.version, offset }, { lineage: hub });
      expect((await gateway.fetch(path(hub, cursor))).status).toBeLessThan(500);
    }
  });
});

describe('getCapsuleLineage 409 corpus_superseded', () => {
  const empty = useInProcessGateway({ generated: { generation: older }, blocks: 'none' });

  test('a cursor of a generation that is not listed is refused, without reading anything', async () => {
    const problem = await expectProblem(await empty.fetch(path(hub, await cursorOf())), 'corpus_superseded');
    expect(problem.next_actions.length).toBeGreaterThan(0);
    await expectProblem(await empty.fetch(path(hub)), 'index_unavailable');
  });
});

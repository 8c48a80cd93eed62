import { describe, expect, it } from 'vitest';
import { errorsOf } from '../../../src/http/define-route.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { builtGenerated } from '../../support/edge-gateway.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const FORMER = {
  furtherAddresses: { '/guide/ranking.html': 'bm25' },
  formerIds: { 'ranking-by-bm25': 'bm25' },
  takenDown: {
    'left-pad': { date: '2026-11-20', reason: 'Its author asked for it.', legal: false },
    'court-case': { date: '2026-11-21', reason: 'A court ordered it.', legal: true },
  },
};

const gateway = useInProcessGateway(async () => {
  const generated = await builtGenerated();
  return { generated: { deployment: { ...generated.deployment, ...FORMER } } };
});

const API = '/api/v1/agent-gateway/capsule';

describe('a former id', () => {
  it.each([
    ['/capsules/ranking-by-bm25', '/capsules/bm25'],
    ['/capsules/ranking-by-bm25.md', '/capsules/bm25.md'],
    ['/capsules/ranking-by-bm25/1.0.0.md', '/capsules/bm25/1.0.0.md'],
    ['/capsules/ranking-by-bm25/capsule.json', '/capsules/bm25/capsule.json'],
    ['/capsules/ranking-by-bm25/lineage.json', '/capsules/bm25/lineage.json'],
    [`${API}/ranking-by-bm25?version=1.0.0`, `${API}/bm25?version=1.0.0`],
    [`${API}/ranking-by-bm25/lineage`, `${API}/bm25/lineage`],
    [`${API}/ranking-by-bm25/related`, `${API}/bm25/related`],
  ])('%s leads to %s', async (from, to) => {
    const response = await gateway.fetch(from, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, to]);
  });

  it('leads from a further address to the page of its capsule, with the query', async () => {
    const response = await gateway.fetch('/guide/ranking.html?x=1', { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, '/capsules/bm25?x=1']);
  });

  it('is fetched as the present capsule, with a note', async () => {
    const response = await gateway.fetch('/api/v1/capsules/fetch', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ids: ['ranking-by-bm25', { capsule_id: 'ranking-by-bm25', version: '1.0.0' }, 'left-pad', 'bm25'] }),
    });
    const { items } = (await response.json()) as { items: { capsule?: { capsule_id: string } }[] };
    expect(items).toMatchObject([
      {
        capsule_id: 'ranking-by-bm25',
        outcome: 'ok',
        detail: 'The capsule "ranking-by-bm25" is "bm25" now.',
        capsule: { capsule_id: 'bm25' },
      },
      { capsule_id: 'ranking-by-bm25', version: '1.0.0', outcome: 'repeated' },
      {
        capsule_id: 'left-pad',
        outcome: 'taken_down',
        detail: 'The capsule "left-pad" was taken down on 2026-11-20: Its author asked for it.',
      },
      { capsule_id: 'bm25', outcome: 'repeated' },
    ]);
    expect(items[2]).not.toHaveProperty('capsule');
    expect(items[3]).not.toHaveProperty('detail');
  });
});

describe('a capsule that was taken down', () => {
  it.each([
    ['/capsules/left-pad.md', 410, 'capsule_taken_down'],
    ['/capsules/left-pad/1.0.0.md', 410, 'capsule_taken_down'],
    ['/capsules/left-pad/capsule.json', 410, 'capsule_taken_down'],
    [`${API}/left-pad`, 410, 'capsule_taken_down'],
    [`${API}/left-pad/related`, 410, 'capsule_taken_down'],
    [`${API}/court-case?version=1.0.0`, 451, 'capsule_blocked'],
    ['/capsules/court-case.md', 451, 'capsule_blocked'],
  ])('answers %s with %s %s', async (path, status, code) => {
    const response = await gateway.fetch(path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const problem = (await response.json()) as { code: string; detail: string; next_actions: { href: string }[] };
    expect(problem).toMatchObject({ code, detail: expect.stringContaining('was taken down on 2026-11-2') as string });
    expect(problem.next_actions[0]?.href).toMatch(/\/capsules\/(left-pad|court-case)\/lineage\.json$/);
  });

  it('shows people a page, with the same status', async () => {
    const response = await gateway.fetch('/capsules/court-case', { headers: { Accept: 'text/html' } });
    expect([response.status, await response.text()]).toEqual([451, 'file /capsules/court-case']);
  });

  it.each(['/capsules/left-pad/lineage.json', `${API}/left-pad/lineage`])('has its tombstone at %s', async (path) => {
    const response = await gateway.fetch(path);
    expect([response.status, await response.text()]).toEqual([200, 'file /capsules/left-pad/lineage.json']);
  });

  it('keeps its id from proposals and from other methods', async () => {
    expect((await gateway.fetch('/capsules/left-pad', { method: 'POST' })).status).toBe(405);
    expect((await gateway.fetch(`${API}/left-pad`, { method: 'POST' })).status).toBe(405);
  });
});

it('is declared where it exists, and nowhere else', async () => {
  const { deployment } = await builtGenerated();
  const route = (id: string, settings: typeof deployment) => routeTable(settings).find((candidate) => candidate.id === id);
  const former = route('getCapsule', { ...deployment, ...FORMER });
  expect(former?.responses.map(({ status }) => status)).toContain(308);
  expect(former && errorsOf(former)).toEqual(expect.arrayContaining(['capsule_taken_down', 'capsule_blocked']));
  const usual = route('getCapsule', deployment);
  expect(usual?.responses.map(({ status }) => status)).not.toContain(308);
  expect(usual && errorsOf(usual)).not.toContain('capsule_taken_down');
});

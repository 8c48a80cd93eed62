import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taggedDocuments } from '../../../src/documents/make-documents.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { makePublication } from '../../support/sample-content.ts';
import { publisher, writeWorld } from '../../unit/publication/content-world.ts';

const gateway = useInProcessGateway(async () => {
  const root = await mkdtemp(join(tmpdir(), 'akg-empty-'));
  const nothing = { 'capsules/a-capsule.md': undefined, 'offers/an-offer.md': undefined };
  const settings = publisher({ checkout_host: undefined, offers: undefined, commerce: '{ acp: true, ucp: true }' });
  await writeWorld({ 'publisher.yaml': settings, ...nothing }, root);
  const { content, problems } = await readContent(root, { today: new Date().toISOString().slice(0, 10), baseUrl: TEST_BASE_URL });
  await rm(root, { recursive: true });
  if (content === undefined) throw new Error(JSON.stringify(problems));
  const { publication, generation } = await makePublication(content, { mode: 'edge' });
  const { version, manifest, blocks } = generation;
  const documents = await taggedDocuments(publication);
  return { generated: { deployment: publication.deployment, generation: { version, manifest }, documents }, blocks };
});

describe('a publication without capsules and offers', () => {
  test('lists nothing, and is in order', async () => {
    expect(await (await gateway.fetch(`${PATHS.publicCapsules}/browse`)).json()).toMatchObject({ items: [], page: { total: 0 } });
    expect(await (await gateway.fetch(`${PATHS.publicCapsules}/changes`)).json()).toMatchObject({ changes: [], total: 0 });
    expect(await (await gateway.fetch(`${PATHS.publicCapsules}/status`)).json()).toMatchObject({
      status: 'ok',
      corpus: { capsules: 0 },
      checks: ['query', 'capsule', 'index', 'keys', 'database'].map((name) => ({ name, ok: true })),
    });
    expect((await gateway.fetch(`${PATHS.gateway}/capsule/bm25`)).status).toBe(404);
  });

  test('answers at the addresses of a shop', async () => {
    expect(await (await gateway.fetch(PATHS.checkout)).text()).toBe('file /checkout');
    for (const path of [PATHS.invoice, PATHS.buyInvoice])
      expect(await (await gateway.fetch(path)).json()).toMatchObject({ page: 'invoice', props: { offers: [] } });
    const refused = await gateway.post('/api/v1/commerce/invoice-requests', {
      items: [{ id: 'wheel', quantity: 1 }],
      name: 'Ada',
      email: 'ada@buyer.example',
    });
    expect(await refused.json()).toMatchObject({ code: 'offer_not_found' });
  });
});

import { describe, expect, it } from 'vitest';
import { documentFiles, functionDocuments } from '../../../src/documents/make-documents.ts';
import { PROTOCOLS, protocolDocuments, protocolRoutes } from '../../../src/protocols/protocols.ts';
import { routeTable } from '../../../src/routes/route-table.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';
import { smallPublication } from '../documents/publication-fixture.ts';

const off = { baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' };
const on = { ...off, commerce: { acp: true, ucp: true }, payments: TEST_PAYMENTS };

describe('PROTOCOLS', () => {
  it('publish each document once', () => {
    const documents = protocolDocuments(on);
    expect(documents).toEqual(PROTOCOLS.flatMap((protocol) => protocol.documents ?? []));
    for (const key of ['name', 'path'] as const) expect(new Set(documents.map((document) => document[key])).size).toBe(documents.length);
  });

  it('are in the route table whole where they are on, and with what every deployment publishes where they are off', () => {
    const table = routeTable(on).map(({ id }) => id);
    const { documents, operations } = protocolRoutes(on);
    expect(table).toEqual(expect.arrayContaining([...documents, ...operations].map(({ id }) => id)));
    const { operations: always } = protocolRoutes(off);
    expect(always.map(({ id }) => id).sort()).toEqual([
      'askSite',
      'askSiteByPost',
      'callMcp',
      'getAgentCard',
      'getMcpResource',
      'getPaymentKeys',
      'sendA2aMessage',
    ]);
    expect(protocolRoutes(off).documents.map(({ id }) => id)).toEqual(['getAcpDiscovery', 'discoverOffers', 'getX402Descriptor']);
  });

  it.each(['edge', 'static'] as const)('have every published document in the %s build, as a file or for functions', async (mode) => {
    const publication = await smallPublication(mode);
    const files = new Map(documentFiles(publication).map(({ path, body }) => [path, body]));
    const built = functionDocuments(publication);
    for (const { name, path, route } of protocolDocuments(publication.deployment)) {
      const operation = route?.(publication.deployment);
      if (operation === undefined || mode === 'static') expect(files.has(operation?.staticPath ?? path)).toBe(true);
      else expect(built[name]?.body).toMatch(/^\{/);
    }
  });
});

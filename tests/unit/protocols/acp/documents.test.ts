import { describe, expect, it } from 'vitest';
import { acpExamples, acpFeedProducts, acpProtocol, acpWellKnown } from '../../../../src/protocols/acp/acp.ts';
import { routeTable } from '../../../../src/routes/route-table.ts';
import { PATHS } from '../../../../src/schemas/paths.ts';
import { officialAcp } from '../../../support/official-schemas.ts';
import { realPublication, smallPublication } from '../../documents/publication-fixture.ts';

const official = officialAcp();
const publications = [await smallPublication('edge'), await smallPublication('static'), await realPublication('edge')];

interface Product {
  readonly id: string;
  readonly variants: readonly { readonly id: string; readonly price: { readonly amount: number; readonly currency: string } }[];
}

describe.each(publications)('acpFeedProducts()', (publication) => {
  const lines = acpFeedProducts(publication).trimEnd().split('\n');

  it('gives metadata and one product a line, as the official schema has them', () => {
    const metadata = acpProtocol.documents?.find(({ path }) => path === PATHS.acpFeedMetadata)?.make(publication, {} as never);
    expect(official('FeedMetadata', JSON.parse(String(metadata?.body)), 'feed')).toEqual([]);
    for (const line of lines) expect(official('Product', JSON.parse(line), 'feed')).toEqual([]);
  });

  it('has every offer once, at the price of the catalog', () => {
    expect(lines.map((line) => (JSON.parse(line) as Product).variants.map(({ id, price }) => ({ id, ...price })))).toEqual(
      publication.deployment.offers.map(({ id, amountMinor, currency }) => [{ id, amount: amountMinor, currency }]),
    );
  });

  it('never says that a demonstration can be bought', () => {
    for (const [index, { demo }] of publication.offers.entries()) expect(lines[index]?.includes('"available":true')).toBe(!demo);
  });
});

describe('acpExamples()', () => {
  it('are those of every operation of the protocol, and its requests by the official schema', async () => {
    const publication = await smallPublication('edge');
    const examples = acpExamples(publication);
    const routes = routeTable(publication.deployment).filter(({ path }) => /^\/api\/v1\/acp\/(checkout|order_webhook)/.test(path));
    expect(Object.keys(examples)).toEqual(routes.map(({ id }) => id));
    expect(official('CheckoutSessionUpdateRequest', examples['updateCheckoutSession']?.request)).toEqual([]);
    expect(official('CheckoutSessionCompleteRequest', examples['completeCheckoutSession']?.request)).toEqual([]);
  });

  it('are none where the protocol is off', async () => expect(acpExamples(await smallPublication('static'))).toEqual({}));
});

const real = await realPublication('edge');

describe('acpWellKnown()', () => {
  it.runIf(official.isHere).each(publications)('satisfies DiscoveryResponse of the protocol, which is closed', (publication) => {
    const document = acpWellKnown(publication);
    expect(official('DiscoveryResponse', document)).toEqual([]);
    expect(official('DiscoveryResponse', { ...document, merchant_id: 'x' })).not.toEqual([]);
  });

  it('declares nothing that is not switched on, at the same address in both modes', async () => {
    for (const mode of ['edge', 'static'] as const) {
      const publication = await smallPublication(mode);
      const { commerce } = publication.deployment;
      for (const acp of [commerce.acp, false]) {
        expect(acpWellKnown({ ...publication, deployment: { ...publication.deployment, commerce: { ...commerce, acp } } })).toMatchObject({
          api_base_url: 'https://lantern.example/api/v1/acp',
          transports: ['rest'],
          capabilities: { services: mode === 'edge' && acp ? ['checkout'] : [], supported_currencies: ['usd'] },
        });
      }
    }
  });

  it('names the guide where there is one', () => {
    expect(acpWellKnown(real).protocol.documentation_url).toBe(`${real.deployment.baseUrl}/docs/agentic-commerce`);
  });
});

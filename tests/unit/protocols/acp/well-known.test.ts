import { describe, expect, it } from 'vitest';
import { acpWellKnown } from '../../../../src/protocols/acp/protocol.ts';
import { officialAcp } from '../../../support/official-schemas.ts';
import { realPublication, smallPublication } from '../../documents/publication-fixture.ts';

const official = officialAcp();
const real = await realPublication('edge');

describe('acpWellKnown()', () => {
  it.runIf(official.isHere)('satisfies DiscoveryResponse of the Agentic Commerce Protocol 2026-04-17', async () => {
    for (const publication of [await smallPublication('edge'), await smallPublication('static'), real]) {
      const document = acpWellKnown(publication);
      expect(official('DiscoveryResponse', document)).toEqual([]);
      expect(official('DiscoveryResponse', { ...document, merchant_id: 'x' })).not.toEqual([]);
    }
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

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { acpWellKnown } from '../../../../src/protocols/acp/protocol.ts';
import { OFFICIAL_SCHEMAS } from '../../../support/paths.ts';
import { realPublication, smallPublication } from '../../documents/publication-fixture.ts';

/** The official schemas, where they are at hand. */
const SCHEMA = resolve(OFFICIAL_SCHEMAS, 'acp/2026-04-17/json-schema/schema.agentic_checkout.json');

const real = await realPublication('edge');

if (!existsSync(SCHEMA)) console.log('skipped: the official schema of the Agentic Commerce Protocol is not here');

describe('acpWellKnown()', () => {
  it.skipIf(!existsSync(SCHEMA))('satisfies DiscoveryResponse of the Agentic Commerce Protocol 2026-04-17', async () => {
    const schema = JSON.parse(readFileSync(SCHEMA, 'utf8')) as { $id: string };
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    ajv.addSchema(schema);
    const validate = ajv.compile({ $ref: `${schema.$id}#/$defs/DiscoveryResponse` });
    for (const publication of [await smallPublication('edge'), await smallPublication('static'), real]) {
      const document = acpWellKnown(publication);
      expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ ...document, merchant_id: 'x' })).toBe(false);
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

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { descriptionForAgents, operationSlices } from '../../../src/documents/openapi/agent-description.ts';
import { openApiDocument } from '../../../src/documents/openapi/openapi.ts';
import type { OpenApiObject } from '../../../src/documents/openapi/openapi-types.ts';
import { realPublication } from './publication-fixture.ts';

/** About 15,000 tokens. */
const AGENT_DESCRIPTION_MAX_BYTES = 60_000;

/** Largest size of half of the descriptions of single operations, in bytes. */
const SLICE_MEDIAN_BYTES = 6_000;

const bytesOf = (value: unknown): number => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));

describe.each(['edge', 'static'] as const)('small descriptions of a deployment in mode %s', (mode) => {
  it('are as small as agents need them', async () => {
    const publication = await realPublication(mode);
    const agent = bytesOf(descriptionForAgents(publication));
    const slices = operationSlices(publication)
      .map(({ body }) => bytesOf(String(body)))
      .sort((a, b) => a - b);
    const median = slices[Math.floor(slices.length / 2)] ?? 0;
    console.log(
      `${mode}: whole ${bytesOf(openApiDocument(publication))}, for agents ${agent}, slices ${slices.length}: median ${median}, largest ${slices.at(-1)} bytes`,
    );
    expect(agent).toBeLessThanOrEqual(AGENT_DESCRIPTION_MAX_BYTES);
    expect(median).toBeLessThanOrEqual(SLICE_MEDIAN_BYTES);
  });

  it('have the list of offers, which the published interface names', async () => {
    const { paths } = descriptionForAgents(await realPublication(mode));
    const { get } = paths[mode === 'edge' ? '/api/v1/acp/discover' : '/data/acp-discover.json'] ?? {};
    expect(get?.operationId).toBe('discoverOffers');
    expect(Object.keys(get?.responses ?? {})).toEqual(['200']);
  });

  it('refer to nothing that they leave out, and their schemas compile and accept the examples', async () => {
    const publication = await realPublication(mode);
    const documents = [
      descriptionForAgents(publication),
      ...operationSlices(publication).map(({ body }) => JSON.parse(String(body)) as OpenApiObject),
    ];
    for (const document of documents) {
      const ajv = new Ajv2020({ strict: false, validateFormats: true, inlineRefs: false, code: { optimize: false } });
      addFormats(ajv);
      ajv.addSchema({ $id: 'https://description.test/', ...document });
      for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"#([^"]+)"/g))
        expect(ajv.getSchema(`https://description.test/#${reference}`), reference).toBeDefined();
      for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
        const { schema, example } = (
          operation.requestBody?.['content'] as Record<string, { schema: object; example?: unknown }> | undefined
        )?.['application/json'] ?? { schema: {} };
        if (example === undefined) continue;
        const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://description.test/#/')) as object);
        expect(validate(example), `${operation.operationId} ${JSON.stringify(validate.errors)}`).toBe(true);
      }
    }
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { capabilities } from '../../../../src/documents/capabilities-and-catalog.ts';
import { documentFiles } from '../../../../src/documents/make-documents.ts';
import { openApiDocument } from '../../../../src/documents/openapi/openapi.ts';
import { x402Descriptor, x402Items } from '../../../../src/protocols/x402/x402.ts';
import { PATHS } from '../../../../src/schemas/paths.ts';
import type { Publication } from '../../../../src/text/publication-model.ts';
import { officialSchemas } from '../../../support/official-schemas.ts';
import { SOLD_CAPSULE, soldContent } from '../../../support/paid-site.ts';
import { makePublication } from '../../../support/sample-content.ts';

const schemas = officialSchemas('mpp');
let on: Publication;
beforeAll(async () => {
  on = (await makePublication(await soldContent(), { mode: 'edge', rateLimits: undefined })).publication;
});

describe('what is sold, while payments are on', () => {
  test('is paid by card alone where its price is in euros, and every document says so', async () => {
    const content = await soldContent();
    const capsules = content.capsules.map((one) =>
      one.id === SOLD_CAPSULE.id ? { ...one, frontMatter: { ...one.frontMatter, price_usd: undefined, prices: { EUR: 0.95 } } } : one,
    );
    const publisher = { ...content.publisher, payments: { ...content.publisher.payments, stripe_profile: 'profile_1AbC' } };
    const { publication } = await makePublication({ ...content, capsules, publisher }, { mode: 'edge', rateLimits: undefined });
    expect([x402Descriptor(publication).resources, x402Items(publication).items]).toEqual([[], []]);
    const { paths } = openApiDocument(publication);
    expect(paths[`/api/v1/agent-gateway/capsule/${SOLD_CAPSULE.id}`]?.['get']?.['x-payment-info']).toEqual({
      intent: 'charge',
      method: 'stripe',
      amount: '95',
      currency: 'eur',
      description: '0.95 EUR by card',
    });
    const files = documentFiles(publication);
    for (const path of [PATHS.llmsTxt, PATHS.licenseXml]) {
      const body = files.find((file) => file.path === path)?.body ?? '';
      expect(body).toMatch(/0\.95 EUR|<amount currency="EUR">0\.95</);
      expect(body).not.toContain('USD 0.50');
    }
  });

  test('has an operation of its own, without a path parameter, with its price and a 402', () => {
    const operation = openApiDocument(on).paths[`/api/v1/agent-gateway/capsule/${SOLD_CAPSULE.id}`]?.['get'];
    expect(operation?.operationId).toBe(`getCapsule_${SOLD_CAPSULE.id.replaceAll('-', '_')}`);
    expect(operation?.parameters?.map(({ name }) => name)).toEqual(['version', 'pass', 'PAYMENT-SIGNATURE', 'Pay-With']);
    expect(Object.keys(operation?.responses ?? {})).toContain('402');
    expect(operation?.['x-payment-info']).toEqual({
      intent: 'charge',
      method: 'evm',
      amount: '500000',
      currency: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      description: '0.50 USD on Base Sepolia',
    });
  });

  test.skipIf(schemas === undefined)('is described as the schemas of draft-payment-discovery-00 say, which are closed', () => {
    const ajv = new Ajv2020({ strict: false, formats: { uri: true } });
    const faultsOf = (name: string, value: unknown): unknown => {
      const validate = ajv.compile(JSON.parse(readFileSync(join(schemas ?? '', `${name}.schema.json`), 'utf8')) as object);
      return validate(value) ? [] : validate.errors;
    };
    const { paths, ...document } = openApiDocument(on);
    const infos = Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => operation['x-payment-info'] ?? []),
    );
    expect(infos).toHaveLength(1);
    for (const info of infos) expect(faultsOf('x-payment-info', info)).toEqual([]);
    expect(faultsOf('x-service-info', document['x-service-info'])).toEqual([]);
    expect(faultsOf('x-payment-info', { ...(infos[0] as object), protocols: [] })).not.toEqual([]);
  });

  test('is told by capabilities, and with a path to fill in', () => {
    const pathParams = { capsule_id: SOLD_CAPSULE.id };
    expect(x402Items(on).items).toMatchObject([{ input: { routeTemplate: '/api/v1/agent-gateway/capsule/:capsule_id', pathParams } }]);
    expect(capabilities(on).protocols.find(({ name }) => name === 'x402')?.services).toEqual(['exact']);
  });
});

import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it, test } from 'vitest';
import { mergeTypes } from '../../../../src/documents/openapi/component-schemas.ts';
import { openApiDocument, reachable, tagsIn } from '../../../../src/documents/openapi/openapi.ts';
import { descriptionForAgents, operationSlices } from '../../../../src/documents/openapi/openapi-for-agents.ts';
import type { OpenApiObject, OperationObject, ResponseObject } from '../../../../src/documents/openapi/openapi-types.ts';
import { errorsOf, statusOf } from '../../../../src/http/define-route.ts';
import { describedRoutes } from '../../../../src/routes/route-table.ts';
import { featuresOf } from '../../../../src/schemas/feature-switches.ts';
import { problemPath } from '../../../../src/schemas/paths.ts';
import { words } from '../../../support/words.ts';
import { realPublication, smallPublication } from '../publication-fixture.ts';

type Json = Record<string, unknown>;

const documents = [
  { name: 'small edge', publication: await smallPublication('edge') },
  { name: 'small static', publication: await smallPublication('static') },
  { name: 'real edge', publication: await realPublication('edge') },
].map(({ name, publication }) => ({
  name,
  publication,
  document: JSON.parse(JSON.stringify(openApiDocument(publication))) as OpenApiObject,
  table: describedRoutes(publication.deployment, featuresOf(publication.publisher, publication.offers)),
}));

const operationsOf = (document: OpenApiObject): OperationObject[] => Object.values(document.paths).flatMap((item) => Object.values(item));

const operationNamed = (document: OpenApiObject, id: string): OperationObject =>
  operationsOf(document).find(({ operationId }) => operationId === id) as OperationObject;

function resolve(document: OpenApiObject, value: unknown): Json {
  if (typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string') {
    const found = value.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((at, part) => (at as Json | undefined)?.[part], document);
    if (found === undefined) throw new Error(`${value.$ref} does not exist`);
    return found as Json;
  }
  return value as Json;
}

function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const child of Object.values(value)) yield* objectsIn(child);
}

function mediaTypesOf(document: OpenApiObject): { where: string; type: string; schema: Json; examples: unknown[] }[] {
  return operationsOf(document).flatMap((operation) => {
    const bodies: [string, Json][] = [
      ...(operation.requestBody ? [['request', operation.requestBody] as [string, Json]] : []),
      ...Object.entries(operation.responses).map(([status, response]) => [status, resolve(document, response)] as [string, Json]),
    ];
    return bodies.flatMap(([place, { content = {} }]) =>
      Object.entries(content as Record<string, Json>).map(([type, media]) => ({
        where: `${operation.operationId} ${place} ${type}`,
        type,
        schema: media['schema'] as Json,
        examples: [
          ...('example' in media ? [media['example']] : []),
          ...Object.values((media['examples'] ?? {}) as Json).map((example) => resolve(document, example)['value']),
        ],
      })),
    );
  });
}

const REQUEST_SCHEMAS = [
  'AcpBuyer',
  'AcpCompleteRequest',
  'AcpCreateRequest',
  'AcpLineItem',
  'AcpUpdateRequest',
  ...['QueryRequest', 'QueryFilters', 'RegistrationRequest', 'FetchRequest', 'FetchReference'],
  ...['IntakeRequest', 'CapsuleProposal', 'CorrectionProposal', 'InvoiceRequestBody', 'RotateRequest', 'RevokeRequest'],
  ...['UcpSearchRequest', 'UcpLookupRequest', 'UcpProductRequest', 'UcpCheckoutRequest', 'UcpCompleteRequest'],
];

describe.each(documents)('openApiDocument() of the $name publication', ({ publication, document, table }) => {
  const operations = operationsOf(document);
  const published = table.filter(({ edge }) => publication.deployment.mode === 'edge' || !edge);

  it('has every operation once, under its tag', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect([...ids].sort()).toEqual(published.map(({ id }) => id).sort());
    expect(new Set(ids).size).toBe(ids.length);
    const tags = document.tags.map(({ name }) => name);
    expect([...tags].sort()).toEqual([...new Set(operations.flatMap((operation) => operation.tags))].sort());
  });

  it('names parameters as the schemas do', () => {
    for (const route of published) {
      const { parameters = [] } = operationNamed(document, route.id);
      const keys = (schema: unknown): string[] => Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
      const named = (place: string): string[] => parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
      const isFile = publication.deployment.mode === 'static';
      expect(named('path')).toEqual(keys(route.pathParameters));
      expect(named('query')).toEqual(isFile ? [] : keys(route.queryParameters));
      expect(named('header')).toEqual(isFile ? [] : (route.headers ?? []).map(({ name }) => name));
      for (const { schema, description } of parameters) {
        expect(schema).not.toHaveProperty('$ref');
        expect(description.length).toBeGreaterThan(9);
      }
    }
  });

  it('refers only to components that exist, and has none that nothing refers to', () => {
    const used = new Set([...objectsIn(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])));
    for (const $ref of used) expect(() => resolve(document, { $ref })).not.toThrow();
    const { securitySchemes: _schemes, ...components } = document.components;
    for (const [kind, entries] of Object.entries(components))
      for (const name of Object.keys(entries)) expect(used).toContain(`#/components/${kind}/${name}`);
  });

  it('gives examples that satisfy their schemas, and one for every JSON answer', () => {
    const ajv = new Ajv2020({ strict: false, inlineRefs: false, code: { optimize: false } });
    addFormats(ajv);
    ajv.addSchema({ $id: 'https://document.example/', ...document } as Json);
    const withAddress = (schema: unknown): Json =>
      JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"https://document.example/#/components/')) as Json;
    for (const { where, type, schema, examples } of mediaTypesOf(document)) {
      if (type.endsWith('json')) expect(examples.length, where).toBeGreaterThan(0);
      const validate = ajv.compile(withAddress(schema));
      for (const example of examples) expect(validate(example), `${where} ${JSON.stringify(validate.errors?.slice(0, 3))}`).toBe(true);
    }
    for (const { parameters = [], operationId } of operations) {
      for (const { name, schema, example } of parameters)
        if (example !== undefined) expect(ajv.validate(schema, example), `${operationId} ${name}`).toBe(true);
    }
  });

  it('says what every member is', () => {
    const schemas = [document.components.schemas, ...mediaTypesOf(document).map(({ schema }) => schema)];
    const members = schemas.flatMap((schema) =>
      [...objectsIn(schema)].flatMap(({ properties = {} }) => Object.entries(properties as Json)),
    );
    const isDescribed = (member: unknown): boolean => 'description' in (member as Json) || 'description' in resolve(document, member);
    expect(members.filter(([, member]) => !isDescribed(member)).map(([name]) => name)).toEqual([]);
    expect(members.length).toBeGreaterThan(100);
  });

  it('leaves answers open and bounds everything in requests', () => {
    for (const [name, schema] of Object.entries(document.components.schemas ?? {})) {
      if (REQUEST_SCHEMAS.includes(name)) continue;
      for (const part of objectsIn(schema)) expect(part['additionalProperties'], name).not.toBe(false);
    }
    const requests = REQUEST_SCHEMAS.map((name) => document.components.schemas?.[name]);
    const parameters = operations.flatMap((operation) => (operation.parameters ?? []).map(({ schema }) => schema));
    for (const part of objectsIn([...requests, ...parameters])) {
      if (part['type'] === 'string' && !('enum' in part) && !('const' in part)) expect(part).toHaveProperty('maxLength');
      if (part['type'] === 'array') expect(part).toHaveProperty('maxItems');
      if (part['type'] === 'integer' || part['type'] === 'number')
        expect(part).toMatchObject({ minimum: expect.any(Number) as number, maximum: expect.any(Number) as number });
      // Without a least of its own, an integer has the least safe one; an expected price is only compared.
      if (part['minimum'] === Number.MIN_SAFE_INTEGER) expect(part['description']).toMatch(/^Expected price/);
    }
    if (publication.deployment.mode === 'edge')
      expect(document.components.schemas).toMatchObject({
        QueryRequest: { additionalProperties: false },
        QueryFilters: { additionalProperties: false },
        FetchRequest: { additionalProperties: false },
        FetchReference: { additionalProperties: false },
        CapsuleProposal: { additionalProperties: false },
        CorrectionProposal: { additionalProperties: false },
      });
  });
});

describe.each(documents.filter(({ publication }) => publication.deployment.mode === 'edge'))(
  'errors in openApiDocument() of the $name publication',
  ({ publication, document, table }) => {
    const { baseUrl } = publication.deployment;

    it('has every error of every function, by its status, with an example, and as a page where an operation shows it to browsers', () => {
      for (const route of table.filter(({ servedBy }) => servedBy === 'function')) {
        const { protocol, refusalPage } = route;
        for (const code of errorsOf(route)) {
          const { responses } = operationNamed(document, route.id);
          const { description, content = {} } = resolve(document, responses[statusOf(code, protocol)]) as unknown as ResponseObject;
          const [type = '', ...others] = Object.keys(content);
          expect(description).toContain(`${baseUrl}${problemPath(code)}`);
          expect(type).toBe(protocol ? 'application/json' : 'application/problem+json');
          expect(others, `${route.id} ${code}`).toEqual(refusalPage !== undefined && code !== 'internal' ? ['text/html'] : []);
          if (!protocol) expect(content[type]?.['schema']).toEqual({ $ref: '#/components/schemas/Problem' });
          expect(Object.keys((content[type]?.['examples'] ?? {}) as Json), `${route.id} ${code}`).toContain(code);
        }
      }
    });

    it('asks for a key exactly where the table does', () => {
      for (const route of table) {
        const { security } = operationNamed(document, route.id);
        expect(security).toEqual(route.acceptsKey ? [{}, { apiKey: [] }] : route.access === 'open' ? [] : [{ apiKey: [] }]);
      }
    });
  },
);

/** What operations as files differ in besides the subtraction: words, and answers that name their deployment. */
const OTHER_WORDS = ['browseCapsules', 'getCapsule', 'getCapsuleLineage', 'listChanges'];
const OTHER_EXAMPLES = [...words`browseCapsules listChanges getStatus getCapabilities getIntake discoverOffers getAcpDiscovery`];

test.each([smallPublication, realPublication])('the static document is the live one without what only functions do: %#', async (make) => {
  const { deployment, publisher, offers, ...publication } = await make('edge');
  const live = openApiDocument({ deployment, publisher, offers, ...publication });
  const files = openApiDocument(await make('static'));
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { id, path, staticPath = path, responses } of describedRoutes(deployment, featuresOf(publisher, offers)).filter(
    ({ edge }) => !edge,
  )) {
    const { parameters = [], ...operation } = operationNamed(live, id);
    const file = files.paths[staticPath]?.['get'] as OperationObject;
    const kept = parameters.filter((parameter) => parameter.in === 'path');
    const { description, content = {} } = operation.responses['200'] as ResponseObject;
    const type = responses[0]?.content?.type ?? '';
    const { example } = (file.responses['200'] as ResponseObject).content?.[type] ?? {};
    // Without functions there are no orders, which deliver.
    const hasOtherExample = OTHER_EXAMPLES.includes(id) || JSON.stringify(content[type]?.['example'] ?? '').includes('"delivers"');
    if (hasOtherExample) expect(example).not.toEqual(content[type]?.['example']);
    const media = { ...content[type], ...(hasOtherExample ? { example } : {}) };
    const get = {
      ...operation,
      description: OTHER_WORDS.includes(id) ? file.description : operation.description,
      ...(kept.length > 0 ? { parameters: kept } : {}),
      responses: { '200': { description, content: { [type]: media } }, '404': { $ref: '#/components/responses/MissingFile' } },
    };
    paths[staticPath] = { get };
  }
  const { securitySchemes: _, ...components } = live.components;
  const expected = { ...live, paths, tags: tagsIn(paths, live.tags), components: reachable(components, paths) };
  expect(JSON.parse(JSON.stringify(files))).toEqual(JSON.parse(JSON.stringify(expected)));
});

describe('alternatives of a schema', () => {
  test('of different plain types become a list of types, with the bounds of each', () => {
    const schema = {
      anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }, { type: 'array', items: { type: 'string' } }],
      description: 'A value.',
    };
    expect(mergeTypes({ type: 'object', properties: { value: schema } })).toEqual({
      type: 'object',
      properties: { value: { type: ['string', 'null', 'array'], maxLength: 9, items: { type: 'string' }, description: 'A value.' } },
    });
  });

  test('stay apart where a value could be of both, or a keyword holds for all types', () => {
    for (const anyOf of [
      [{ type: 'string' }, { type: 'string', maxLength: 3 }],
      [{ type: 'integer' }, { type: 'number' }],
      [{ type: 'string', enum: ['a'] }, { type: 'null' }],
      [{ $ref: '#/components/schemas/Offer' }, { type: 'null' }],
    ])
      expect(mergeTypes({ anyOf })).toEqual({ anyOf });
  });

  test('in examples are data', () => {
    const schema = { type: 'object', example: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
    expect(mergeTypes(schema)).toEqual(schema);
  });
});

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

describe.each(documents)('bodies of $name, for agents', ({ publication }) => {
  it('have numbers with bounds, and name the members that are required', () => {
    for (const { operationId, requestBody } of operationsOf(descriptionForAgents(publication))) {
      const numbers = [...objectsIn(requestBody)].filter(({ type }) => type === 'integer' || type === 'number');
      for (const schema of numbers) expect(schema, operationId).toMatchObject({ minimum: expect.any(Number), maximum: expect.any(Number) });
      const { content, required } = (requestBody ?? { required: false }) as {
        content?: Record<string, { schema: Json }>;
        required: boolean;
      };
      const body = content?.['application/json']?.schema ?? {};
      expect(!required || 'required' in body || /required/.test(JSON.stringify(body)), operationId).toBe(true);
    }
  });
});

describe.each(documents)('parameters of $name', ({ document, publication }) => {
  it('that are numbers or conditions have their types, bounds and defaults', () => {
    const ofUrl = [document, descriptionForAgents(publication)].flatMap((whole) =>
      operationsOf(whole).flatMap(({ operationId, parameters = [] }) =>
        parameters.filter((parameter) => parameter.in === 'query').map((parameter) => ({ operationId, ...parameter })),
      ),
    );
    const numbers = ofUrl.filter(({ schema }) => schema['type'] === 'integer');
    for (const { name, schema, example = 1 } of numbers) {
      expect(schema, name).toMatchObject({ minimum: expect.any(Number), maximum: expect.any(Number) });
      expect(['difficulty_bits', 'quote_length'].includes(name) || typeof schema['default'] === 'number', name).toBe(true);
      expect(typeof example, name).toBe('number');
    }
    const digits = ofUrl.filter(({ schema: { type, pattern, enum: values = [] } }) => {
      return type === 'string' && (String(pattern).includes('\\d{0,5}$') || (values as unknown[]).includes('true'));
    });
    expect(digits).toEqual([]);
    const named = ['limit', 'max_results', 'page', 'quote_length', 'token_budget'];
    expect(ofUrl.filter(({ name, schema }) => named.includes(name) && schema['type'] !== 'integer')).toEqual([]);
  });
});

it('results of the search have a type for each kind, so that programs that check the kind know the members', () => {
  for (const { document } of documents.filter(({ name }) => name.endsWith('edge'))) {
    const answer = resolve(document, { $ref: '#/components/schemas/QueryAnswer' });
    const { results } = answer['properties'] as { results: { items: { anyOf: Json[] } } };
    const kinds = results.items.anyOf.map((form) => {
      const { properties, required } = resolve(document, form) as { properties: Record<string, Json>; required: string[] };
      expect(properties).toMatchObject({ quote: { type: 'object' }, title: { type: 'string' } });
      expect(required).toContain('kind');
      const { const: one, enum: several } = properties['kind'] as { const?: string; enum?: string[] };
      return several ?? [one];
    });
    expect(kinds.flat().filter((kind) => kind === 'capsule')).toHaveLength(1);
  }
});

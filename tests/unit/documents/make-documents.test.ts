import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../../../src/documents/capabilities-and-catalog.ts';
import { documentFiles, functionDocuments } from '../../../src/documents/make-documents.ts';
import { capsuleResponse } from '../../../src/gateway/knowledge/capsule-response.ts';
import { AcpDiscovery, commerceDiscovery } from '../../../src/protocols/acp/acp.ts';
import { X402Descriptor } from '../../../src/protocols/x402/x402.ts';
import { describedRoutes } from '../../../src/routes/route-table.ts';
import { Capabilities } from '../../../src/schemas/capabilities.ts';
import { catalogSchema, offerVariantA, offerVariantB } from '../../../src/schemas/commerce/offers.ts';
import { featuresOf } from '../../../src/schemas/feature-switches.ts';
import { IntakeResponse } from '../../../src/schemas/intake/proposals.ts';
import { Capsule } from '../../../src/schemas/knowledge/capsule.ts';
import { BrowseResponse, StatusResponse } from '../../../src/schemas/knowledge/corpus-responses.ts';
import { Lineage } from '../../../src/schemas/knowledge/lineage.ts';
import { capsuleFilePath, capsuleVersionPath, lineageFilePath, PATHS } from '../../../src/schemas/paths.ts';
import { realPublication, smallPublication } from './publication-fixture.ts';

const publications = [
  { name: 'small edge', publication: await smallPublication('edge') },
  { name: 'small static', publication: await smallPublication('static') },
  { name: 'real edge', publication: await realPublication('edge') },
  { name: 'real static', publication: await realPublication('static') },
];

describe.each(publications)('documentFiles() of the $name publication', ({ publication }) => {
  const { deployment } = publication;
  const files = new Map(documentFiles(publication).map((file) => [file.path, file]));
  const text = (path: string): string => files.get(path)?.body ?? '';
  const value = (path: string): unknown => JSON.parse(text(path));

  it('has every address once, in its mode', () => {
    const list = documentFiles(publication);
    expect(files.size).toBe(list.length);
    expect(list.filter(({ path }) => path.startsWith(`${PATHS.data}/`)).length).toBe(deployment.mode === 'static' ? 6 : 0);
    for (const { path, body } of list) expect(body.length, path).toBeGreaterThan(0);
  });

  it('gives documents that satisfy their schemas', () => {
    for (const path of [PATHS.offersJson, PATHS.buyJson, PATHS.pricingJson])
      expect(catalogSchema(deployment).safeParse(value(path)).error).toBeUndefined();
    expect(AcpDiscovery.safeParse(value(PATHS.acpWellKnown)).error).toBeUndefined();
    expect(X402Descriptor.parse(value(PATHS.x402WellKnown)).resources).toEqual([]);
    for (const { id } of publication.capsules) {
      expect(Capsule.safeParse(value(capsuleFilePath(id))).error, id).toBeUndefined();
      expect(Lineage.safeParse(value(lineageFilePath(id))).error, id).toBeUndefined();
    }
    const answers = functionDocuments(publication);
    expect(Capabilities.parse(JSON.parse(answers.capabilities.body)).operations.map(({ id }) => id)).toEqual(
      describedRoutes(deployment, featuresOf(publication.publisher, publication.offers))
        .filter(({ edge }) => deployment.mode === 'edge' || !edge)
        .map(({ id }) => id),
    );
    expect(IntakeResponse.parse(JSON.parse(answers.intake.body))).toMatchObject({
      open: deployment.mode === 'edge',
      limits: { words_min: 200, words_max: 900, sources_min: 1 },
      queue: { waiting: null },
    });
    expect(commerceDiscovery(deployment).parse(JSON.parse(answers['acp_discover']?.body ?? '')).offers).toHaveLength(
      publication.offers.length,
    );
  });

  it('writes the three catalogs with equal bytes, every offer in both forms', () => {
    expect(text(PATHS.buyJson)).toBe(text(PATHS.offersJson));
    expect(text(PATHS.pricingJson)).toBe(text(PATHS.offersJson));
    const { offers, fast_paid_starts = [] } = catalogSchema(deployment).parse(value(PATHS.offersJson));
    for (const offer of [...offers, ...fast_paid_starts]) {
      expect(offerVariantA(deployment).safeParse(offer).success).toBe(true);
      expect(offerVariantB(deployment).safeParse(offer).success).toBe(true);
    }
  });

  it('keeps the exact bytes of every version and of the lineage, and answers as the API does', () => {
    for (const capsule of publication.capsules) {
      const { metadata, markdown = '' } = capsule;
      for (const { metadata, markdown } of capsule.versions) expect(text(capsuleVersionPath(capsule.id, metadata.version))).toBe(markdown);
      expect(text(lineageFilePath(capsule.id))).toBe(capsule.lineageText);
      expect(text(capsuleFilePath(capsule.id))).toBe(JSON.stringify(capsuleResponse({ metadata, markdown }, deployment.baseUrl)));
    }
  });

  it('has the bytes that functions answer with', () => {
    const answers = functionDocuments(publication);
    expect(text(PATHS.openApi)).toBe(answers.openApi.body);
    expect(text(PATHS.acpWellKnown)).toBe(answers['acp']?.body);
    expect(text(PATHS.x402WellKnown)).toBe(answers['x402']?.body);
    if (deployment.mode === 'edge') return;
    expect(text('/data/capabilities.json')).toBe(answers.capabilities.body);
    expect(text('/data/intake.json')).toBe(answers.intake.body);
    expect(text('/data/acp-discover.json')).toBe(answers['acp_discover']?.body);
    expect(StatusResponse.parse(value('/data/status.json'))).toMatchObject({ deployment: 'static', checks: [] });
    const browse = BrowseResponse.parse(value('/data/browse.json'));
    expect(browse.items.map(({ capsule_id }) => capsule_id).sort()).toEqual(publication.capsules.map(({ id }) => id).sort());
    expect(browse.page).toEqual({ total: publication.capsules.length, total_is_exact: true, has_more: false, next_cursor: null });
  });

  it('publishes schemas that the lineage documents satisfy', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    addFormats(ajv);
    for (const path of [PATHS.lineageSchema, PATHS.capsuleVersionSchema, PATHS.lineageHeadSchema]) ajv.addSchema(value(path) as object);
    const validate = ajv.getSchema(deployment.baseUrl + PATHS.lineageSchema);
    for (const { id } of publication.capsules) {
      const lineage = value(lineageFilePath(id)) as Lineage;
      expect(validate?.(lineage), `${id} ${JSON.stringify(validate?.errors)}`).toBe(true);
      expect(validate?.({ ...lineage, added: true })).toBe(true);
      expect(validate?.({ ...lineage, versions: lineage.versions.map((link) => ({ ...link, recordDigest: 'x' })) })).toBe(false);
      expect(validate?.({ ...lineage, head: { ...lineage.head, statement: { ...lineage.head.statement, count: 0 } } })).toBe(false);
    }
  });
});

describe('capabilities()', () => {
  it('says in force what a deployment has', async () => {
    const of = async (mode: 'edge' | 'static', rateLimits: 'default' | 'bench'): Promise<Capabilities> => {
      const { deployment, ...rest } = await smallPublication(mode);
      return capabilities({ ...rest, deployment: { ...deployment, rateLimits } });
    };
    expect((await of('edge', 'bench')).rate_limits).toEqual({ enforcement: 'lifted', policies: [] });
    const files = await of('static', 'default');
    expect(files).toMatchObject({
      deployment: 'static',
      authentication: { type: 'none', scopes: [] },
      rate_limits: { enforcement: 'none', policies: [] },
    });
    expect(JSON.stringify(files)).not.toContain('/api/');
    for (const { services } of files.protocols) expect(services).toEqual([]);
  });

  it.each([
    ['open', { read: 'by_default', buy: 'on_request', submit: 'on_request', metrics: 'by_publisher' }],
    ['granted', { read: 'by_default', buy: 'on_request', submit: 'by_publisher', metrics: 'by_publisher' }],
    ['closed', { read: 'by_default', buy: 'on_request', metrics: 'by_publisher' }],
  ] as const)('says how scopes are given where intake is %s', async (intake, expected) => {
    const { publisher, deployment, ...rest } = await smallPublication('edge');
    const { authentication } = capabilities({ ...rest, publisher: { ...publisher, intake }, deployment: { ...deployment, intake } });
    expect(Object.fromEntries(authentication.scopes.map(({ scope, granted }) => [scope, granted]))).toEqual(expected);
  });
});

import * as z from 'zod';
import { documentRoute, fileRoute, once, type Route } from '../http/define-route.ts';
import { publishedCatalog } from '../schemas/commerce/offers.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { CorpusManifest } from '../schemas/knowledge/corpus-responses.ts';
import { PATHS } from '../schemas/paths.ts';

/** For JSON Schemas, OpenAPI documents and key sets: their own standards describe them. */
const AnyObject = z.looseObject({});

const SAME_BYTES = 'The same bytes as the offer catalog.';
const CATALOGS = [
  ['getOffers', PATHS.offersJson, '', 'All offers with their pages, and with prices and checkout links where prices are fixed.'],
  ['getBuyCatalog', PATHS.buyJson, ' as buy.json', SAME_BYTES],
  ['getPricingCatalog', PATHS.pricingJson, ' as pricing.json', SAME_BYTES],
] as const;

export function routes(origins: Pick<Deployment, 'baseUrl' | 'checkoutHost'>): readonly Route[] {
  const catalog = once(() => publishedCatalog(origins));
  return [
    fileRoute({
      id: 'getOpenApiForAgents',
      capability: 'documents',
      path: PATHS.openApiAgent,
      summary: 'Get the OpenAPI document for agents',
      description: 'What agents call: requests whole, responses by their members, one shape of errors.',
      schema: AnyObject,
    }),
    documentRoute('openApi', {
      id: 'getOpenApi',
      path: PATHS.openApi,
      summary: 'Get the whole OpenAPI document',
      description: 'Every operation with all its errors and examples.',
      capability: 'documents',
      schema: AnyObject,
      cache: 300,
      errors: ['file_unavailable'],
    }),
    ...CATALOGS.map(([id, path, form, description]) =>
      fileRoute({
        id,
        path,
        summary: `Get the offer catalog${form}`,
        description,
        capability: 'commerce',
        feature: 'shop',
        schema: catalog,
      }),
    ),
    fileRoute({
      id: 'getOffersSchema',
      feature: 'shop',
      capability: 'commerce',
      path: PATHS.offersSchema,
      summary: 'Get the JSON Schema of the catalog',
      description: 'JSON Schema 2020-12 of the offer catalog.',
      schema: AnyObject,
    }),
    fileRoute({
      id: 'getMirrorManifest',
      capability: 'capsules',
      path: PATHS.mirrorManifest,
      summary: 'Get the corpus manifest',
      description:
        'Counts and digests of everything published, and the parts of the bundle that contains it. Signed if the publisher has a key. The bundle has a line of JSON for each capsule, with all its versions, proofs and free texts.',
      schema: CorpusManifest,
    }),
    fileRoute({
      id: 'getKeys',
      capability: 'capsules',
      path: PATHS.jwks,
      summary: "Get the publisher's public keys",
      description: 'JWK Set (RFC 7517) of the keys that sign records, heads and the manifest; empty if nothing is signed.',
      schema: AnyObject,
      type: 'application/jwk-set+json',
    }),
  ];
}

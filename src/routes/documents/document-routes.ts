import * as z from 'zod';
import { Capabilities } from '../../schemas/capabilities.ts';
import { CorpusManifest } from '../../schemas/knowledge/changes.ts';
import { catalogSchema } from '../../schemas/commerce/catalog.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import { IntakeResponse } from '../../schemas/intake/intake.ts';
import { documentRoute, fileRoute, once } from '../../http/document-route.ts';
import type { Route } from '../../http/define-route.ts';
import { capabilitiesInForce } from '../agents/current-capabilities.ts';
import { intakeInForce } from '../intake/current-intake.ts';

/** JSON Schema and OpenAPI documents are described by their own standards. */
const AnyObject = z.looseObject({});

export const getCapabilitiesRoute = documentRoute('capabilities', {
  id: 'getCapabilities',
  path: `${PATHS.gateway}/capabilities`,
  staticPath: `${PATHS.data}/capabilities.json`,
  summary: 'See what this service offers',
  description:
    'Operations, limits, authentication, scopes, protocols in force and facts about the corpus, from the same table that the routes come from.',
  capability: 'agents',
  schema: Capabilities,
  cache: 60,
  atRunTime: async (built, { location, budgets }) => capabilitiesInForce(built, location?.enforced ?? new Set(), await budgets.read()),
});

export const getIntakeRoute = documentRoute('intake', {
  id: 'getIntake',
  path: `${PATHS.publicCapsules}/intake`,
  staticPath: `${PATHS.data}/intake.json`,
  summary: 'See how knowledge can be proposed',
  description:
    'Whether proposals are taken by the API, what they must meet, how an agent comes by the scope, how many wait and how long, and where they go otherwise.',
  capability: 'capsules',
  schema: IntakeResponse,
  cache: 60,
  atRunTime: async (built, { intakeQueue }) => intakeInForce(built, intakeQueue),
});

/** Routes of documents that depend on the origins of the deployment. */
export function documentRoutes(origins: Pick<Deployment, 'baseUrl' | 'checkoutHost'>): readonly Route[] {
  const catalog = once(() => catalogSchema(origins));
  return [
    documentRoute('openApi', {
      id: 'getOpenApiForAgents',
      path: PATHS.openApiAgent,
      summary: 'Read the OpenAPI document',
      description: 'This document.',
      capability: 'documents',
      schema: AnyObject,
      cache: 300,
    }),
    documentRoute('openApi', {
      id: 'getOpenApi',
      path: PATHS.openApi,
      summary: 'Read the OpenAPI document at its usual address',
      description: 'The same bytes as the document for agents.',
      capability: 'documents',
      schema: AnyObject,
      cache: 300,
    }),
    fileRoute({
      id: 'getOffers',
      capability: 'commerce',
      path: PATHS.offersJson,
      summary: 'Read the offer catalog',
      description: 'All offers with prices, pages and checkout links.',
      schema: catalog,
    }),
    fileRoute({
      id: 'getBuyCatalog',
      capability: 'commerce',
      path: PATHS.buyJson,
      summary: 'Read the offer catalog as buy.json',
      description: 'The same bytes as the offer catalog.',
      schema: catalog,
    }),
    fileRoute({
      id: 'getPricingCatalog',
      capability: 'commerce',
      path: PATHS.pricingJson,
      summary: 'Read the offer catalog as pricing.json',
      description: 'The same bytes as the offer catalog.',
      schema: catalog,
    }),
    fileRoute({
      id: 'getOffersSchema',
      capability: 'commerce',
      path: PATHS.offersSchema,
      summary: 'Read the JSON Schema of the catalog',
      description: 'JSON Schema 2020-12 that the offer catalog satisfies.',
      schema: AnyObject,
    }),
    fileRoute({
      id: 'getMirrorManifest',
      capability: 'capsules',
      path: PATHS.mirrorManifest,
      summary: 'Read what the whole corpus is',
      description:
        'Counts and digests of everything that is published, signed if the publisher has a key, and the parts of the bundle that holds all of it: a line of JSON for each capsule, with all its versions, proofs and the texts that are free to read.',
      schema: CorpusManifest,
    }),
    fileRoute({
      id: 'getKeys',
      capability: 'capsules',
      path: PATHS.jwks,
      summary: 'Read the public keys of the publisher',
      description: 'JWK Set (RFC 7517) of the keys that sign records, heads and the manifest; empty while nothing is signed.',
      schema: AnyObject,
      type: 'application/jwk-set+json',
    }),
  ];
}

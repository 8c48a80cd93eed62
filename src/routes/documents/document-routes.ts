import * as z from 'zod';
import { ok } from '../../gateway/result.ts';
import { Capabilities } from '../../schemas/capabilities.ts';
import { AcpDiscovery, commerceDiscovery, X402Descriptor, X402Items } from '../../protocols/acp/schemas/discovery.ts';
import { CorpusManifest } from '../../schemas/knowledge/changes.ts';
import { catalogSchema } from '../../schemas/commerce/catalog.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { PATHS } from '../../schemas/paths.ts';
import { Promises } from '../../schemas/promises.ts';
import { IntakeResponse } from '../../schemas/intake/intake.ts';
import {
  type DocumentName,
  defineRoute,
  type GatewayDependencies,
  type PublishedDocument,
  type Route,
  type RouteAnswer,
} from '../../http/define-route.ts';
import { BESIDE_ACP } from '../../protocols/acp/protocol.ts';
import { capabilitiesInForce } from '../agents/current-capabilities.ts';
import { intakeInForce } from '../intake/current-intake.ts';

/** Schema of a document, or what makes it. Those that depend on the origins are large, and only the documents of the build look at them. */
type Described = z.ZodType | (() => z.ZodType);

function contentOf(type: string, described: Described): NonNullable<RouteAnswer['content']> {
  if (typeof described !== 'function') return { type, schema: described };
  return {
    type,
    get schema() {
      return described();
    },
  };
}

/** The same value at every call, made at the first. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A route that answers with a document made at build. */
function documentRoute(
  name: DocumentName,
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability' | 'staticPath' | 'protocol'> & {
    schema: Described;
    cache: number;
    /** The document as it is at run time; as it was built by default. */
    atRunTime?: (built: PublishedDocument, deps: GatewayDependencies) => Promise<PublishedDocument>;
  },
): Route {
  const { schema, atRunTime = async (built) => built, ...facts } = route;
  return defineRoute({
    ...facts,
    method: 'GET',
    access: 'open',
    servedBy: 'function',
    edge: false,
    answers: [{ status: 200, description: 'The document.', content: contentOf('application/json', schema) }],
    errors: [],
    rateLimit: 'network',
    handle: async (_input, deps) => ok({ kind: 'document', document: await atRunTime(deps.documents[name], deps) }),
  });
}

/** A document that is served as the file it was built to. */
function fileRoute(
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability'> & { schema: Described; type?: string },
): Route {
  const { schema, type = 'application/json', ...facts } = route;
  return defineRoute({
    ...facts,
    method: 'GET',
    access: 'open',
    servedBy: 'file',
    edge: false,
    answers: [{ status: 200, description: 'The document.', content: contentOf(type, schema) }],
    errors: [],
    rateLimit: 'network',
    cache: 0,
  });
}

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

/** Only where something can be paid: without payments there is no such address. */
const x402ItemsRoute = documentRoute('x402Items', {
  id: 'getX402Items',
  path: PATHS.x402Json,
  summary: 'List what is paid by x402',
  description: 'Every capsule whose text is sold, with the terms that its challenge has.',
  capability: 'commerce',
  schema: X402Items,
  cache: 300,
});

/** Routes of documents that depend on the origins of the deployment, and on what is switched on in it. */
export function documentRoutes(origins: Pick<Deployment, 'baseUrl' | 'checkoutHost' | 'payments'>): readonly Route[] {
  const catalog = once(() => catalogSchema(origins));
  return [
    documentRoute('acpWellKnown', {
      id: 'getAcpDiscovery',
      path: PATHS.acpWellKnown,
      summary: 'Discover the Agentic Commerce Protocol',
      description:
        'Discovery document of the Agentic Commerce Protocol, version 2026-04-17: where its operations are, and which of its services are switched on.',
      capability: 'commerce',
      schema: AcpDiscovery,
      cache: 3_600,
    }),
    documentRoute('acpDiscover', {
      id: 'discoverOffers',
      path: `${PATHS.acp}/discover`,
      staticPath: `${PATHS.data}/acp-discover.json`,
      protocol: BESIDE_ACP,
      summary: 'Discover offers and commerce documents',
      description: 'Every offer with its price and both ways to buy, and the addresses of all commerce documents.',
      capability: 'commerce',
      schema: once(() => commerceDiscovery(origins)),
      cache: 60,
    }),
    documentRoute('x402WellKnown', {
      id: 'getX402Descriptor',
      path: PATHS.x402WellKnown,
      summary: 'Discover resources paid by x402',
      description: 'Payment descriptor for x402 clients. The list of resources is empty while nothing can be paid this way.',
      capability: 'commerce',
      schema: X402Descriptor,
      cache: 300,
    }),
    ...(origins.payments === undefined ? [] : [x402ItemsRoute]),
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
      id: 'getPromises',
      capability: 'documents',
      path: PATHS.promisesJson,
      summary: 'Read what is promised here',
      description:
        'Every promise of this deployment, with the number that it names, the command that checks it and the tests that show it.',
      schema: Promises,
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

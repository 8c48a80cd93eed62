import type * as z from 'zod';
import type { Route } from '../../http/define-route.ts';
import type { commerceDiscovery } from '../../protocols/acp/acp.ts';
import { PROTOCOLS } from '../../protocols/protocols.ts';
import * as agents from '../../schemas/agents.ts';
import * as apiKeys from '../../schemas/api-keys.ts';
import * as capabilities from '../../schemas/capabilities.ts';
import type { publishedCatalog } from '../../schemas/commerce/offers.ts';
import * as orders from '../../schemas/commerce/orders.ts';
import type { Features } from '../../schemas/feature-switches.ts';
import * as proposals from '../../schemas/intake/proposals.ts';
import { type Direction, inlineSchema, type JsonObject, namedSchemas } from '../../schemas/json-schema.ts';
import * as capsule from '../../schemas/knowledge/capsule.ts';
import * as capsuleFields from '../../schemas/knowledge/capsule-fields.ts';
import * as corpus from '../../schemas/knowledge/corpus-responses.ts';
import * as lineage from '../../schemas/knowledge/lineage.ts';
import * as query from '../../schemas/knowledge/query.ts';
import * as resultKinds from '../../schemas/knowledge/result-kinds.ts';
import * as search from '../../schemas/knowledge/search.ts';
import * as problems from '../../schemas/problem-details.ts';
import { componentRef } from './openapi-types.ts';

const REQUEST_SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>(
  Object.entries({
    RegistrationRequest: agents.RegistrationRequest,
    RotateRequest: agents.RotateRequest,
    RevokeRequest: agents.RevokeRequest,
    QueryRequest: query.QueryRequest,
    QueryFilters: query.QueryFilters,
    FetchRequest: corpus.FetchRequest,
    FetchReference: corpus.FetchReference,
    IntakeRequest: proposals.IntakeRequest,
    CapsuleProposal: proposals.CapsuleProposal,
    CorrectionProposal: proposals.CorrectionProposal,
    InvoiceRequestBody: orders.InvoiceRequestBody,
    ...Object.fromEntries(PROTOCOLS.flatMap(({ schemas }) => Object.entries(schemas.requests))),
  }),
);

/** Named schemas of responses. Published names stay when a schema is renamed. */
const RESPONSE_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Problem: problems.Problem,
  NextAction: problems.NextAction,
  Registration: agents.Registration,
  Challenge: apiKeys.Challenge,
  KeyDetails: agents.KeyDetails,
  RotatedKey: agents.RotatedKey,
  RevokedKeys: agents.RevokedKeys,
  PublishedRateLimit: agents.PublishedRateLimit,
  Capabilities: capabilities.Capabilities,
  CorpusFacts: corpus.CorpusStats,
  QueryAnswer: search.PublishedSearchResponse,
  QueryResult: search.PublishedQueryResult,
  SiteResult: search.PublishedSiteResult,
  OtherKind: resultKinds.OtherKind,
  AppliedFilters: query.QueryFilters,
  Explanation: query.Explanation,
  ScorePart: query.ScorePart,
  Facets: query.Facets,
  Interpretation: query.Interpretation,
  Suggestion: query.Suggestion,
  ClampedMember: query.ClampedMember,
  Page: query.Page,
  Capsule: capsule.Capsule,
  CapsuleSource: capsuleFields.CapsuleSource,
  CapsuleVersionEntry: capsule.CapsuleVersionEntry,
  Lineage: lineage.Lineage,
  CapsuleVersionRecord: lineage.CapsuleVersionRecord,
  LineageHeadStatement: lineage.LineageHeadStatement,
  LineageGraph: lineage.LineageGraph,
  LineageNode: lineage.LineageNode,
  ChangesAnswer: corpus.ChangesResponse,
  ChangeEvent: corpus.ChangeEvent,
  CorpusManifest: corpus.CorpusManifest,
  CorpusManifestStatement: corpus.CorpusManifestStatement,
  BrowseAnswer: corpus.BrowseResponse,
  BrowseItem: corpus.BrowseItem,
  RelatedAnswer: corpus.RelatedResponse,
  RelatedCapsule: corpus.RelatedCapsule,
  FetchAnswer: corpus.FetchResponse,
  FetchedItem: corpus.FetchedItem,
  StatusAnswer: corpus.StatusResponse,
  IntakeAnswer: proposals.IntakeResponse,
  IntakeReceipt: proposals.IntakeReceipt,
  SubmissionStatus: proposals.SubmissionStatus,
  ...Object.fromEntries(PROTOCOLS.flatMap(({ schemas }) => Object.entries(schemas.responses))),
  OrderResponse: orders.OrderResponse,
  InvoiceRequest: orders.InvoiceRequest,
  ProcessorReceipt: orders.ProcessorReceipt,
};

export interface SchemaLibrary {
  readonly components: JsonObject;
  /** A reference if the schema has a name, else the schema itself. */
  readonly use: (schema: z.ZodType, direction: Direction) => JsonObject;
}

/** The named schemas of a document, including those that depend on the origins of a deployment, without parts of features that are off. */
export function schemaLibrary(table: readonly Route[], features: Features): SchemaLibrary {
  const responses = new Map(Object.entries({ ...RESPONSE_SCHEMAS, ...originSchemas(table) }));
  const uri = (name: string): string => componentRef('schemas', name).$ref;
  return {
    components: {
      ...Object.fromEntries(namedSchemas(REQUEST_SCHEMAS, uri, 'request', features)),
      ...Object.fromEntries([...namedSchemas(responses, uri, 'response', features)].map(([name, schema]) => [name, mergeTypes(schema)])),
    },
    use: (schema, direction) => {
      const name = [...(direction === 'request' ? REQUEST_SCHEMAS : responses)].find(([, known]) => known === schema)?.[0];
      if (name !== undefined) return { ...componentRef('schemas', name) };
      const inline = inlineSchema(schema, direction, features);
      return direction === 'response' ? mergeTypes(inline) : inline;
    },
  };
}

/** Schemas of offers, which depend on the origins of a deployment. The route table makes them, so their operations lead to them. */
function originSchemas(table: readonly Route[]): Record<string, z.ZodType> {
  const responseOf = (id: string): unknown => table.find((route) => route.id === id)?.responses[0]?.content?.schema;
  const OfferCatalog = responseOf('getOffers') as ReturnType<typeof publishedCatalog> | undefined;
  const OfferList = responseOf('discoverOffers') as ReturnType<typeof commerceDiscovery> | undefined;
  if (OfferCatalog === undefined || OfferList === undefined) return {};
  return { OfferCatalog, Offer: OfferCatalog.shape.offers.element, OfferList, ListedOffer: OfferList.shape.offers.element };
}

/** Keywords whose values are data or names, not schemas. */
const NOT_SCHEMAS: readonly string[] = ['enum', 'const', 'default', 'example', 'examples', 'required'];

/** Keywords that hold for values of any type, so that they cannot stand beside several types. */
const FOR_ANY_TYPE: readonly string[] = ['$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', 'description', 'default'];

/**
 * A schema whose alternatives of different plain types are one list of types: `{"type": ["string", "null"], "maxLength": 9}` in the place of
 * an `anyOf`. It accepts the same values, because every other keyword of JSON Schema 2020-12 holds for values of its own type alone.
 */
export function mergeTypes(schema: JsonObject): JsonObject {
  const members = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, NOT_SCHEMAS.includes(keyword) ? value : withinValue(value)]),
  );
  const { anyOf, ...rest } = members;
  const alternatives = Array.isArray(anyOf) ? (anyOf as JsonObject[]) : [];
  const types = alternatives.map(({ type }) => type);
  const isPlain =
    types.length > 0 &&
    types.every((type) => typeof type === 'string') &&
    new Set(types).size === types.length &&
    !(types.includes('integer') && types.includes('number')) &&
    !('type' in rest) &&
    alternatives.every((alternative) => !FOR_ANY_TYPE.some((keyword) => keyword in alternative));
  return isPlain ? { ...rest, ...Object.assign({}, ...alternatives), type: types } : members;
}

function withinValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withinValue);
  return typeof value === 'object' && value !== null ? mergeTypes(value as JsonObject) : value;
}

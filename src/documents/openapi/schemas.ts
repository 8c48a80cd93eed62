import type * as z from 'zod';
import type { Route } from '../../routes/define-route.ts';
import { AcpCheckoutSession, AcpError, AcpOrderWebhook } from '../../schemas/acp/checkout-session.ts';
import { AcpOrder, AcpTotal } from '../../schemas/acp/order.ts';
import { AcpBuyer, AcpCompleteRequest, AcpCreateRequest, AcpLineItem, AcpUpdateRequest } from '../../schemas/acp/requests.ts';
import { Capabilities } from '../../schemas/capabilities.ts';
import { CapsuleSource } from '../../schemas/capsule-front-matter.ts';
import { Capsule, CapsuleVersionEntry } from '../../schemas/capsule.ts';
import { catalogSchema } from '../../schemas/catalog.ts';
import { AcpDiscovery, commerceDiscovery, X402Descriptor } from '../../schemas/commerce-discovery.ts';
import { ChangeEvent, ChangesAnswer, CorpusManifest, CorpusManifestStatement } from '../../schemas/changes.ts';
import { FetchAnswer, FetchedItem, FetchReference, FetchRequest } from '../../schemas/fetch.ts';
import { CapsuleProposal, CorrectionProposal, IntakeRequest } from '../../schemas/intake.ts';
import { CapsuleVersionRecord, Lineage, LineageGraph, LineageHeadStatement, LineageNode } from '../../schemas/lineage.ts';
import { NextAction, Problem } from '../../schemas/problem.ts';
import { BrowseAnswer, BrowseItem, CorpusFacts, IntakeAnswer, StatusAnswer } from '../../schemas/public-capsules.ts';
import { ClampedMember, Page, QueryAnswer, QueryFilters, QueryRequest, QueryResult } from '../../schemas/query.ts';
import { Explanation, Facets, Interpretation, ScorePart, Suggestion } from '../../schemas/query-details.ts';
import { PublishedRateLimit, Registration, RegistrationRequest } from '../../schemas/registration.ts';
import { ProcessorReceipt } from '../../schemas/processor-receipt.ts';
import { RelatedAnswer, RelatedCapsule } from '../../schemas/related.ts';
import { UcpError, UcpMessage, UcpMetadata } from '../../schemas/ucp.ts';
import { UcpProduct } from '../../schemas/ucp-catalog.ts';
import { UcpCheckout } from '../../schemas/ucp-checkout.ts';
import { UcpProfile } from '../../schemas/ucp-profile.ts';
import { type Direction, inlineSchema, type JsonObject, namedSchemas } from '../json-schema.ts';
import { componentRef } from './document.ts';

/** Names of schemas of requests. */
const REQUEST_SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>(
  Object.entries({
    RegistrationRequest,
    QueryRequest,
    QueryFilters,
    FetchRequest,
    FetchReference,
    IntakeRequest,
    CapsuleProposal,
    CorrectionProposal,
    AcpCreateRequest,
    AcpUpdateRequest,
    AcpCompleteRequest,
    AcpLineItem,
    AcpBuyer,
  }),
);

/** Names of schemas of answers. A schema that stands in both directions has a name in each. */
const ANSWER_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Problem,
  NextAction,
  Registration,
  PublishedRateLimit,
  Capabilities,
  CorpusFacts,
  QueryAnswer,
  QueryResult,
  AppliedFilters: QueryFilters,
  Explanation,
  ScorePart,
  Facets,
  Interpretation,
  Suggestion,
  ClampedMember,
  Page,
  Capsule,
  CapsuleSource,
  CapsuleVersionEntry,
  Lineage,
  CapsuleVersionRecord,
  LineageHeadStatement,
  LineageGraph,
  LineageNode,
  ChangesAnswer,
  ChangeEvent,
  CorpusManifest,
  CorpusManifestStatement,
  BrowseAnswer,
  BrowseItem,
  RelatedAnswer,
  RelatedCapsule,
  FetchAnswer,
  FetchedItem,
  StatusAnswer,
  IntakeAnswer,
  AcpDiscovery,
  AcpCheckoutSession,
  AcpOrder,
  AcpTotal,
  AcpError,
  AcpOrderWebhook,
  UcpProfile,
  UcpMetadata,
  UcpMessage,
  UcpError,
  UcpProduct,
  UcpCheckout,
  X402Descriptor,
  ProcessorReceipt,
};

/** Schemas of a document: components, and what stands in operations. */
export interface SchemaLibrary {
  /** All named schemas. */
  readonly components: JsonObject;
  /** A reference if the schema has a name, else the schema itself. */
  readonly use: (schema: z.ZodType, direction: Direction) => JsonObject;
}

/** Collects the named schemas and those that the table makes for the origins of a deployment. */
export function schemaLibrary(table: readonly Route[], origins: Parameters<typeof catalogSchema>[0]): SchemaLibrary {
  const answers = new Map(Object.entries({ ...ANSWER_SCHEMAS, ...originSchemas(table, origins) }));
  const uri = (name: string): string => componentRef('schemas', name).$ref;
  const components = {
    ...Object.fromEntries(namedSchemas(REQUEST_SCHEMAS, uri, 'request')),
    ...Object.fromEntries(namedSchemas(answers, uri, 'answer')),
  };
  return {
    components,
    use: (schema, direction) => {
      const name = [...(direction === 'request' ? REQUEST_SCHEMAS : answers)].find(([, known]) => known === schema)?.[0];
      return name === undefined ? inlineSchema(schema, direction) : { ...componentRef('schemas', name) };
    },
  };
}

/** Schemas that hold the origins of a deployment are made by the table; they are found through their operations. */
function originSchemas(table: readonly Route[], origins: Parameters<typeof catalogSchema>[0]): Record<string, z.ZodType> {
  const answerOf = (id: string): unknown => table.find((route) => route.id === id)?.answers[0]?.content?.schema;
  const catalog = answerOf('getOffers') as ReturnType<typeof catalogSchema> | undefined;
  const discovery = answerOf('discoverOffers') as ReturnType<typeof commerceDiscovery> | undefined;
  const OfferCatalog = catalog ?? catalogSchema(origins);
  const OfferList = discovery ?? commerceDiscovery(origins);
  return { OfferCatalog, Offer: OfferCatalog.shape.offers.element, OfferList, ListedOffer: OfferList.shape.offers.element };
}

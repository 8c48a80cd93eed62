import type * as z from 'zod';
import type { PaymentScheme } from '../gateway/commerce/payments/payment-scheme.ts';
import type { Route } from '../http/define-route.ts';
import type { DocumentFile, OperationExample, Publication } from '../publication/publication.ts';
import type { Capabilities } from '../schemas/capabilities.ts';
import type { Deployment } from '../schemas/deployment.ts';

/** What of a deployment decides which operations and documents it has; what is left out is off. */
export interface ProtocolSettings extends Pick<Deployment, 'baseUrl' | 'checkoutHost'>, Partial<Pick<Deployment, 'payments'>> {
  readonly commerce?: Pick<Deployment['commerce'], 'acp' | 'ucp'>;
}

/** A document of a protocol: at build it is made once; its route or the file that it becomes sends those bytes. */
export interface ProtocolDocument {
  /** Name in lists of documents and among the documents that functions hold; permanent. */
  readonly name: string;
  /** Address of the document where functions answer. */
  readonly path: string;
  /** Title and note in lists of documents; a document without them is not listed. */
  readonly listing?: { readonly title: string; readonly note: string };
  readonly isPublished: (settings: ProtocolSettings) => boolean;
  /** @param addresses Whole addresses of the listed commerce documents, by name. */
  readonly make: (publication: Publication, addresses: Readonly<Record<string, string>>) => Omit<DocumentFile, 'path'>;
  /**
   * Operation that answers with the document; a document without one is a file. An operation whose `staticPath` is set has a file there in
   * a frontend-only deployment alone, one that is `edge` has none.
   */
  readonly route?: (settings: ProtocolSettings) => Route;
}

/** What a protocol brings to a deployment. Route table, documents, capabilities and OpenAPI are made from the list of these modules. */
export interface ProtocolModule {
  /** Entry of the capabilities document, or `undefined` where the protocol is off and publishes nothing. */
  readonly capability: (deployment: Deployment) => Capabilities['protocols'][number] | undefined;
  readonly documents: readonly ProtocolDocument[];
  /** Operations, in the order of the documentation; none where the protocol is off. */
  readonly operations: (settings: ProtocolSettings) => readonly Route[];
  /** JSON that operations send as a part of responses, by name among the documents that functions hold: made at build because it is slow to make. */
  readonly prebuilt?: (publication: Publication) => Readonly<Record<string, unknown>>;
  /** How payments come with requests, for a protocol that has a way of its own; schemes are tried in the order of the list. */
  readonly paymentScheme?: PaymentScheme;
  /** Requests and responses, by operation id; none for operations that are off. */
  readonly examples: (
    publication: Publication,
    addresses: Readonly<Record<string, string>>,
  ) => readonly (readonly [operationId: string, OperationExample])[];
  /** Schemas that have a name in the OpenAPI document. */
  readonly schemas: { readonly requests: Readonly<Record<string, z.ZodType>>; readonly responses: Readonly<Record<string, z.ZodType>> };
}

/** A document as JSON. */
export function jsonDocument(value: unknown): Omit<DocumentFile, 'path'> {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}

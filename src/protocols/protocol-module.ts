import * as z from 'zod';
import type { Session } from '../gateway/commerce/cart/checkout-ports.ts';
import { totalOf } from '../gateway/commerce/cart/price-cart.ts';
import type { PaymentScheme } from '../gateway/commerce/payments/payment-ports.ts';
import { suggestionOf } from '../gateway/result.ts';
import type { documentRoute, Route } from '../http/define-route.ts';
import { ignoredMembers } from '../http/validate-input.ts';
import type { Capabilities } from '../schemas/capabilities.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { FeatureName, Features } from '../schemas/feature-switches.ts';
import { LIMITS } from '../schemas/limits.ts';
import { memberNames } from '../schemas/zod-issue-messages.ts';
import type { DocumentFile, OperationExample, Publication } from '../text/publication-model.ts';

/** Settings of a deployment that decide its operations and documents; omitted protocols are off. */
export interface ProtocolSettings
  extends Pick<Deployment, 'baseUrl' | 'checkoutHost'>,
    Partial<Pick<Deployment, 'mode' | 'payments' | 'formerIds' | 'takenDown' | 'capsulePages' | 'sections'>> {
  readonly commerce?: Pick<Deployment['commerce'], 'acp' | 'ucp'>;
}

/** Made once at build and served by its route or as a file. */
export interface ProtocolDocument {
  /** Name in lists of documents and among the documents that functions hold; permanent. */
  readonly name: string;
  readonly path: string;
  /** Title and note in lists of documents; a document without them is not listed. */
  readonly listing?: { readonly title: string; readonly note: string };
  /** Whether a deployment publishes it; every one does without this. */
  readonly isPublished?: (settings: ProtocolSettings) => boolean;
  /** While its feature is off, nothing lists the document, and one without an operation is not made. */
  readonly feature?: FeatureName;
  readonly kind?: 'commerce' | 'knowledge' | 'description';
  /** @param addresses Whole addresses of the listed commerce documents, by name. */
  readonly make: (publication: Publication, addresses: Readonly<Record<string, string>>) => Omit<DocumentFile, 'path'>;
  /** Operation that serves the document, which is a file without one. A static deployment has a file at `staticPath`, and none if it is `edge`. */
  readonly route?: (settings: ProtocolSettings) => Omit<Parameters<typeof documentRoute>[1], 'path'>;
}

export type OperationExamples = Readonly<Record<string, OperationExample>>;

/** Route table, documents, capabilities and OpenAPI are made from the list of these modules. */
export interface ProtocolModule {
  /** Entry of the capabilities document, or `undefined` where the protocol is off. */
  readonly capability: (deployment: Deployment, features: Features) => Capabilities['protocols'][number] | undefined;
  readonly documents?: readonly ProtocolDocument[];
  /** Operations, in the order of the documentation; none where the protocol is off. */
  readonly operations?: (settings: ProtocolSettings) => readonly Route[];
  /** How requests carry payments; schemes are tried in the order of the protocols. */
  readonly paymentScheme?: PaymentScheme;
  /** Requests and responses, by operation id; none for operations that are off. */
  readonly examples?: (publication: Publication, addresses: Readonly<Record<string, string>>) => OperationExamples;
  readonly schemas: { readonly requests: Readonly<Record<string, z.ZodType>>; readonly responses: Readonly<Record<string, z.ZodType>> };
}

export function jsonDocument(value: unknown): Omit<DocumentFile, 'path'> {
  return { contentType: 'application/json', body: JSON.stringify(value) };
}

export const EXAMPLE_SESSION_TIME_MS = Date.UTC(2026, 10, 22, 9, 30);

/** A session for the first offer that is paid once, or else for the first; none without offers. */
export function exampleCheckout({ offers }: Pick<Deployment, 'offers'>, by: Pick<Session, 'owner' | 'channel'>) {
  const offer = offers.find(({ cadence }) => cadence === 'one_time') ?? offers[0];
  return offer && { offer, open: exampleSession(offer, by), nowMs: EXAMPLE_SESSION_TIME_MS };
}

export function exampleSession(offer: Deployment['offers'][number], by: Pick<Session, 'owner' | 'channel'>): Session {
  const { id, name, cadence, amountMinor, demo, currency } = offer;
  const lines = [{ id: 'li_1', offerId: id, name, cadence, unitMinor: amountMinor, quantity: 1, demo }];
  return {
    id: 'cs_0123456789abcdef0123456789abcdef',
    ...by,
    state: 'open',
    currency,
    lines,
    totalMinor: totalOf(lines),
    buyer: undefined,
    notifyUrl: undefined,
    details: {},
    revision: 1,
    createdAtMs: EXAMPLE_SESSION_TIME_MS,
    updatedAtMs: EXAMPLE_SESSION_TIME_MS,
    expiresAtMs: EXAMPLE_SESSION_TIME_MS + LIMITS.sessionHours * 3_600_000,
  };
}

/**
 * What a valid request has that is unknown and has no effect, as sentences.
 *
 * @param open Member that may hold anything.
 * @param response What clients send back changed: its members are no mistakes.
 */
export function ignoredNotes(request: unknown, response: z.ZodType | undefined, open: string, sent: unknown) {
  const ignored = ignoredMembers(request, sent, 'body').filter(
    ({ pointer }) => !pointer.startsWith(`/${open}/`) && !memberNames(response).includes(pointer.slice(1)),
  );
  return ignored.map(({ pointer, did_you_mean: didYouMean }) => {
    const kind = pointer.startsWith('/filters/') ? 'filter' : 'member';
    const name = pointer.replace(/^\/(?:filters\/)?/, '').replaceAll('/', '.');
    const content = `The ${kind} ${name} is unknown and was ignored. ${suggestionOf(didYouMean === undefined ? {} : { didYouMean })}`;
    return { pointer, content: content.trim() };
  });
}

/* Members of requests that a protocol has and this service ignores: their content is not checked. */

export const AnyText = z.string().max(LIMITS.jsonStringMaxLength);

export const IgnoredObject = z.looseObject({});

export const IgnoredList = z.array(z.unknown()).max(LIMITS.jsonMaxKeys);

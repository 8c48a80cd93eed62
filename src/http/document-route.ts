import type * as z from 'zod';
import { ok } from '../gateway/result.ts';
import { defineRoute, type Route, type RouteResponse } from './define-route.ts';
import type { FiledDocument, GatewayDependencies, PublishedDocument } from './gateway-dependencies.ts';

/** Schemas that depend on the origins are large and only the build reads them, so they are made on demand. */
type LazySchema = z.ZodType | (() => z.ZodType);

function documentResponse(type: string, schema: LazySchema): RouteResponse {
  const content = {
    type,
    get schema() {
      return typeof schema === 'function' ? schema() : schema;
    },
  };
  return { status: 200, description: 'The document.', content };
}

/** Makes a value at the first call and returns it at every call. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export function documentRoute(
  name: string,
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability' | 'feature' | 'staticPath' | 'protocol'> & {
    /** Whether a static deployment leaves it out. */
    edge?: true;
    schema: LazySchema;
    /** Media type of the document; JSON by default. */
    type?: string;
    cache: number;
    errors?: Route['errors'];
    /** Adapts the document, which must be in memory, at run time. */
    atRunTime?: (built: PublishedDocument, deps: GatewayDependencies) => Promise<PublishedDocument>;
  },
): Route {
  const { schema, type = 'application/json', atRunTime, ...declared } = route;
  return defineRoute({
    edge: false,
    ...declared,
    access: 'open',
    responses: [documentResponse(type, schema)],
    handle: async (_input, deps) => {
      const document = atRunTime === undefined ? documentNamed(name, deps) : await atRunTime(builtDocument(name, deps), deps);
      return ok({ kind: 'document', document });
    },
  });
}

/**
 * A document that was made at build and is in memory.
 *
 * @throws {TypeError} If the build made no document of this name, or its text is a file.
 */
export function builtDocument(name: string, deps: Pick<GatewayDependencies, 'documents'>): PublishedDocument {
  const document = documentNamed(name, deps);
  if (!('body' in document)) throw new TypeError(`the text of ${name} is a file`);
  return document;
}

function documentNamed(name: string, { documents }: Pick<GatewayDependencies, 'documents'>): PublishedDocument | FiledDocument {
  const document = documents[name];
  if (document === undefined) throw new TypeError(`the build made no document ${name}`);
  return document;
}

export function fileRoute(
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability' | 'feature'> & { schema: LazySchema; type?: string },
): Route {
  const { schema, type = 'application/json', ...declared } = route;
  return defineRoute({
    ...declared,
    access: 'open',
    servedBy: 'file',
    edge: false,
    responses: [documentResponse(type, schema)],
    cache: 0,
  });
}

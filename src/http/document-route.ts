import type * as z from 'zod';
import { ok } from '../gateway/result.ts';
import { defineRoute, type Route, type RouteResponse } from './define-route.ts';
import type { GatewayDependencies, PublishedDocument } from './gateway-dependencies.ts';

/** Schema of a document, or what makes it. Those that depend on the origins are large, and only the documents of the build look at them. */
type Described = z.ZodType | (() => z.ZodType);

function contentOf(type: string, described: Described): NonNullable<RouteResponse['content']> {
  if (typeof described !== 'function') return { type, schema: described };
  return {
    type,
    get schema() {
      return described();
    },
  };
}

/** The same value at every call, made at the first. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A route that answers with a document made at build. */
export function documentRoute(
  name: string,
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability' | 'staticPath' | 'protocol'> & {
    /** Whether functions alone have it; `false` without it. */
    edge?: true;
    schema: Described;
    cache: number;
    /** The document as it is at run time; as it was built by default. */
    atRunTime?: (built: PublishedDocument, deps: GatewayDependencies) => Promise<PublishedDocument>;
  },
): Route {
  const { schema, atRunTime = async (built) => built, ...facts } = route;
  return defineRoute({
    edge: false,
    ...facts,
    method: 'GET',
    access: 'open',
    servedBy: 'function',
    responses: [{ status: 200, description: 'The document.', content: contentOf('application/json', schema) }],
    errors: [],
    rateLimit: 'network',
    handle: async (_input, deps) => ok({ kind: 'document', document: await atRunTime(builtDocument(name, deps), deps) }),
  });
}

/**
 * A document that was made at build.
 *
 * @throws {TypeError} If the build made no document of this name.
 */
export function builtDocument(name: string, { documents }: Pick<GatewayDependencies, 'documents'>): PublishedDocument {
  const document = documents[name];
  if (document === undefined) throw new TypeError(`the build made no document ${name}`);
  return document;
}

/** A document that is served as the file it was built to. */
export function fileRoute(
  route: Pick<Route, 'id' | 'path' | 'summary' | 'description' | 'capability'> & { schema: Described; type?: string },
): Route {
  const { schema, type = 'application/json', ...facts } = route;
  return defineRoute({
    ...facts,
    method: 'GET',
    access: 'open',
    servedBy: 'file',
    edge: false,
    responses: [{ status: 200, description: 'The document.', content: contentOf(type, schema) }],
    errors: [],
    rateLimit: 'network',
    cache: 0,
  });
}

import type * as z from 'zod';
import { type ErrorCode, errorEntry } from '../../gateway/errors.ts';
import { errorsOf, type Route } from '../../http/define-route.ts';
import type { Protocol } from '../../http/protocol.ts';
import type { JsonObject } from '../../schemas/json-schema.ts';
import { problemPath } from '../../schemas/paths.ts';
import { componentRef, pascalCase, type Reference, type ResponseObject } from './document.ts';
import { EXAMPLE_REQUEST_ID, exampleProblem, retrySecondsOf } from './example-problem.ts';
import { type HeaderName, headerRefs } from './headers.ts';

/** Errors outside any operation, so no operation has a page for them. */
const WITHOUT_PAGE: readonly ErrorCode[] = ['uri_too_long', 'internal'];

/** Error responses of a document: components, their examples, and the references of each operation. */
export interface ProblemLibrary {
  readonly responses: JsonObject;
  readonly examples: JsonObject;
  /** References of an operation, by status. */
  readonly of: (route: Route) => Record<string, Reference>;
}

/**
 * Groups the errors of every operation by status, because the codes of a status share a response. Equal groups are one component.
 */
export function problemLibrary(
  table: readonly Route[],
  baseUrl: string,
  problem: JsonObject,
  schemaOf: (schema: z.ZodType) => JsonObject,
): ProblemLibrary {
  const responses: Record<string, ResponseObject> = {};
  const examples: JsonObject = {};
  const byRoute = new Map<Route, Record<string, Reference>>();
  for (const route of table.filter(({ servedBy }) => servedBy === 'function')) {
    const references: Record<string, Reference> = {};
    if (route.protocol) {
      byRoute.set(route, protocolErrors(route, route.protocol, responses, baseUrl, schemaOf));
      continue;
    }
    for (const [status, codes] of byStatus(errorsOf(route))) {
      const page = route.refusalPage !== undefined && codes.some((code) => !WITHOUT_PAGE.includes(code));
      const name = `${page ? 'Page' : 'Problem'}${status}${codes.map(pascalCase).join('')}`;
      for (const code of codes)
        examples[`Problem${pascalCase(code)}`] ??= { summary: errorEntry(code).title, value: exampleProblem(code, route.path, baseUrl) };
      responses[name] ??= page
        ? withPage(problemResponse(status, codes, baseUrl, problem))
        : problemResponse(status, codes, baseUrl, problem);
      references[String(status)] = componentRef('responses', name);
    }
    byRoute.set(route, references);
  }
  return { responses, examples, of: (route) => byRoute.get(route) ?? {} };
}

/** An error response of an operation that sends browsers a page instead of the problem document. */
function withPage({ content, ...response }: ResponseObject): ResponseObject {
  const page = { schema: { type: 'string', description: 'The same as a page, for callers that prefer HTML, such as browsers.' } };
  return { ...response, content: { ...content, 'text/html': page } };
}

/** Errors of an operation in the shape of its protocol, and their references by status. */
function protocolErrors(
  route: Route,
  protocol: Protocol,
  responses: Record<string, ResponseObject>,
  baseUrl: string,
  schemaOf: (schema: z.ZodType) => JsonObject,
): Record<string, Reference> {
  const references: Record<string, Reference> = {};
  for (const [status, codes] of byStatus(errorsOf(route), protocol.statusOf)) {
    const name = `${pascalCase(protocol.name)}${status}${codes.map(pascalCase).join('')}`;
    responses[name] ??= {
      ...problemResponse(status, codes, baseUrl, {}),
      content: {
        'application/json': {
          schema: schemaOf(protocol.errorSchema),
          examples: Object.fromEntries(codes.map((code) => [code, protocolExample(code, protocol, baseUrl)])),
        },
      },
    };
    references[String(status)] = componentRef('responses', name);
  }
  return references;
}

function protocolExample(code: ErrorCode, protocol: Protocol, baseUrl: string): JsonObject {
  const { title, explanation } = errorEntry(code);
  return { summary: title, value: protocol.errorBody({ code, detail: explanation }, { baseUrl, requestId: EXAMPLE_REQUEST_ID }) };
}

function byStatus(codes: readonly ErrorCode[], statusOf = (code: ErrorCode): number => errorEntry(code).status): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const status = statusOf(code);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return [...groups].sort(([a], [b]) => a - b);
}

function problemResponse(status: number, codes: readonly ErrorCode[], baseUrl: string, problem: JsonObject): ResponseObject {
  const lines = codes.map((code) => `- [\`${code}\`](${baseUrl}${problemPath(code)}): ${errorEntry(code).title}.`);
  const more: HeaderName[] = [
    ...(status === 401 || status === 403 ? (['WWW-Authenticate'] as const) : []),
    ...(codes.some((code) => retrySecondsOf(code) !== undefined) ? (['Retry-After'] as const) : []),
  ];
  return {
    description: `One of these errors, by \`code\`:\n${lines.join('\n')}`,
    headers: headerRefs(more),
    content: {
      'application/problem+json': {
        schema: problem,
        examples: Object.fromEntries(codes.map((code) => [code, componentRef('examples', `Problem${pascalCase(code)}`)])),
      },
    },
  };
}

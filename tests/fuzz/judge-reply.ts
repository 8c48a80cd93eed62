import { isDeepStrictEqual } from 'node:util';
import { ERRORS, type ErrorCode, errorEntry } from '../../src/gateway/errors.ts';
import type { Protocol, Route } from '../../src/http/define-route.ts';
import { protocolAt } from '../../src/http/route-paths.ts';
import { routeTable } from '../../src/routes/route-table.ts';
import { withoutKeys } from '../../src/schemas/api-keys.ts';
import type { Deployment } from '../../src/schemas/deployment.ts';
import { GATEWAY_VERSION } from '../../src/schemas/limits.ts';
import { Problem } from '../../src/schemas/problem-details.ts';
import { type DescribedApi, type DescribedOperation, describedApi } from './described-api.ts';
import { headerOf, type PlainReply, type PlainRequest } from './plain-request.ts';

export interface Judge {
  readonly baseUrl: string;
  readonly api: DescribedApi;
  readonly routes: readonly Route[];
  /** Whether rate limits are counted, so that answers tell of them. */
  readonly limited: boolean;
  /** Whether stores fail, so that 503 is an answer like any other. */
  readonly storesFail: boolean;
}

export interface Verdict {
  readonly operation: string;
  readonly code: string | undefined;
  readonly faults: readonly string[];
  readonly value: unknown;
}

/** A judge of the functions of a deployment, whose API description is given. */
export function newJudge(deployment: Deployment, document: object, more: Pick<Judge, 'limited' | 'storesFail'>): Judge {
  const routes = routeTable(deployment).filter(({ servedBy }) => servedBy === 'function');
  const api = describedApi(document as Readonly<Record<string, unknown>>, new Set(routes.map(({ id }) => id)));
  return { baseUrl: deployment.baseUrl, api, routes, ...more };
}

/** Longest time that an answer may take, in milliseconds. */
const SLOW_MS = 1_000;
/** Beginning of the fault of an answer that takes longer. */
export const SLOW = 'takes ';

/** Errors of the protocol, which operations do not list. */
const EVERYWHERE: readonly string[] = ['method_not_allowed', 'route_not_found'];

/** Made once: zod compiles a schema when it is first used. */
const STRICT_PROBLEM = Problem.strict();

/** What no problem document may show: traces, names of files, classes and statements of ours. */
const INTERIOR = /\n\s+at |\.[cm]?[jt]s:\d|node_modules|\b\w+(Error|Exception)\b|D1_|SQLITE/;

/** Holds an answer against the OpenAPI document, the schemas of the routes, the table of errors, and the rules of HTTP. */
export function judgeReply(request: PlainRequest, reply: PlainReply, judge: Judge): Verdict {
  const faults: string[] = [];
  const { operation, methods } = operationOf(request, judge);
  const { status, headers, body } = reply;
  if (status >= 500 && !(judge.storesFail && status === 503)) faults.push(`answers ${status}`);
  if (reply.ms > SLOW_MS) faults.push(`${SLOW}${Math.round(reply.ms)} ms`);
  faults.push(...headerFaults(reply, judge));
  const sentType = headers.get('content-type')?.split(';')[0] ?? '';
  const written = status >= 400 && sentType === 'text/markdown' ? markdownProblem(request, reply, faults) : undefined;
  // What is declared is the problem document that the markdown is another form of.
  const type = written ? 'application/problem+json' : sentType;
  if ((request.method === 'HEAD' || status === 304 || status === 204) && body !== '')
    faults.push(`has a body with ${request.method} ${status}`);
  const value = parsed(body, sentType, faults);
  const code = sentType === 'application/problem+json' ? problemFaults(request, reply, value, judge, faults) : written?.code;
  const protocol = status >= 400 && type === 'application/json' ? protocolOf(request, judge) : undefined;
  if (protocol) faults.push(...protocolFaults(request, reply, value, protocol));
  else if (
    status >= 400 &&
    type !== 'application/problem+json' &&
    !operation?.answers.get(status)?.types.has(type) &&
    !isFile(operation, methods, judge, request)
  )
    faults.push(`answers ${status} without a problem document`);
  if (operation) faults.push(...declaredFaults(operation, request, reply, type, code, value, judge));
  else if (!(protocol && (status === 404 || status === 405))) faults.push(...undeclaredFaults(request, reply, code, methods, judge));
  return { operation: operation?.id ?? '-', code, faults, value };
}

function operationOf(request: PlainRequest, judge: Judge): { operation: DescribedOperation | undefined; methods: string[] | undefined } {
  const { pathname } = new URL(judge.baseUrl + request.target);
  const path = decoded(pathname);
  const hasSlash = judge.routes.some(({ path: own, answersTrailingSlash }) => answersTrailingSlash && path === `${own}/`);
  const methods = judge.api.at(hasSlash ? path.slice(0, -1) : path);
  const method = /^(get|head)$/i.test(request.method)
    ? 'GET'
    : /^(post|put|delete|options)$/i.test(request.method)
      ? request.method.toUpperCase()
      : request.method;
  // A form is sent to the address of its page.
  const form = judge.routes.find((route) => route.formPath === path && route.method === method);
  const operations = form === undefined ? methods : judge.api.at(form.path);
  return { operation: operations?.get(method), methods: methods && [...methods.keys()] };
}

function protocolOf({ target }: PlainRequest, { baseUrl, routes }: Judge): Protocol | undefined {
  return protocolAt(new URL(baseUrl + target).pathname, routes);
}

function protocolFaults({ method }: PlainRequest, { headers, body }: PlainReply, value: unknown, { errorSchema }: Protocol): string[] {
  const faults: string[] = [];
  const read = method === 'HEAD' ? undefined : errorSchema.safeParse(value);
  if (read?.success === false) faults.push(`has an error of its protocol that is none: ${read.error.issues[0]?.message ?? ''}`);
  if (headers.get('cache-control') !== 'no-store') faults.push('lets an error be stored');
  if (INTERIOR.test(body)) faults.push('shows the inside');
  return faults;
}

/** A path as the router reads it: decoded once, but for escapes that are no UTF-8. */
function decoded(path: string): string {
  return path.replaceAll('%25', '%2525').replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURI(escapes);
    } catch {
      return escapes;
    }
  });
}

function headerFaults({ status, headers, body }: PlainReply, { limited }: Judge): string[] {
  const faults: string[] = [];
  const expect = (name: string, pattern: RegExp): void => {
    const value = headers.get(name);
    if (value === null || !pattern.test(value)) faults.push(`has ${name} ${value}`);
  };
  expect('x-request-id', /^[A-Za-z0-9_-]{1,64}$/);
  expect('gateway-version', new RegExp(`^${GATEWAY_VERSION}$`));
  expect('access-control-allow-origin', /^\*$/);
  expect('access-control-expose-headers', /X-Request-Id/);
  expect('x-content-type-options', /^nosniff$/);
  // What only the publisher can mend names no time.
  if (status === 429 || (status === 503 && !body.includes('not_configured'))) expect('retry-after', /^[1-9]\d*$/);
  if (status === 401 || status === 403) expect('www-authenticate', /^Bearer realm="agent-gateway"[\x20-\x7e]*$/);
  if (status === 405) expect('allow', /^[A-Z, ]+$/);
  if (headers.has('access-control-allow-credentials')) faults.push('allows credentials to other origins');
  if (headers.has('set-cookie')) faults.push('sets a cookie');
  // Files are not counted, as they are not where their host serves them; neither is a key in the URL of one.
  const mayBeFile = status === 404 || status === 401 || status === 304 || !/json/.test(headers.get('content-type') ?? '');
  if (limited && status !== 414 && !(mayBeFile && !headers.has('ratelimit')))
    expect('ratelimit', /^"\w+";r=\d+;t=\d+(, "\w+";r=\d+;t=\d+)*$/);
  if (!limited && headers.has('ratelimit')) faults.push('tells of a limit that is lifted');
  return faults;
}

function parsed(body: string, type: string, faults: string[]): unknown {
  if (body === '' || !type.endsWith('json')) return undefined;
  try {
    return JSON.parse(body) as unknown;
  } catch {
    faults.push('has a body that is no JSON');
    return undefined;
  }
}

/** A problem in markdown, which goes only to who asks for that by name; `undefined` if the text is something else. */
function markdownProblem(
  request: PlainRequest,
  { status, headers, body }: PlainReply,
  faults: string[],
): { readonly code?: string } | undefined {
  const accept = headerOf(request, 'accept') ?? '';
  const [, code = ''] = /^---\nstatus: \d+\ncode: (\w+)\nrequest_id: [\w-]+\n---\n\n# ./.exec(body) ?? [];
  if (!/text\/markdown/i.test(accept)) return undefined;
  if (request.method === 'HEAD') return {};
  if (!Object.hasOwn(ERRORS, code)) return undefined;
  if (errorEntry(code as ErrorCode).status !== status) faults.push(`answers ${status} with ${code}`);
  if (headers.get('cache-control') !== 'no-store') faults.push('lets an error be stored');
  if (INTERIOR.test(body)) faults.push('shows the inside');
  return { code };
}

/** Checks a problem document against the table of errors, and gives its code. */
function problemFaults(request: PlainRequest, reply: PlainReply, value: unknown, { baseUrl }: Judge, faults: string[]): string | undefined {
  if (request.method === 'HEAD') return undefined;
  const problem = STRICT_PROBLEM.safeParse(value);
  if (!problem.success) {
    faults.push(`has a problem document that is none: ${problem.error.issues[0]?.message ?? ''}`);
    return undefined;
  }
  const { code, status, type, title, instance, request_id: id, retry_after_seconds: retry, detail, errors } = problem.data;
  if (!Object.hasOwn(ERRORS, code)) faults.push(`has the unknown code ${code}`);
  else if (
    errorEntry(code as ErrorCode).status !== reply.status ||
    status !== reply.status ||
    title !== errorEntry(code as ErrorCode).title
  )
    faults.push(`answers ${reply.status} with ${code} ${status}`);
  if (type !== `${baseUrl}/problems/${code}`) faults.push(`has the type ${type}`);
  const { pathname } = new URL(baseUrl + request.target);
  // A key in the path is masked, and what was encoded of it decoded.
  const hasKey = withoutKeys(pathname) !== undefined;
  const isPath = instance === pathname || (pathname.length > 256 && instance.length > 253 && pathname.startsWith(instance));
  if (hasKey ? withoutKeys(instance) !== undefined : !isPath) faults.push(`has the instance ${instance}`);
  if (id !== reply.headers.get('x-request-id')) faults.push('has two request ids');
  if (reply.headers.get('retry-after') !== (retry === undefined ? null : String(retry))) faults.push('has two times to come back');
  if (reply.headers.get('cache-control') !== 'no-store') faults.push('lets an error be stored');
  if (INTERIOR.test(`${detail}\n${JSON.stringify(errors ?? [])}`)) faults.push(`shows the inside: ${detail}`);
  return code;
}

/** Whether a page of the site answers, which is not ours to judge. */
function isFile(
  operation: DescribedOperation | undefined,
  methods: string[] | undefined,
  judge: Judge,
  { method, target }: PlainRequest,
): boolean {
  const route = judge.routes.find(({ id }) => id === operation?.id);
  if (route?.formPath !== undefined) return true;
  if (!/^(get|head)$/i.test(method)) return false;
  if (operation) return route?.responses.some(({ content }) => content?.type === 'text/html') ?? false;
  return methods === undefined && !new URL(judge.baseUrl + target).pathname.startsWith('/api/');
}

function declaredFaults(
  operation: DescribedOperation,
  request: PlainRequest,
  reply: PlainReply,
  type: string,
  code: string | undefined,
  value: unknown,
  { routes }: Judge,
): string[] {
  const { status, headers, body } = reply;
  const answer = operation.answers.get(status);
  if (answer === undefined) return [`answers ${status}${code === undefined ? '' : ` ${code}`}, which is not declared`];
  const faults: string[] = [];
  if (code !== undefined && !answer.codes.includes(code)) faults.push(`answers ${status} ${code}, which is not declared`);
  const optional = new Set(['ratelimit', 'ratelimit-policy', 'gateway-degraded', 'retry-after']);
  // What was made without a store is stored nowhere.
  if (headers.has('gateway-degraded')) optional.add('etag');
  for (const name of answer.headers)
    if (!optional.has(name.toLowerCase()) && !headers.has(name)) faults.push(`answers ${status} without ${name}`);
  if (answer.types.size === 0)
    return status < 400 && body !== '' ? [...faults, `answers ${status} with a body that is not declared`] : faults;
  const validate = answer.types.get(type);
  if (validate === undefined) return [...faults, `answers ${status} with the type ${type}, which is not declared`];
  if (request.method === 'HEAD' || !type.endsWith('json') || value === undefined) return faults;
  const fault = validate(value);
  if (fault !== undefined) faults.push(`answers ${status} against the document: ${fault}`);
  const route = routes.find(({ id }) => id === operation.id);
  const schema = route?.responses.find((each) => each.status === status && each.content?.type === type)?.content?.schema;
  const read = schema?.safeParse(value);
  if (read && !read.success)
    faults.push(
      `answers ${status} against its route: ${read.error.issues[0]?.path.join('.') ?? ''} ${read.error.issues[0]?.message ?? ''}`,
    );
  else if (read && !isDeepStrictEqual(JSON.parse(JSON.stringify(read.data)), value))
    faults.push(`answers ${status} with members that no schema has`);
  return faults;
}

/** Whether a request is refused for the key in its URL, which no address accepts. */
const isKeyRefused = ({ target }: PlainRequest, status: number): boolean => status === 401 && withoutKeys(target) !== undefined;

function undeclaredFaults(
  request: PlainRequest,
  { status }: PlainReply,
  code: string | undefined,
  methods: string[] | undefined,
  judge: Judge,
): string[] {
  if ((code !== undefined && EVERYWHERE.includes(code)) || status === 414 || status === 429 || isKeyRefused(request, status)) return [];
  if (methods !== undefined && request.method === 'OPTIONS' && status === 204) return [];
  if (methods !== undefined && request.method === 'HEAD' && status === 405) return [];
  // A file of the site takes a preflight request too.
  const { pathname } = new URL(judge.baseUrl + request.target);
  if (request.method === 'OPTIONS' && status === 204 && !pathname.startsWith('/api/')) return [];
  // A slash at the end of a path leads to the path without it.
  if (status === 308 && pathname.endsWith('/')) return [];
  if (methods === undefined && (isFile(undefined, methods, judge, request) || (request.method === 'HEAD' && status === 404))) return [];
  return [`answers ${status}${code === undefined ? '' : ` ${code}`} where no operation is`];
}

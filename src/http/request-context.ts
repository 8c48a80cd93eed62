import type { VerifiedKey } from '../gateway/agents/api-key.ts';
import { networkOf } from '../gateway/limits/token-bucket.ts';
import type { Refusal } from '../gateway/result.ts';
import { toHex } from '../provenance/bytes.ts';
import { RATE_LIMITS, type RateLimitName } from '../schemas/limits.ts';
import type { Caller, Degradation, RouteInput } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { type LimitReport, takeAllowance } from './rate-limits.ts';

/** The state of one request. */
export interface RequestContext extends Pick<RouteInput<unknown, unknown, unknown>, 'network' | 'takeRateLimit' | 'defer'> {
  readonly request: Request;
  readonly url: URL;
  readonly requestId: string;
  /** The id of a response that caches may give to others: never the one that a client chose. */
  readonly sharedId: string;
  readonly limits: LimitReport;
  readonly degraded: Set<Degradation>;
  /** A solved challenge from the body, for a protocol without headers. */
  challengeSolution: string | undefined;
  /** The key, once its signature is verified. */
  key: VerifiedKey | undefined;
  /** Set once the key is confirmed. */
  caller: Caller | undefined;
  /** The refusal of the rate limit, if the handler decides about it. */
  overLimit: Refusal | undefined;
  /** Whether another request asks for this one, whose 404 nobody sees. */
  readonly isPart: boolean;
}

/** @param waitUntil Keeps the isolate alive for deferred work. */
export function requestContext(
  request: Request,
  deps: GatewayDependencies,
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
): RequestContext {
  const sharedId = toHex(deps.randomness.bytes(12));
  const requestId = requestIdOf(request) ?? sharedId;
  const network = networkOf(request.headers.get('cf-connecting-ip') ?? undefined);
  const limits: LimitReport = new Map();
  const context: RequestContext = {
    request,
    url: new URL(request.url),
    requestId,
    sharedId,
    network,
    limits,
    degraded: new Set(),
    challengeSolution: undefined,
    key: undefined,
    caller: undefined,
    overLimit: undefined,
    isPart: false,
    takeRateLimit: (name) => takeAllowance(...countedFor(name, context), deps, limits),
    defer(work) {
      const logged = work.catch((error: unknown) => logError(error, requestId));
      waitUntil?.(logged);
    },
  };
  return context;
}

/** The context of a request for another address on behalf of a request, under its limits and its id. */
export function partContext(whole: RequestContext, request: Request, deps: GatewayDependencies): RequestContext {
  const part: RequestContext = {
    ...whole,
    request,
    url: new URL(request.url),
    isPart: true,
    takeRateLimit: (name) => takeAllowance(...countedFor(name, part), deps, part.limits),
  };
  return part;
}

/** The limit that applies to a request, and whom it counts for: the agent of the key, or the network. */
function countedFor(name: RateLimitName, { key, network }: Pick<RequestContext, 'key' | 'network'>): [RateLimitName, string] {
  const limit = name === 'query' && key?.payload.isRaised ? 'query_raised' : name;
  return [limit, RATE_LIMITS[limit].per === 'key' ? (key?.payload.agent ?? network) : network];
}

/** The client's id, if it has at most 64 letters, digits, hyphens and underscores. */
function requestIdOf({ headers }: Request): string | undefined {
  const own = headers.get('x-request-id') ?? '';
  return /^[A-Za-z0-9_-]{1,64}$/.test(own) ? own : undefined;
}

/** Logs an unexpected error under the id of its request. */
export function logError(error: unknown, requestId: string): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: 'error', request_id: requestId, reason }));
}

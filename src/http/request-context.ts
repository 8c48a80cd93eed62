import { networkOf } from '../gateway/limits/token-bucket.ts';
import type { Refusal } from '../gateway/result.ts';
import { toHex } from '../provenance/bytes.ts';
import type { Caller, Degradation, RouteInput } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { type LimitReport, takeAllowance } from './rate-limits.ts';

/** What belongs to one request while it is handled. */
export interface RequestContext extends Pick<RouteInput<unknown, unknown, unknown>, 'network' | 'takeRateLimit' | 'defer'> {
  readonly request: Request;
  readonly url: URL;
  readonly requestId: string;
  /** What rate limits and quotas counted, for the headers of the response. */
  readonly limits: LimitReport;
  /** What was unavailable when the response was made. */
  readonly degraded: Set<Degradation>;
  /** A solved challenge that came in the body, where a protocol has no headers. */
  challengeSolution: string | undefined;
  /** Who sent the request, once the key is confirmed. */
  caller: Caller | undefined;
  /** The refusal of the route's rate limit, where the handler decides. */
  overLimit: Refusal | undefined;
}

/** @param waitUntil Keeps the isolate alive for deferred work; without it, such work is not waited for. */
export function requestContext(
  request: Request,
  deps: GatewayDependencies,
  waitUntil: ((work: Promise<unknown>) => void) | undefined,
): RequestContext {
  const requestId = requestIdOf(request, deps);
  const network = networkOf(request.headers.get('cf-connecting-ip') ?? undefined);
  const limits: LimitReport = new Map();
  return {
    request,
    url: new URL(request.url),
    requestId,
    network,
    limits,
    degraded: new Set(),
    challengeSolution: undefined,
    caller: undefined,
    overLimit: undefined,
    takeRateLimit: (name) => takeAllowance(name, network, deps, limits),
    defer(work) {
      const logged = work.catch((error: unknown) => logError(error, requestId));
      waitUntil?.(logged);
    },
  };
}

/** The client's own id if it has at most 64 letters, digits, hyphens and underscores, else a new one. */
function requestIdOf(request: Request, { randomness }: Pick<GatewayDependencies, 'randomness'>): string {
  const own = request.headers.get('x-request-id');
  if (own !== null && /^[A-Za-z0-9_-]{1,64}$/.test(own)) return own;
  return toHex(randomness.bytes(12));
}

/** Logs an unexpected error under the id of its request. */
export function logError(error: unknown, requestId: string): void {
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(JSON.stringify({ level: 'error', request_id: requestId, reason }));
}

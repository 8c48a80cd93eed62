import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
  type Server,
} from '@modelcontextprotocol/server';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import type { Outcome } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';

/** How long clients may keep lists and documents of a deploy, in milliseconds. */
export const CACHE_HINT = { ttlMs: 300_000, cacheScope: 'public' } as const;

/** An outcome that is a response of the library. */
export type LibraryOutcome = Extract<Outcome, { readonly kind: 'response' }>;

/** Answers one request with a server that lives as long as the request, with one JSON object or, for a notification, with nothing. */
export async function answerOnce(request: Request, deps: GatewayDependencies, makeServer: () => Server): Promise<Result<LibraryOutcome>> {
  if (isRebound(request, deps)) return refuse('cross_site_form', 'A page of another site sent this request to a service on this machine.');
  const handler = createMcpHandler(makeServer, { legacy: 'stateless' });
  return ok({ kind: 'response', response: await asJson(await handler.fetch(request)) });
}

/** @param text JSON text of an object; clients without structured content read it as text. */
export function toolResult(text: string, isError: boolean) {
  return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) as Record<string, unknown>, isError };
}

/** Whether a page of another site sent a request to a service on its reader's own machine by DNS rebinding (MCP, "Security"). */
function isRebound(request: Request, { deployment }: GatewayDependencies): boolean {
  if (!localhostAllowedHostnames().includes(new URL(deployment.baseUrl).hostname)) return false;
  const host = hostHeaderValidationResponse(request, localhostAllowedHostnames());
  return (host ?? originValidationResponse(request, localhostAllowedOrigins())) !== undefined;
}

/** What begins a line with data of a server-sent event (HTML Standard, section 9.2). */
const DATA = 'data: ';

/** A response as one JSON object, which MCP allows instead of events: nothing precedes the result. */
async function asJson(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  const events = (await response.text()).split('\n').filter((line) => line.startsWith(DATA));
  return new Response(events.at(-1)?.slice(DATA.length) ?? '', {
    status: response.status,
    headers: { 'Content-Type': 'application/json' },
  });
}

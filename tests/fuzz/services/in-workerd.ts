import { builtGenerated, fileText, startEdgeGateway } from '../../support/edge-gateway.ts';
import { bodyOf, type FuzzedService, type PlainReply, type PlainRequest } from '../plain-request.ts';
import { UNSENT } from './in-process.ts';

/** How often a request is sent whose connection was closed. */
const SENT_MAX = 3;

/**
 * The compiled functions in workerd, with real simulators of the stores and the rate limits lifted. Requests reach workerd on a socket of
 * its own: Miniflare would answer some of them itself.
 */
export async function startInWorkerd(): Promise<FuzzedService> {
  const { deployment } = await builtGenerated();
  const edge = await startEdgeGateway({
    directSocket: true,
    generated: { deployment: { ...deployment, rateLimits: 'bench', intake: 'open' } },
    files: ({ url }) => new Response(fileText(new URL(url).pathname), { headers: { 'Content-Type': 'text/html' } }),
  });
  const { origin } = await edge.miniflare.unsafeGetDirectURL('gateway');
  let read = 0;
  return {
    name: 'in workerd',
    baseUrl: deployment.baseUrl,
    send: (plain) => sendTo(origin, plain),
    nowMs: () => Date.now(),
    takeLog: () => {
      const lines = edge.logs.slice(read);
      read = edge.logs.length;
      return lines;
    },
    stop: edge.stop,
  };
}

/**
 * Whether functions were not asked: workerd refuses methods that it does not know, and the router that wrangler compiles into the bundle
 * gives addresses with two slashes next to each other to the static files.
 */
function isFromHost({ target }: PlainRequest, { status, headers }: PlainReply): boolean {
  return !headers.has('x-request-id') && (status === 501 || /^[^?]*\/\//.test(target));
}

/** Sends a request; one whose connection was closed because its body was refused before it was sent whole is sent again. */
async function sendTo(origin: string, plain: PlainRequest): Promise<PlainReply> {
  for (let sent = 1; sent <= SENT_MAX; sent += 1) {
    const body = bodyOf(plain);
    const began = performance.now();
    try {
      const response = await fetch(origin + plain.target, {
        method: plain.method,
        redirect: 'manual',
        headers: plain.headers.map(([name, value]): [string, string] => [name, value]),
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      } as RequestInit);
      const text = await response.text();
      // How long many pieces take to send says nothing about the service.
      const ms = plain.pieces === undefined ? performance.now() - began : 0;
      const reply = { status: response.status, headers: response.headers, body: text, ms };
      return isFromHost(plain, reply) ? UNSENT : reply;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const code = (error.cause as { code?: string } | undefined)?.code;
      if (code === undefined || !/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) break;
    }
  }
  return UNSENT;
}

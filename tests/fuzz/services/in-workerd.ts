import { serveBuiltFiles } from '../../support/built-files.ts';
import { builtGenerated, startEdgeGateway } from '../../support/edge-gateway.ts';
import { bodyOf, type FuzzedService, type PlainReply, type PlainRequest } from '../plain-request.ts';
import { UNSENT } from './in-process.ts';

const SENT_MAX = 3;
/**
 * Milliseconds after which an answer that is not there counts as a connection that was closed: the client of this process may lose an answer
 * that comes before the whole body was sent.
 */
const PATIENCE_MS = 30_000;

/**
 * The compiled functions in workerd, with real simulators of the stores, the server of files that Pages uses, and the rate limits lifted. Requests reach workerd on a socket of
 * its own: Miniflare would answer some of them itself.
 */
export async function startInWorkerd(): Promise<FuzzedService> {
  const { deployment } = await builtGenerated();
  const files = new AbortController();
  const edge = await startEdgeGateway({
    generated: { deployment: { ...deployment, rateLimits: 'bench', intake: 'open' } },
    files: await serveBuiltFiles(undefined, files.signal),
  });
  let read = 0;
  return {
    name: 'in workerd',
    baseUrl: deployment.baseUrl,
    send: (plain) => sendTo(edge.origin, plain),
    nowMs: () => Date.now(),
    takeLog: () => {
      const lines = edge.logs.slice(read);
      read = edge.logs.length;
      return lines;
    },
    stop: async () => {
      files.abort();
      await edge.stop();
    },
  };
}

/** Whether functions were not asked: workerd refuses methods that it does not know. */
const isFromHost = ({ status, headers }: PlainReply): boolean => !headers.has('x-request-id') && status === 501;

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
        signal: AbortSignal.timeout(PATIENCE_MS),
      } as RequestInit);
      const text = await response.text();
      // How long many pieces take to send says nothing about the service.
      const ms = plain.pieces === undefined ? performance.now() - began : 0;
      const reply = { status: response.status, headers: response.headers, body: text, ms };
      return isFromHost(reply) ? UNSENT : reply;
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TimeoutError' && sent < SENT_MAX) continue;
      if (!(error instanceof TypeError)) throw error;
      const code = (error.cause as { code?: string } | undefined)?.code;
      if (code === undefined || !/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) break;
    }
  }
  return UNSENT;
}

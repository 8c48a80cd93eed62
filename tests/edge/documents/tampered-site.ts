import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import type { Requests } from '../../support/edge-gateway.ts';
import { listen } from '../../support/listen.ts';

/** Answers that a tampered site gives in place of the real ones. */
export interface Tampering {
  /** Changes a JSON response to a path, with its query if it has one, or gives another value for it. */
  readonly edit?: Readonly<Record<string, (document: never) => unknown>>;
  /** Answers a request by itself, or leaves it to the service; called with the path and how often it was asked for before. */
  readonly answer?: (path: string, asked: number) => { status: number; headers?: Record<string, string>; body?: string } | undefined;
}

/** A service on a loopback port, between which and its clients a test may stand. */
export interface TamperedSite {
  readonly origin: () => string;
  /** Tampers until the next call. */
  readonly tamper: (tampering: Tampering) => void;
  /** How often each path was asked for since then. */
  readonly asked: () => ReadonlyMap<string, number>;
}

/** Serves a tested service on a loopback port, so that programs which fetch addresses can be tested with answers that were changed. */
export function useTamperedSite(service: Requests): TamperedSite {
  let origin = '';
  let tampering: Tampering = {};
  let asked = new Map<string, number>();
  const respond = async (request: IncomingMessage): Promise<{ status: number; headers: Record<string, string>; body: string }> => {
    const path = request.url ?? '/';
    const before = asked.get(path) ?? 0;
    asked.set(path, before + 1);
    const own = tampering.answer?.(path, before);
    if (own) return { headers: {}, body: '', ...own };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', headers } = request;
    const sent = ['content-type', 'authorization'].flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    const response = await service.fetch(path, {
      method,
      headers: sent as [string, string][],
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    const text = await response.text();
    const edit = tampering.edit?.[path];
    return {
      status: response.status,
      headers: { 'Content-Type': response.headers.get('Content-Type') ?? '' },
      body: edit ? JSON.stringify(edit(JSON.parse(text) as never)) : text,
    };
  };
  const server = createServer((request, response) => {
    void respond(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  beforeAll(async () => {
    origin = await listen(server);
  });
  afterAll(() => server.close());
  return {
    origin: () => origin,
    tamper: (next) => {
      [tampering, asked] = [next, new Map()];
    },
    asked: () => asked,
  };
}

import { connect, type Socket } from 'node:net';

/** A response of HTTP/1.1. */
export interface RawResponse {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * A persistent HTTP/1.1 connection with one request at a time. It supports only what a gateway sends (RFC 9112: bodies with a length, chunked
 * or none), so that the client takes little CPU of the measured machine.
 */
export class HttpConnection {
  readonly #host: string;
  readonly #port: number;
  readonly #idleTimeoutMs: number;
  #socket: Socket | undefined;
  #waiting: { resolve: (response: RawResponse) => void; reject: (error: Error) => void } | undefined;
  #received: Buffer = Buffer.alloc(0);

  constructor(host: string, port: number, idleTimeoutMs = 30_000) {
    this.#host = host;
    this.#port = port;
    this.#idleTimeoutMs = idleTimeoutMs;
  }

  /**
   * Sends a request and returns its response, over a new connection if the previous one was lost.
   *
   * @throws {Error} If the connection fails or ends before the response is complete.
   */
  async send(request: Uint8Array): Promise<RawResponse> {
    if (this.#waiting) throw new Error('the connection is busy');
    const socket = await this.#open();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(request);
    });
  }

  close(): void {
    this.#fail(new Error('the client closed the connection'));
  }

  #open(): Promise<Socket> {
    if (this.#socket) return Promise.resolve(this.#socket);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: this.#host, port: this.#port, noDelay: true, timeout: this.#idleTimeoutMs });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('data', (chunk: Buffer) => this.#take(socket, chunk));
        socket.on('error', (error) => this.#lost(socket, error));
        socket.on('timeout', () => this.#lost(socket, new Error(`no answer within ${this.#idleTimeoutMs / 1_000} s`)));
        socket.on('close', () => this.#lost(socket, new Error('the connection ended before the response')));
        this.#received = Buffer.alloc(0);
        this.#socket = socket;
        resolve(socket);
      });
    });
  }

  /** The end of an idle connection is no failure: the next request opens another (RFC 9112 section 9.3.1). */
  #lost(socket: Socket, error: Error): void {
    if (socket === this.#socket) this.#fail(error);
  }

  #fail(error: Error): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#socket?.destroy();
    this.#socket = undefined;
    waiting?.reject(error);
  }

  #take(socket: Socket, chunk: Buffer): void {
    if (socket !== this.#socket) return;
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const read = parseResponse(this.#received);
    if (read === undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#received = this.#received.subarray(read.length);
    if (read.closes) {
      this.#socket = undefined;
      socket.destroy();
    }
    waiting?.resolve(read.response);
  }
}

/**
 * The first response in some bytes, its length, and whether the connection ends with it; `undefined` if it is incomplete.
 *
 * @throws {Error} If the bytes are not an HTTP/1.1 response.
 */
function parseResponse(bytes: Buffer): { readonly response: RawResponse; readonly length: number; readonly closes: boolean } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (!Number.isInteger(status)) throw new Error(`not an HTTP/1.1 response: ${head.slice(0, 60)}`);
  const closes = /^connection: *close/im.test(head);
  const start = headEnd + 4;
  if (status === 204 || status === 304) return { response: { status, body: Buffer.alloc(0) }, length: start, closes };
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const read = readChunks(bytes, start);
    return read && { response: { status, body: read.body }, length: read.end, closes };
  }
  const end = start + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < end ? undefined : { response: { status, body: bytes.subarray(start, end) }, length: end, closes };
}

/** The chunks from `start` as one body, and their end. A gateway sends no trailers. */
function readChunks(bytes: Buffer, start: number): { readonly body: Buffer; readonly end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error('a chunk without its size');
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(parts), end };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = end;
  }
}

export interface LoadRequest {
  readonly route: string;
  readonly bytes: Uint8Array;
  readonly statuses: readonly number[];
}

export interface RequestParts {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The bytes of an HTTP/1.1 request on a persistent connection. */
export function rawRequest(host: string, { method, path, headers = {}, body }: RequestParts): Uint8Array {
  const content = body === undefined ? undefined : Buffer.from(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(content ? ['Content-Type: application/json', `Content-Length: ${content.length}`] : []),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return content ? Buffer.concat([head, content]) : head;
}

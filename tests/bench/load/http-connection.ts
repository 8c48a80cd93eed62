import { connect, type Socket } from 'node:net';

/** What came back over a connection. */
export interface RawAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** A service that says nothing for so long has failed to answer. */
const SILENCE_MAX_MS = 30_000;

/**
 * One connection of HTTP/1.1 that is kept open and carries one request at a time. It knows no more of HTTP than a gateway sends
 * (RFC 9112: bodies with a length, in chunks or none), so that asking takes little of the machine that is measured.
 */
export class HttpConnection {
  readonly #host: string;
  readonly #port: number;
  #socket: Socket | undefined;
  #waiting: { resolve: (answer: RawAnswer) => void; reject: (error: Error) => void } | undefined;
  #received: Buffer = Buffer.alloc(0);

  constructor(host: string, port: number) {
    this.#host = host;
    this.#port = port;
  }

  /**
   * Sends a whole request and gives its answer, over a new connection if the one before was lost.
   *
   * @throws {Error} If the connection fails or ends before the whole answer is there.
   */
  async send(request: Uint8Array): Promise<RawAnswer> {
    if (this.#waiting) throw new Error('the connection carries a request already');
    const socket = await this.#open();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      socket.write(request);
    });
  }

  /** Ends the connection; a request that waits fails. */
  close(): void {
    this.#fail(new Error('the connection was closed here'));
  }

  #open(): Promise<Socket> {
    if (this.#socket) return Promise.resolve(this.#socket);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: this.#host, port: this.#port, noDelay: true, timeout: SILENCE_MAX_MS });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('data', (chunk: Buffer) => this.#take(socket, chunk));
        socket.on('error', (error) => this.#lost(socket, error));
        socket.on('timeout', () => this.#lost(socket, new Error(`no answer within ${SILENCE_MAX_MS / 1_000} s`)));
        socket.on('close', () => this.#lost(socket, new Error('the connection ended before the answer')));
        this.#received = Buffer.alloc(0);
        this.#socket = socket;
        resolve(socket);
      });
    });
  }

  /** A connection that ends while nothing is asked of it is no failure: the next request opens another (RFC 9112 section 9.3.1). */
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
    const read = readAnswer(this.#received);
    if (read === undefined) return;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#received = this.#received.subarray(read.length);
    if (read.closes) {
      this.#socket = undefined;
      socket.destroy();
    }
    waiting?.resolve(read.answer);
  }
}

/**
 * The first answer in some bytes, how many of them it takes, and whether the connection ends with it; `undefined` if it is not whole yet.
 *
 * @throws {Error} If the bytes are no answer of HTTP/1.1.
 */
function readAnswer(bytes: Buffer): { readonly answer: RawAnswer; readonly length: number; readonly closes: boolean } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (!Number.isInteger(status)) throw new Error(`no answer of HTTP/1.1: ${head.slice(0, 60)}`);
  const closes = /^connection: *close/im.test(head);
  const start = headEnd + 4;
  if (status === 204 || status === 304) return { answer: { status, body: Buffer.alloc(0) }, length: start, closes };
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const read = readChunks(bytes, start);
    return read && { answer: { status, body: read.body }, length: read.end, closes };
  }
  const end = start + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  return bytes.length < end ? undefined : { answer: { status, body: bytes.subarray(start, end) }, length: end, closes };
}

/** The chunks from `start` as one body, and where they end. Trailers are none of a gateway's. */
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

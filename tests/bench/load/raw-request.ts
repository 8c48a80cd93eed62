/** One request as it goes over a connection, what it counts as, and the statuses that are right for it. */
export interface LoadRequest {
  /** What its figures are shown under. */
  readonly route: string;
  readonly bytes: Uint8Array;
  readonly statuses: readonly number[];
}

/** What {@link rawRequest} makes a request of. */
export interface RequestParts {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: string | Uint8Array;
}

/** The bytes of a request of HTTP/1.1 that keeps its connection. */
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

/** One request to the service. */
export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** Address of the caller. */
  readonly address?: string;
}

/** Id that every simulated request has, so that answers can be compared byte for byte. */
const REQUEST_ID = 'simulated';

/** The request of a question. */
export function requestOf({ method, path, body, key, idempotencyKey, address = '192.0.2.1' }: Question, baseUrl: string): Request {
  const headers: Record<string, string> = { 'X-Request-Id': REQUEST_ID, 'CF-Connecting-IP': address };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (key !== undefined) headers['Authorization'] = `Bearer ${key}`;
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  return new Request(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Reads an answer to its end. */
export async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Code of a problem document; `undefined` where the body is none. */
export function codeOf({ headers, body }: Answer): string | undefined {
  if (headers.get('content-type') !== 'application/problem+json') return undefined;
  return (JSON.parse(body) as { code?: string }).code;
}

export interface Question {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly key?: string | undefined;
  readonly idempotencyKey?: string;
  readonly address?: string;
}

const REQUEST_ID = 'simulated';

export function requestOf({ method, path, body, key, idempotencyKey, address = '192.0.2.1' }: Question, baseUrl: string): Request {
  const headers: Record<string, string> = { 'X-Request-Id': REQUEST_ID, 'CF-Connecting-IP': address };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (key !== undefined) headers['Authorization'] = `Bearer ${key}`;
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  return new Request(baseUrl + path, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Code of an error, as a problem document or a protocol of commerce names it; `undefined` for any other answer. */
export function codeOf({ status, headers, body }: Answer): string | undefined {
  const type = headers.get('content-type');
  if (type !== 'application/problem+json' && (status < 400 || type !== 'application/json')) return undefined;
  const { code, messages } = JSON.parse(body) as { code?: string; messages?: readonly { readonly code: string }[] };
  return code ?? messages?.[0]?.code;
}

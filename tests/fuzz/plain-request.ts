export interface PlainRequest {
  readonly method: string;
  /** Path and query, as they stand in the request line. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Uint8Array;
  /** Lengths of the pieces in which the body is sent; it is sent whole without them. */
  readonly pieces?: readonly number[];
}

export interface PlainReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly ms: number;
}

export interface FuzzedService {
  readonly name: string;
  readonly baseUrl: string;
  readonly send: (request: PlainRequest) => Promise<PlainReply>;
  /** The time that the service goes by, in milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** Takes what the service has logged since the last call. */
  readonly takeLog: () => string[];
  readonly stop: () => Promise<void>;
}

export function headerOf(request: PlainRequest, name: string): string | undefined {
  return request.headers.findLast(([own]) => own.toLowerCase() === name)?.[1];
}

export function bodyOf({ body, pieces }: PlainRequest): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | undefined {
  if (body === undefined || pieces === undefined) return body as Uint8Array<ArrayBuffer> | undefined;
  let offset = 0;
  let index = 0;
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (offset >= body.length) return controller.close();
      const end = Math.min(body.length, offset + Math.max(1, pieces[index % pieces.length] ?? 1));
      controller.enqueue(body.slice(offset, end));
      offset = end;
      index += 1;
    },
  });
}

export function curlLine(baseUrl: string, request: PlainRequest): string {
  const parts = ['curl', '-si', '--path-as-is', '-X', request.method, shellText(baseUrl + request.target)];
  for (const [name, value] of request.headers) parts.push('-H', shellText(value === '' ? `${name};` : `${name}: ${value}`));
  if (request.method === 'HEAD') parts.push('--head');
  if (request.body === undefined) return parts.join(' ');
  const octal = Array.from(request.body, plainOrOctal).join('');
  return `printf '${octal}' | ${parts.join(' ')} --data-binary @-`;
}

function plainOrOctal(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9 {}[\]:",._/+-]/.test(character) ? character : `\\${byte.toString(8).padStart(3, '0')}`;
}

function shellText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) && !text.includes("'")
    ? `'${text}'`
    : `$'${Array.from(new TextEncoder().encode(text), plainOrOctal).join('')}'`;
}

import type { ErrorCode } from '../gateway/errors.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import { LIMITS } from '../schemas/limits.ts';
import { JsonNotObjectError, JsonRejectedError, parseJsonObject } from './parse-json.ts';

/** Shared: constructing a decoder takes longer than decoding a body. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads a request's body up to a limit. Every body is read before the response, because a connection with an unread body cannot be reused
 * and keep-alive clients would see broken sockets; Hono's `bodyLimit` leaves bodies over the limit unread.
 *
 * @param maxBytes The limit; up to eight times as much of a longer body is read and discarded.
 */
export async function readBody(request: Request, maxBytes: number = LIMITS.bodyMaxBytes): Promise<Result<Uint8Array>> {
  const { body } = request;
  if (!body) return ok(new Uint8Array());
  if (contentLength(request.headers) <= maxBytes) return readWhole(request, maxBytes);
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    // A truncated body, or one with malformed chunks (RFC 9112 section 7.1), is the client's error.
    const read = await reader.read().catch(() => undefined);
    if (read === undefined) return truncated();
    const { done, value } = read;
    if (done) break;
    size += value.byteLength;
    if (size <= maxBytes) chunks.push(value);
    else if (size > 8 * maxBytes) {
      await reader.cancel().catch(() => undefined);
      break;
    }
  }
  if (size > maxBytes) return tooLarge(maxBytes);
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return ok(bytes);
}

/** The Content-Length of a body; infinity if the header does not determine the length (RFC 9112 section 6.3). */
function contentLength(headers: Headers): number {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) && !headers.has('transfer-encoding') ? Number(length) : Number.POSITIVE_INFINITY;
}

/** Reads a body whose Content-Length is within the limit at once. */
async function readWhole(request: Request, maxBytes: number): Promise<Result<Uint8Array>> {
  const bytes = await request.bytes().catch(() => undefined);
  if (bytes === undefined) return truncated();
  return bytes.length > maxBytes ? tooLarge(maxBytes) : ok(bytes);
}

function truncated(): Result<never> {
  return refuse('invalid_json', 'The body is truncated, or its transfer coding is malformed.');
}

function tooLarge(maxBytes: number): Result<never> {
  return refuse('payload_too_large', `The body has more than ${maxBytes} bytes.`);
}

/**
 * The body as a JSON object, if its headers declare JSON.
 *
 * @param nonObjectCode Error for JSON that is not an object.
 * @param acceptsList Whether a list is accepted as well.
 * @param acceptedTypes Media types of the route, as its error names them.
 */
export function jsonBody(
  headers: Headers,
  bytes: Uint8Array,
  maxStringLength: number = LIMITS.jsonStringMaxLength,
  nonObjectCode: ErrorCode = 'invalid_json',
  acceptedTypes: readonly string[] = ['application/json'],
  acceptsList = false,
): Result<Record<string, unknown> | unknown[]> {
  if (bytes.length === 0) return refuse('invalid_json', 'The body is empty. Send a JSON object, with "Content-Type: application/json".');
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (type !== 'application/json')
    return refuse('unsupported_media_type', `${contentTypeFault(type)} Send "Content-Type: ${acceptedTypes.join('" or "')}".`);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return refuse('unsupported_media_type', 'The charset of the body is not UTF-8.');
  const coding = headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity')
    return refuse('unsupported_media_type', 'The body has a content coding. Send it without one.');
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse('invalid_json', isUtf16(bytes) ? 'The body is UTF-16. Send it in UTF-8.' : 'The body is not UTF-8.');
  }
  try {
    return ok(parseJsonObject(text, maxStringLength, acceptsList));
  } catch (error) {
    if (error instanceof JsonNotObjectError) return refuse(nonObjectCode, error.message);
    if (error instanceof JsonRejectedError) {
      const { message, fault } = error;
      return refuse(
        'invalid_json',
        message,
        fault === undefined ? {} : { errors: [{ pointer: '', ...fault, message: message.replace(/\.$/, '') }] },
      );
    }
    throw error;
  }
}

/** What is wrong with the media type of a body. */
function contentTypeFault(type: string): string {
  if (type === '') return 'The request has no Content-Type.';
  const name = /^[a-z0-9.+-]{1,40}\/[a-z0-9.+-]{1,60}$/.test(type) ? ` ${type}` : '';
  return `The Content-Type${name} is not supported.`;
}

/** Whether bytes begin with a byte order mark of UTF-16; that of UTF-8 is ignored (RFC 8259 section 8.1). */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Whether percent-encoded bytes are UTF-8; `URLSearchParams` silently replaces others with U+FFFD. */
function isPercentEncodedUtf8(text: string): boolean {
  try {
    // A percent sign that encodes nothing is literal, as in `URLSearchParams`.
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** Whether a request declares its body a form. */
export function isForm(headers: Headers): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** The fields of a form (WHATWG URL, application/x-www-form-urlencoded); empty fields are left out. */
export function formBody(bytes: Uint8Array): Result<Record<string, unknown>> {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse('invalid_json', 'The form is not UTF-8.');
  }
  if (!isPercentEncodedUtf8(text)) return refuse('invalid_json', 'The form is not UTF-8.');
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) return refuse('invalid_json', 'A field appears twice in the form.');
    if (fields.size >= LIMITS.jsonMaxKeys) return refuse('invalid_json', 'The form has too many fields.');
    // Browsers send line breaks as CR LF.
    fields.set(name, value.replaceAll('\r\n', '\n'));
  }
  return ok(Object.fromEntries([...fields].filter(([, value]) => value.trim() !== '')));
}

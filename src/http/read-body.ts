import { LIMITS } from '../schemas/limits.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import { JsonRejectedError, parseJsonObject } from './parse-json.ts';

/** One for all bodies: making it takes longer than reading a body. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * Reads a request's body up to the cap. It is always read before any answer: a connection whose body was left unread
 * cannot be used again, and clients that keep connections alive see broken sockets.
 *
 * @param maxBytes The cap; of a body that is longer, eight times as much is read and thrown away.
 */
export async function readBody(request: Request, maxBytes: number = LIMITS.bodyMaxBytes): Promise<Result<Uint8Array>> {
  const { body } = request;
  if (!body) return ok(new Uint8Array());
  if (announcedLength(request.headers) <= maxBytes) return readWhole(request, maxBytes);
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    // A body that breaks off, or whose chunks are malformed (RFC 9112 section 7.1), is a mistake of the caller.
    const read = await reader.read().catch(() => undefined);
    if (read === undefined) return brokenOff();
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

/** How long a body says itself that it is; infinity if it does not say so in a way that binds it (RFC 9112 section 6.3). */
function announcedLength(headers: Headers): number {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) && !headers.has('transfer-encoding') ? Number(length) : Number.POSITIVE_INFINITY;
}

/** A body that says itself that it is not too long is read in one operation. */
async function readWhole(request: Request, maxBytes: number): Promise<Result<Uint8Array>> {
  const bytes = await request.bytes().catch(() => undefined);
  if (bytes === undefined) return brokenOff();
  return bytes.length > maxBytes ? tooLarge(maxBytes) : ok(bytes);
}

function brokenOff(): Result<never> {
  return refuse('invalid_json', 'The body broke off, or its transfer coding is malformed.');
}

function tooLarge(maxBytes: number): Result<never> {
  return refuse('payload_too_large', `The body has more than ${maxBytes} bytes.`);
}

/** The body as a JSON object, if its headers say that it is one. */
export function jsonBody(
  headers: Headers,
  bytes: Uint8Array,
  maxStringLength: number = LIMITS.jsonStringMaxLength,
): Result<Record<string, unknown>> {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (type !== 'application/json')
    return refuse('unsupported_media_type', type === '' ? 'The request has no Content-Type.' : 'The Content-Type is not application/json.');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return refuse('unsupported_media_type', 'The charset of the body is not UTF-8.');
  const coding = headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity')
    return refuse('unsupported_media_type', 'The body has a content coding; send it without one.');
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse('invalid_json', 'The body is not UTF-8.');
  }
  try {
    return ok(parseJsonObject(text, maxStringLength));
  } catch (error) {
    if (error instanceof JsonRejectedError) return refuse('invalid_json', error.message);
    throw error;
  }
}

/** Whether what is percent-encoded in a form is UTF-8: its parser would put U+FFFD in the place of what is not, without a word. */
function isPercentEncodedUtf8(text: string): boolean {
  try {
    // A percent sign that encodes nothing stands for itself, as the parser of forms takes it.
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
    return true;
  } catch {
    return false;
  }
}

/** Whether a request says that its body is a form. */
export function isForm(headers: Headers): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** The fields of a form that a page sends (WHATWG URL, application/x-www-form-urlencoded); an empty field counts as left out. */
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
    if (fields.has(name)) return refuse('invalid_json', 'The form names a field twice.');
    if (fields.size >= LIMITS.jsonMaxKeys) return refuse('invalid_json', 'The form has too many fields.');
    // Pages send line breaks as CR LF.
    fields.set(name, value.replaceAll('\r\n', '\n'));
  }
  return ok(Object.fromEntries([...fields].filter(([, value]) => value.trim() !== '')));
}

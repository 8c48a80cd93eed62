import type { ErrorCode } from '../gateway/errors.ts';
import { attempt, ok, type Result, refuse, repeatable } from '../gateway/result.ts';
import { LIMITS } from '../schemas/limits.ts';

/** Shared: constructing a decoder takes longer than decoding a body. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Of a body over its limit, what is read and discarded: 16 MiB take 6 ms of CPU in workerd, and the free plan has 10 ms for a request. */
export const DISCARDED_MAX_BYTES = 2 ** 24;

/** Wrangler's server on this machine, which limits no CPU. Once a body is cancelled, it fails the next request, whoever sends it. */
const LOCAL_SERVER = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/;

/**
 * Reads a request's body up to a limit, and discards the rest: a connection with an unread body cannot be reused, and keep-alive clients would see
 * broken sockets. Hono's `bodyLimit` leaves bodies over the limit unread. @param baseUrl Of the deployment: the address of a request is its sender's.
 */
export async function readBody(request: Request, baseUrl: string, maxBytes: number = LIMITS.bodyMaxBytes): Promise<Result<Uint8Array>> {
  const length = contentLength(request.headers);
  // Asking for the stream makes one.
  const body = length > 0 && length <= maxBytes ? null : request.body;
  if (!body || length === 0) {
    const bytes = await request.bytes().catch(() => undefined);
    if (bytes === undefined) return truncated();
    return bytes.length > maxBytes ? tooLarge(maxBytes) : ok(bytes);
  }
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    // A truncated body, or one with malformed chunks (RFC 9112 section 7.1), is the client's error.
    const read = await reader.read().catch(() => undefined);
    if (read === undefined) return truncated();
    const { done, value } = read;
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      reader.releaseLock();
      await discard(body, LOCAL_SERVER.test(baseUrl) ? Infinity : DISCARDED_MAX_BYTES).catch(() => undefined);
      return tooLarge(maxBytes);
    }
    chunks.push(value);
  }
  return ok(await new Blob(chunks).bytes());
}

/** Reads a stream to its end, or cancels it if it is too long. Reading into a buffer takes a seventh of the CPU; only a stream of bytes allows it. */
async function discard(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<void> {
  const reader = attempt(() => body.getReader({ mode: 'byob' }));
  if (reader === undefined) return body.cancel();
  let buffer = new Uint8Array(2 ** 16);
  for (let size = 0; size < maxBytes; ) {
    const { done, value } = await reader.read(buffer);
    if (done) return;
    size += value.byteLength;
    buffer = new Uint8Array(value.buffer);
  }
  return reader.cancel();
}

/** The Content-Length of a body; infinity if the header does not determine the length (RFC 9112 section 6.3). */
function contentLength(headers: Headers): number {
  const length = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(length) && !headers.has('transfer-encoding') ? Number(length) : Number.POSITIVE_INFINITY;
}

function truncated(): Result<never> {
  return refuse('invalid_json', 'The body is truncated, or its transfer coding is malformed.');
}

function tooLarge(maxBytes: number): Result<never> {
  return refuse('payload_too_large', `The body has more than ${maxBytes} bytes.`);
}

/** The body as a JSON object, if its headers declare JSON. Errors name the media types of the route. */
export function jsonBody(
  headers: Headers,
  bytes: Uint8Array,
  maxStringLength: number = LIMITS.jsonStringMaxLength,
  nonObjectCode: ErrorCode = 'invalid_json',
  acceptedTypes: readonly string[] = ['application/json'],
): Result<Record<string, unknown>> {
  if (bytes.length === 0) return refuse('invalid_json', 'The body is empty. Send a JSON object, with "Content-Type: application/json".');
  const sent = headers.get('content-type') ?? '';
  const [type = '', ...parameters] = sent === 'application/json' ? [sent] : sent.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice('charset='.length)
    .replaceAll('"', '');
  if (type !== 'application/json') {
    const name = /^[a-z0-9.+-]{1,40}\/[a-z0-9.+-]{1,60}$/.test(type) ? ` ${type}` : '';
    const why = type === '' ? 'The request has no Content-Type.' : `The Content-Type${name} is not supported.`;
    return refuse('unsupported_media_type', `${why} Send "Content-Type: ${acceptedTypes.join('" or "')}".`);
  }
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return refuse('unsupported_media_type', 'The charset of the body is not UTF-8.');
  const coding = headers.get('content-encoding');
  if (coding !== null && coding.toLowerCase() !== 'identity')
    return refuse('unsupported_media_type', 'The body has a content coding. Send it without one.');
  const text = attempt(() => UTF8.decode(bytes));
  if (text === undefined)
    return refuse('invalid_json', isUtf16(bytes) ? 'The body is UTF-16. Send it in UTF-8.' : 'The body is not UTF-8.');
  try {
    return ok(parseJsonObject(text, maxStringLength));
  } catch (error) {
    if (error instanceof JsonNotObjectError) return refuse(nonObjectCode, error.message);
    if (error instanceof JsonRejectedError) {
      const { message, syntaxError } = error;
      const errors = syntaxError && [{ pointer: '', ...syntaxError, message: message.replace(/\.$/, '') }];
      return refuse('invalid_json', message, errors && { errors });
    }
    throw error;
  }
}

/** Whether bytes begin with a byte order mark of UTF-16; that of UTF-8 is ignored (RFC 8259 section 8.1). */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** Whether percent-encoded bytes are UTF-8; `URLSearchParams` silently replaces others with U+FFFD. */
export function isPercentEncodedUtf8(text: string): boolean {
  // A percent sign that encodes nothing is literal, as in `URLSearchParams`.
  return attempt(() => decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))) !== undefined;
}

export function isForm(headers: Headers): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** The fields of a form (WHATWG URL, application/x-www-form-urlencoded); empty fields are left out. */
export function formBody(bytes: Uint8Array): Result<Record<string, unknown>> {
  const text = attempt(() => UTF8.decode(bytes));
  if (text === undefined || !isPercentEncodedUtf8(text)) return refuse('invalid_json', 'The form is not UTF-8.');
  const fields = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (fields.has(name)) return refuse('invalid_json', 'A field appears twice in the form.');
    if (fields.size >= LIMITS.jsonMaxKeys) return refuse('invalid_json', 'The form has too many fields.');
    // Browsers send line breaks as CR LF.
    fields.set(name, value.replaceAll('\r\n', '\n'));
  }
  return ok(Object.fromEntries([...fields].filter(([, value]) => value.trim() !== '')));
}

interface JsonSyntaxError {
  /** What is wrong there and how to fix it, as a clause: `a comma stands before "}"; remove it`. */
  readonly message: string;
  /** Line and column, counted from 1; columns in characters. */
  readonly line: number;
  readonly column: number;
}

/** Why a text was rejected as JSON; the message is safe to send. */
export class JsonRejectedError extends Error {
  override readonly name: string = 'JsonRejectedError';
  readonly syntaxError: JsonSyntaxError | undefined;

  constructor(message: string, syntaxError?: JsonSyntaxError) {
    super(message);
    this.syntaxError = syntaxError;
  }
}

export class JsonNotObjectError extends JsonRejectedError {
  override readonly name = 'JsonNotObjectError';
}

/**
 * Parses a JSON object. Unlike `JSON.parse`, rejects duplicate members (RFC 8259 section 4), `__proto__`, unpaired surrogates, numbers beyond a
 * double, deep nesting, very many members and very long texts, and says where a text is not JSON. Repeats at most one character or plain word.
 *
 * @throws {JsonRejectedError}
 */
export function parseJsonObject(text: string, maxStringLength: number = LIMITS.jsonStringMaxLength): Record<string, unknown> {
  if (text.trim() === '') throw new JsonRejectedError('The body is empty. Send a JSON object.');
  const value = new JsonReader(text, maxStringLength).read();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonNotObjectError(notObject(value));
  return value as Record<string, unknown>;
}

/** A value without members that are null: clients whose tool calls must have every argument send null for those that they leave out. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

/** An object whose member has another name, unless it has a member of that name. */
export function renamed(value: unknown, from: string, to: string): unknown {
  if (typeof value !== 'object' || value === null || !(from in value) || to in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name === from ? to : name, member]));
}

function notObject(value: unknown): string {
  if (typeof value === 'string' && /^\s*\{/.test(value) && attempt(() => JSON.parse(value)) !== undefined)
    return 'The body is a string that contains a JSON object: it was encoded twice. Send the object itself.';
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return `The body must be a JSON object; it is ${kind}.`;
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map(Object.entries({ true: true, false: false, null: null }));

const FOREIGN_WORDS: ReadonlyMap<string, string> = new Map([
  ...['None', 'nil', 'undefined', 'NaN', 'Infinity', 'NULL', 'Null'].map((word) => [word, 'null'] as const),
  ...['True', 'TRUE'].map((word) => [word, 'true'] as const),
  ...['False', 'FALSE'].map((word) => [word, 'false'] as const),
]);

const OTHER_QUOTES = "'`\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb";

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const UNESCAPED = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /[A-Za-z]{1,24}/y;

class JsonReader {
  readonly #text: string;
  readonly #maxStringLength: number;
  #at = 0;
  #depth = 0;
  #count = 0;

  constructor(text: string, maxStringLength: number) {
    this.#text = text;
    this.#maxStringLength = maxStringLength;
  }

  read(): unknown {
    this.#skip(SPACE);
    const value = this.#value();
    this.#skip(SPACE);
    if (this.#at < this.#text.length) this.#fail(`${this.#here()} follows the end of the JSON value; send one value only`);
    return value;
  }

  #value(): unknown {
    const first = this.#text[this.#at];
    if (first === '{') {
      const members = new Map<string, unknown>();
      this.#list('}', () => this.#member(members));
      return Object.fromEntries(members);
    }
    if (first === '[') {
      const items: unknown[] = [];
      this.#list(']', () => items.push(this.#value()));
      return items;
    }
    if (first === '"') return this.#string();
    const number = this.#take(NUMBER);
    return number === '' ? this.#literal() : this.#number(number);
  }

  /** `JSON.parse` turns a number beyond a double into Infinity, which has no canonical form (RFC 7493 section 2.2). */
  #number(written: string): number {
    if (/[\w.+-]/.test(this.#text[this.#at] ?? '')) this.#fail(`${this.#here()} does not belong to a number of JSON, such as 5 or -0.5`);
    if (!Number.isFinite(Number(written))) throw new JsonRejectedError('The body has a number that a double cannot represent.');
    return Number(written);
  }

  #literal(): boolean | null {
    const start = this.#at;
    const word = this.#take(WORD);
    const value = LITERALS.get(word);
    if (value !== undefined) return value;
    this.#at = start;
    const instead = FOREIGN_WORDS.get(word);
    const remedy = instead === undefined ? `stands where a value is expected${this.#hint()}` : `is not JSON; write ${instead}`;
    return this.#fail(`${this.#here()} ${remedy}`);
  }

  #list(end: '}' | ']', readItem: () => void): void {
    this.#depth += 1;
    if (this.#depth > LIMITS.jsonMaxDepth) throw new JsonRejectedError(`The body is nested deeper than ${LIMITS.jsonMaxDepth} levels.`);
    this.#at += 1;
    this.#skip(SPACE);
    while (this.#text[this.#at] !== end) {
      this.#count += 1;
      if (this.#count > LIMITS.jsonMaxKeys) throw new JsonRejectedError(`The body has more than ${LIMITS.jsonMaxKeys} members and items.`);
      readItem();
      this.#skip(SPACE);
      const next = this.#text[this.#at];
      if (next === end) break;
      if (next !== ',') this.#fail(`${this.#here()} stands where a comma or "${end}" is expected${this.#hint()}`);
      const comma = this.#at;
      this.#at += 1;
      this.#skip(SPACE);
      if (this.#text[this.#at] === end) this.#fail(`a comma stands before "${end}"; remove it`, comma);
    }
    this.#at += 1;
    this.#depth -= 1;
  }

  #member(members: Map<string, unknown>): void {
    if (this.#text[this.#at] !== '"') {
      const hint = this.#hint();
      this.#fail(`${this.#here()} stands where the name of a member is expected${hint === '' ? '; names are in double quotes' : hint}`);
    }
    const name = this.#string();
    if (members.has(name)) throw new JsonRejectedError(`The member "${repeatable(name)}" appears twice in the body.`);
    if (name === '__proto__') throw new JsonRejectedError('The body has a member named "__proto__".');
    this.#skip(SPACE);
    if (this.#text[this.#at] !== ':') this.#fail(`${this.#here()} stands where a colon is expected, after the name of a member`);
    this.#at += 1;
    this.#skip(SPACE);
    members.set(name, this.#value());
  }

  #string(): string {
    const start = this.#at;
    let hasEscapes = false;
    this.#at += 1;
    for (;;) {
      this.#skip(UNESCAPED);
      const character = this.#text[this.#at];
      if (character === '"') break;
      if (character === undefined) this.#fail('a string begins that does not end; close it with a double quote', start);
      if (character === '\n' || character === '\r') this.#fail('a line ends inside a string; write \\n for a line break');
      if (character !== '\\') this.#fail(`${this.#here()} stands inside a string; write it as an escape`);
      if (this.#take(ESCAPE) === '') this.#fail('a backslash begins no escape of JSON; write \\\\ for a backslash');
      hasEscapes = true;
    }
    this.#at += 1;
    if (this.#at - start - 2 > this.#maxStringLength)
      throw new JsonRejectedError(`The body has a text of more than ${this.#maxStringLength} characters, counting escapes as written.`);
    if (!hasEscapes) return this.#text.slice(start + 1, this.#at - 1);
    const value = JSON.parse(this.#text.slice(start, this.#at)) as string;
    // An unpaired surrogate has no canonical form, so no digest (RFC 7493 section 2.1).
    if (/\p{Surrogate}/u.test(value)) throw new JsonRejectedError('The body contains an unpaired surrogate.');
    return value;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    pattern.test(this.#text);
    this.#at = pattern.lastIndex;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ''] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }

  #here(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return 'the end of the body';
    WORD.lastIndex = this.#at;
    const [word] = WORD.exec(this.#text) ?? [];
    if (word !== undefined) return `"${word}"`;
    if (code === 0x22) return 'a double quote';
    return code > 0x20 && code < 0x7f ? `"${String.fromCodePoint(code)}"` : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  }

  #hint(): string {
    const character = this.#text[this.#at] ?? '';
    if (this.#text.startsWith('```', this.#at)) return '; send the JSON without the fence of a code block';
    if (character === '') return '; the body ends too early';
    if (OTHER_QUOTES.includes(character)) return '; strings are in straight double quotes';
    if (character === '/' || character === '#') return '; JSON has no comments';
    return '';
  }

  #fail(message: string, at: number = this.#at): never {
    const before = this.#text.slice(0, at).split(/\r\n|\n|\r/);
    const [line, column] = [before.length, [...(before.at(-1) ?? '')].length + 1];
    const detail = `The body is not valid JSON. At line ${line}, column ${column}, ${message}.`;
    throw new JsonRejectedError(detail, { message, line, column });
  }
}

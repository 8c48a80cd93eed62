import { LIMITS } from '../schemas/limits.ts';
import { findJsonFault, type JsonFault } from './find-json-fault.ts';
import { plainName } from './validate-input.ts';

/** Why a text was rejected as JSON; the message is safe to send. */
export class JsonRejectedError extends Error {
  override readonly name: string = 'JsonRejectedError';
  /** Where the text stops being JSON, if that is the reason. */
  readonly fault: JsonFault | undefined;

  constructor(message: string, fault?: JsonFault) {
    super(message);
    this.fault = fault;
  }
}

/** Rejects a text that is JSON, but not an object. */
export class JsonNotObjectError extends JsonRejectedError {
  override readonly name = 'JsonNotObjectError';
}

/**
 * Parses a JSON object, or a list where one is accepted. Unlike `JSON.parse`, rejects duplicate members (RFC 8259 section 4: unpredictable), `__proto__`, unpaired
 * surrogates, numbers beyond a double, deep nesting, very many members and very long texts.
 *
 * @param maxStringLength Longest text, in UTF-16 code units as written, with its escapes.
 * @throws {JsonRejectedError}
 */
export function parseJsonObject(
  text: string,
  maxStringLength: number = LIMITS.jsonStringMaxLength,
  acceptsList = false,
): Record<string, unknown> | unknown[] {
  scan(text, maxStringLength);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson(text);
  }
  if (acceptsList && Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonNotObjectError(notObject(value));
  return value as Record<string, unknown>;
}

function invalidJson(text: string): JsonRejectedError {
  if (text.trim() === '') return new JsonRejectedError('The body is empty. Send a JSON object.');
  const fault = findJsonFault(text);
  const place = fault === undefined ? '' : ` At line ${fault.line}, column ${fault.column}, ${fault.message}.`;
  return new JsonRejectedError(`The body is not valid JSON.${place}`, fault);
}

/** What a body is instead of an object. */
function notObject(value: unknown): string {
  if (typeof value === 'string' && isObjectText(value))
    return 'The body is a string that contains a JSON object: it was encoded twice. Send the object itself.';
  const kind = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return `The body must be a JSON object; it is ${kind}.`;
}

function isObjectText(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** Scans the tokens once, in linear time, before anything is built from them. */
function scan(text: string, maxStringLength: number): void {
  const open: (Set<string> | undefined)[] = [];
  let count = 0;
  const countItem = (): void => {
    count += 1;
    if (count > LIMITS.jsonMaxKeys) throw new JsonRejectedError(`The body has more than ${LIMITS.jsonMaxKeys} members and items.`);
  };
  for (let position = 0; position < text.length; position += 1) {
    switch (text.charCodeAt(position)) {
      case 0x7b: // {
        open.push(new Set());
        requireDepth(open.length);
        break;
      case 0x5b: // [
        open.push(undefined);
        requireDepth(open.length);
        if (text[skipSpace(text, position + 1)] !== ']') countItem();
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        break;
      case 0x3a: // :
        countItem();
        break;
      case 0x2c: // ,
        if (open.at(-1) === undefined) countItem();
        break;
      case 0x22: {
        // "
        const end = endOfString(text, position);
        if (end - position - 2 > maxStringLength)
          throw new JsonRejectedError(`The body has a text of more than ${maxStringLength} characters, counting escapes as written.`);
        const literal = text.slice(position, end);
        requirePairedSurrogates(literal);
        const members = open.at(-1);
        if (members && text[skipSpace(text, end)] === ':') addMember(members, literal);
        position = end - 1;
        break;
      }
      default:
        if (isDigit(text.charCodeAt(position))) position = endOfNumber(text, position) - 1;
    }
  }
}

function requireDepth(depth: number): void {
  if (depth > LIMITS.jsonMaxDepth) throw new JsonRejectedError(`The body is nested deeper than ${LIMITS.jsonMaxDepth} levels.`);
}

function skipSpace(text: string, start: number): number {
  let position = start;
  while (position < text.length && ' \t\n\r'.includes(text.charAt(position))) position += 1;
  return position;
}

function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    const character = text.charCodeAt(position);
    if (character === 0x5c) position += 1;
    else if (character === 0x22) return position + 1;
  }
  return text.length;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

const NUMBER = /[\d.eE+-]+/y;

/** The end of a number. `JSON.parse` turns one beyond a double into Infinity, which has no canonical form (RFC 7493 section 2.2). */
function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  const [literal = ''] = NUMBER.exec(text) ?? [];
  if (Number(literal) === Number.POSITIVE_INFINITY) throw new JsonRejectedError('The body has a number that a double cannot represent.');
  return start + literal.length;
}

/** An unpaired surrogate has no canonical form, so no digest (RFC 7493 section 2.1). */
function requirePairedSurrogates(literal: string): void {
  if (literal.includes('\\') && /\\u[dD][89a-fA-F]/.test(literal) && /\p{Surrogate}/u.test(decodeString(literal)))
    throw new JsonRejectedError('The body contains an unpaired surrogate.');
}

function addMember(members: Set<string>, literal: string): void {
  const name = decodeString(literal);
  if (members.has(name)) throw new JsonRejectedError(`The member "${plainName(name)}" appears twice in the body.`);
  if (name === '__proto__') throw new JsonRejectedError('The body has a member named "__proto__".');
  members.add(name);
}

/** The text of a string; itself if it is not JSON, which the text as a whole then is not either. */
function decodeString(literal: string): string {
  if (!/[\x00-\x1f\\]/.test(literal)) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal;
  }
}

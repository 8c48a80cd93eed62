import { LIMITS } from '../schemas/limits.ts';
import { plainName } from './validate-input.ts';

/** Why a text was not taken as JSON; the message is safe to send. */
export class JsonRejectedError extends Error {
  override readonly name = 'JsonRejectedError';
}

/**
 * Parses a JSON object and refuses what `JSON.parse` lets through: members named twice (RFC 8259 section 4: behaviour
 * unpredictable), `__proto__`, halves of surrogate pairs, numbers beyond the range of a double, deep nesting, very many members and very
 * long texts.
 *
 * @param maxStringLength Longest text, in UTF-16 code units as it is written, with its escapes.
 * @throws {JsonRejectedError} With a message that says what is wrong.
 */
export function parseJsonObject(text: string, maxStringLength: number = LIMITS.jsonStringMaxLength): Record<string, unknown> {
  scan(text, maxStringLength);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new JsonRejectedError('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new JsonRejectedError('The body must be a JSON object.');
  return value as Record<string, unknown>;
}

/** Walks over the tokens once, in time linear in the text, before anything is built from it. */
function scan(text: string, maxStringLength: number): void {
  const open: (Set<string> | undefined)[] = [];
  let count = 0;
  const countOne = (): void => {
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
        if (text[skipSpace(text, position + 1)] !== ']') countOne();
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        break;
      case 0x3a: // :
        countOne();
        break;
      case 0x2c: // ,
        if (open.at(-1) === undefined) countOne();
        break;
      case 0x22: {
        // "
        const end = endOfString(text, position);
        if (end - position - 2 > maxStringLength)
          throw new JsonRejectedError(
            `The body has a text of more than ${maxStringLength} characters, escapes counted as they are written.`,
          );
        const literal = text.slice(position, end);
        refuseHalfPairs(literal);
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

/** Digits of a number with what may stand between them. */
const NUMBER = /[\d.eE+-]+/y;

/**
 * The end of a number, which must be one that a double can hold (RFC 7493 section 2.2): `JSON.parse` makes Infinity of any other, which
 * has no canonical form, so it has no digest.
 */
function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  const [literal = ''] = NUMBER.exec(text) ?? [];
  if (Number(literal) === Number.POSITIVE_INFINITY) throw new JsonRejectedError('The body has a number that no double can hold.');
  return start + literal.length;
}

/** Half of a surrogate pair is no character (RFC 7493 section 2.1): it has no canonical form, so it has no digest. */
function refuseHalfPairs(literal: string): void {
  if (literal.includes('\\') && /\\u[dD][89a-fA-F]/.test(literal) && /\p{Surrogate}/u.test(decodeString(literal)))
    throw new JsonRejectedError('The body holds half of a surrogate pair.');
}

function addMember(members: Set<string>, literal: string): void {
  const name = decodeString(literal);
  if (members.has(name)) throw new JsonRejectedError(`The body names the member "${plainName(name)}" twice.`);
  if (name === '__proto__') throw new JsonRejectedError('The body has a member named "__proto__".');
  members.add(name);
}

function decodeString(literal: string): string {
  if (!/[\x00-\x1f\\]/.test(literal)) return literal.slice(1, -1);
  try {
    return JSON.parse(literal) as string;
  } catch {
    throw new JsonRejectedError('The body is not valid JSON.');
  }
}

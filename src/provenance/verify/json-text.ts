import type { Source } from '../bytes.ts';

/** Deepest nesting of objects and arrays that a document may have. */
const DEEPEST = 64;

/** Brackets and colons of JSON outside of its strings, in which alone escapes stand. */
const skeleton = (json: string): string => json.replace(/\\./g, '').replace(/"[^"]*"|[^[\]{}:]/g, '');

/**
 * Demands that what has just been looked at has its form.
 *
 * @throws {Error} If it has not.
 */
export function demand(hasForm: unknown): asserts hasForm {
  if (!hasForm) throw new Error('form');
}

/**
 * Text of bytes, with a byte order mark if there is one.
 *
 * @throws {TypeError} If they are not UTF-8.
 */
export const toText = (source: Source): string =>
  typeof source === 'string' ? source : new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(source);

/**
 * Value of a JSON document in well-formed Unicode in which no object has a member twice (RFC 7493, sections 2.1 and 2.3): a member that
 * is written twice is read once, so that the value written anew has fewer colons; and half a surrogate pair is written as an escape.
 *
 * @throws {Error} If it is anything else.
 */
export function readJson(source: Source): unknown {
  const text = toText(source);
  const value: unknown = JSON.parse(text);
  const again = JSON.stringify(value);
  let nested = skeleton(text);
  demand(nested.length === skeleton(again).length && !/[^\\](\\\\)*\\ud/.test(again));
  for (let depth = DEEPEST; depth--; ) nested = nested.replace(/\[]|{:*}/g, '');
  demand(!nested);
  return value;
}

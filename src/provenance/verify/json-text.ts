/** A text, or the bytes of one. */
export type Source = string | Uint8Array;

/** An object of which nothing is known yet. */
export type Loose = Readonly<Record<string, unknown>>;

/** Deepest nesting of objects and arrays that a document may have. */
const DEEPEST = 64;

/** Half of a surrogate pair: under `u` the halves of whole pairs are not seen alone. */
const HALF_PAIR = /\p{Cs}/u;

/** A string as JSON writes it. */
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null && !Array.isArray(value);

/** UTF-8 bytes of a text; bytes stay as they are. */
export const toBytes = (source: Source): Uint8Array<ArrayBuffer> =>
  (typeof source === 'string' ? new TextEncoder().encode(source) : source) as Uint8Array<ArrayBuffer>;

/**
 * Text of bytes, with a byte order mark if there is one.
 *
 * @throws {TypeError} If they are not UTF-8.
 */
export const toText = (source: Source): string =>
  typeof source === 'string' ? source : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(source);

/** Number of members of all objects in a value. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value === 'string' && HALF_PAIR.test(value)) throw new Error('half a surrogate pair');
  if (typeof value !== 'object' || !value) return 0;
  if (depth > DEEPEST) throw new Error('nested too deep');
  let count = 0;
  for (const [name, item] of Object.entries(value)) count += +isObject(value) + countMembers(name, depth) + countMembers(item, depth + 1);
  return count;
}

/**
 * Value of a JSON document in well-formed Unicode in which no object has a member twice (RFC 7493, sections 2.1 and 2.3). A text has as
 * many colons outside its strings as it writes members; a member that is written twice is read once.
 *
 * @throws {Error} If it is anything else.
 */
export function readJson(source: Source): unknown {
  const text = toText(source);
  const value: unknown = JSON.parse(text);
  if (countMembers(text, 0) + countMembers(value, 1) + 1 < text.replace(STRING, '').split(':').length) throw new Error('a member twice');
  return value;
}

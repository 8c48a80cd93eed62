/** A text, or the bytes of one. */
export type Source = string | Uint8Array;

/** Deepest nesting of objects and arrays that a document may have. */
const DEEPEST = 64;

/** JSON without its strings: escapes stand in strings alone. */
const bare = (json: string): string => json.replace(/\\./g, '').replace(/"[^"]*"/g, '');

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
  let brackets = bare(text).replace(/[^[\]{}]/g, '');
  for (let depth = DEEPEST; depth--; ) brackets = brackets.replace(/\[]|{}/g, '');
  if (brackets || bare(text).split(':').length !== bare(again).split(':').length || /[^\\](\\\\)*\\ud/.test(again)) throw new Error('not strict');
  return value;
}

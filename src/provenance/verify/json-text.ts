/** Deepest nesting of objects and arrays that a document may have. */
const DEEPEST = 64;

/** A string of JSON, with the colon after it if it names a member, or one bracket. Valid JSON has no other colon after a string. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\]]/g;

/** Half of a surrogate pair: under `u` the halves of whole pairs are not seen alone. */
const HALF_PAIR = /\p{Cs}/u;

/** A text, or the bytes of one. */
export type Source = string | Uint8Array;

/** Whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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
 * Value of a JSON document in well-formed Unicode, in which no object has a member twice (I-JSON, RFC 7493, sections 2.1 and 2.3).
 *
 * @throws {Error} If it is anything else.
 */
export function readJson(source: Source): unknown {
  const text = toText(source);
  const value: unknown = JSON.parse(text);
  const open: Set<string>[] = [];
  const need = (holds: boolean, problem: string): void => {
    if (!holds) throw new Error(problem);
  };
  for (const [token, string, colon] of text.matchAll(TOKEN)) {
    if (string) {
      const read: string = JSON.parse(string);
      need(!HALF_PAIR.test(string + read), 'half a surrogate pair');
      if (colon) {
        const names = open.at(-1) as Set<string>;
        need(!names.has(read), `member twice: ${read}`);
        names.add(read);
      }
    } else if (token === '{' || token === '[') need(open.push(new Set()) <= DEEPEST, 'nested too deep');
    else open.pop();
  }
  return value;
}

import type { AttributeValue } from '../search-document.ts';
import { ByteWriter, IndexFormatError } from './index-block.ts';
import { hashTerm } from './postings.ts';

/** A column of values to filter and count documents by: one word for each document, several, or a number. */
export interface ColumnSpec {
  readonly name: string;
  readonly kind: 'keyword' | 'keywords' | 'number';
}

type CodeWidth = 1 | 2 | 4;

interface ColumnsHeader {
  readonly documents: number;
  readonly columns: readonly (ColumnSpec & { readonly values: readonly string[]; readonly codes: number; readonly width: CodeWidth })[];
}

export class ColumnsWriter {
  readonly #specs: readonly ColumnSpec[];
  readonly #codes: number[][];
  readonly #starts: number[][];
  readonly #values: Map<string, number>[];
  readonly #ids: number[] = [];

  constructor(specs: readonly ColumnSpec[]) {
    this.#specs = specs;
    this.#codes = specs.map(() => []);
    this.#starts = specs.map(() => [0]);
    this.#values = specs.map(() => new Map());
  }

  /** @throws {RangeError} If a value is not of its column's kind. */
  add(id: string, attributes: Readonly<Record<string, AttributeValue>> = {}): void {
    const hash = hashTerm(id);
    this.#ids.push(hash.key, hash.shard);
    this.#specs.forEach(({ name, kind }, column) => {
      const value = attributes[name];
      const codes = this.#codes[column];
      if (kind === 'number') {
        if (value !== undefined && !(typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 32))
          throw new RangeError(`Cannot index "${id}": ${name} is not a whole number`);
        codes.push(value ?? 0);
        return;
      }
      if (typeof value === 'number' || (kind === 'keyword' && typeof value === 'object'))
        throw new RangeError(`Cannot index "${id}": ${name} is not a ${kind}`);
      const words = value === undefined ? [] : typeof value === 'string' ? [value] : [...new Set(value)];
      if (kind === 'keyword') codes.push(words[0] === undefined ? 0 : this.#code(column, words[0]) + 1);
      else for (const word of words) codes.push(this.#code(column, word));
      this.#starts[column].push(codes.length);
    });
  }

  /** The encoded columns: length of the JSON header, header, id hashes, then for each column its starts and its numbers. */
  toBytes(): Uint8Array {
    const documents = this.#ids.length / 2;
    const header: ColumnsHeader = {
      documents,
      columns: this.#specs.map((spec, column) => ({
        ...spec,
        values: [...this.#values[column].keys()],
        codes: this.#codes[column].length,
        width: widthOf(this.#codes[column]),
      })),
    };
    const json = new TextEncoder().encode(JSON.stringify(header));
    const writer = new ByteWriter(json.length + documents * 32);
    writer.writeWords([json.length]);
    writer.writeBytes(json);
    writer.alignToWord();
    writer.writeWords(this.#ids);
    this.#specs.forEach(({ kind }, column) => {
      if (kind === 'keywords') writer.writeWords(this.#starts[column]);
      const codes = this.#codes[column];
      writer.writeNumbers(codes, widthOf(codes));
      writer.alignToWord();
    });
    return writer.toBytes();
  }

  #code(column: number, word: string): number {
    const values = this.#values[column];
    const code = values.get(word) ?? values.size;
    values.set(word, code);
    return code;
  }
}

function widthOf(codes: readonly number[]): CodeWidth {
  const most = codes.reduce((a, b) => Math.max(a, b), 0);
  return most < 2 ** 8 ? 1 : most < 2 ** 16 ? 2 : 4;
}

/** Low bits of a hash, which exclude nearly all documents before the map is searched. */
const LOW_BITS_MASK = 0xffff;

interface Column {
  readonly spec: ColumnSpec;
  readonly values: readonly string[];
  readonly starts: Uint32Array;
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
}

export class Columns {
  readonly documents: number;
  readonly #ids: Uint32Array;
  readonly #columns = new Map<string, Column>();

  /** @throws {IndexFormatError} If {@link ColumnsWriter} did not write the bytes for `documents` documents. */
  constructor(bytes: Uint8Array, documents: number) {
    try {
      const headerLength = new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0];
      const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength))) as ColumnsHeader;
      if (header.documents !== documents) throw new RangeError('other documents');
      let at = bytes.byteOffset + Math.ceil((4 + headerLength) / 4) * 4;
      const words = (count: number): Uint32Array => {
        at += count * 4;
        return new Uint32Array(bytes.buffer, at - count * 4, count);
      };
      this.documents = documents;
      this.#ids = words(documents * 2);
      for (const { name, kind, values, codes: count, width } of header.columns) {
        const starts = words(kind === 'keywords' ? documents + 1 : 0);
        const start = at;
        words(Math.ceil((count * width) / 4));
        const codes =
          width === 1
            ? new Uint8Array(bytes.buffer, start, count)
            : width === 2
              ? new Uint16Array(bytes.buffer, start, count)
              : new Uint32Array(bytes.buffer, start, count);
        this.#columns.set(name, { spec: { name, kind }, values, starts, codes });
      }
      if (at !== bytes.byteOffset + bytes.length) throw new RangeError('other bytes follow');
    } catch (error) {
      throw new IndexFormatError('Cannot read the columns of the index', { cause: error });
    }
  }

  documentNumbers(ids: Iterable<string>): Set<number> {
    const shardsByKey = new Map<number, number[]>();
    const lowBits = new Uint8Array(LOW_BITS_MASK + 1);
    for (const { key, shard } of [...ids].map(hashTerm)) {
      shardsByKey.set(key, [...(shardsByKey.get(key) ?? []), shard]);
      lowBits[key & LOW_BITS_MASK] = 1;
    }
    const numbers = new Set<number>();
    if (shardsByKey.size === 0) return numbers;
    for (let number = 0; number < this.documents; number++) {
      const key = this.#ids[number * 2];
      if (lowBits[key & LOW_BITS_MASK] === 1 && shardsByKey.get(key)?.includes(this.#ids[number * 2 + 1])) numbers.add(number);
    }
    return numbers;
  }

  number(column: string, document: number): number {
    return this.#column(column).codes[document] ?? 0;
  }

  /** The greatest number in a column; 0 without documents. */
  greatest(column: string): number {
    let greatest = 0;
    for (const code of this.#column(column).codes) if (code > greatest) greatest = code;
    return greatest;
  }

  isAbove(column: string, bound: number): (document: number) => boolean {
    const { codes } = this.#column(column);
    return (document) => codes[document] > bound;
  }

  isBelow(column: string, bound: number): (document: number) => boolean {
    const { codes } = this.#column(column);
    return (document) => codes[document] < bound;
  }

  hasAny(column: string, words: readonly string[]): (document: number) => boolean {
    return this.meets(column, (value) => words.includes(value));
  }

  /** Whether a document has a word that meets a condition, which is evaluated once for each word of the column. */
  meets(column: string, condition: (word: string) => boolean): (document: number) => boolean {
    const { spec, values, starts, codes } = this.#column(column);
    const meets = Uint8Array.from(values, (value) => (condition(value) ? 1 : 0));
    if (spec.kind === 'keyword') return (document) => meets[codes[document] - 1] === 1;
    return (document) => {
      for (let at = starts[document]; at < starts[document + 1]; at++) if (meets[codes[at]] === 1) return true;
      return false;
    };
  }

  /** How many of some documents have each word, most frequent first, then by word; words without documents are left out. */
  count(column: string, documents: Iterable<number>): { value: string; count: number }[] {
    const { spec, values, starts, codes } = this.#column(column);
    const counts = new Uint32Array(values.length);
    const add = (code: number): void => {
      if (code >= 0 && code < counts.length) counts[code] += 1;
    };
    for (const document of documents) {
      if (spec.kind === 'keyword') add(codes[document] - 1);
      else for (let at = starts[document]; at < starts[document + 1]; at++) add(codes[at]);
    }
    return values
      .map((value, code) => ({ value, count: counts[code] }))
      .filter(({ count }) => count > 0)
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
  }

  #column(name: string): Column {
    const column = this.#columns.get(name);
    if (column === undefined) throw new RangeError(`The index has no column "${name}"`);
    return column;
  }
}

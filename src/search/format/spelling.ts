import { foldLetters, foldWord, isAscii } from '../analysis/tokenise.ts';
import { editDistance } from '../edit-distance.ts';
import { TWO_EDITS_MIN_LENGTH } from '../ranking-parameters.ts';
import filter from './common-words-filter.json' with { type: 'json' };
import { ByteWriter, IndexFormatError } from './index-block.ts';
import { hashTerm } from './postings.ts';

const ASCII_LETTERS = /^[a-z]{4,32}$/;
const LETTERS = /^[\p{L}\p{M}]{4,32}$/u;

/** Whether a lower-case word may be a misspelling or a correction: not names, versions and digests, nor words that are short or data. */
export function isCorrectable(word: string): boolean {
  return isAscii(word) ? ASCII_LETTERS.test(word) : LETTERS.test(word);
}

/**
 * Encodes the words that corrections are chosen from: number of words and length of their text (u32 each); in the order of the words, their
 * letter masks (u32 each), their offsets in the text and its end (u32 each), their document frequencies (u32 each); the words as UTF-8.
 *
 * @param words Document frequency of each word.
 */
export function encodeSpelling(words: ReadonlyMap<string, number>): Uint8Array {
  const sorted = [...words].sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = sorted.map(([word]) => new TextEncoder().encode(word));
  const starts = new Uint32Array(sorted.length + 1);
  texts.forEach((text, word) => {
    starts[word + 1] = starts[word] + text.length;
  });
  const writer = new ByteWriter(sorted.length * 24);
  writer.writeWords([sorted.length, starts[sorted.length]]);
  writer.writeWords(sorted.map(([word]) => letterMask(word)));
  writer.writeWords(starts);
  writer.writeWords(sorted.map(([, documents]) => documents));
  for (const text of texts) writer.writeBytes(text);
  writer.alignToWord();
  return writer.toBytes();
}

/** The words of a corpus, read in place. */
export class Spelling {
  readonly #masks: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #documents: Uint32Array;
  readonly #text: Uint8Array;

  /** @throws {IndexFormatError} If the bytes contradict their lengths. */
  constructor(bytes: Uint8Array) {
    if (bytes.length < 8) throw new IndexFormatError('Cannot read the words of the index: they are cut short');
    const [count = 0, textLength = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, 2);
    const textAt = 8 + count * 12 + 4;
    if (Math.ceil((textAt + textLength) / 4) * 4 !== bytes.length)
      throw new IndexFormatError('Cannot read the words of the index: their lengths do not add up');
    this.#masks = new Uint32Array(bytes.buffer, bytes.byteOffset + 8, count);
    this.#starts = new Uint32Array(bytes.buffer, bytes.byteOffset + 8 + count * 4, count + 1);
    this.#documents = new Uint32Array(bytes.buffer, bytes.byteOffset + 12 + count * 8, count);
    this.#text = bytes.subarray(textAt, textAt + textLength);
  }

  beginningWith(beginning: string): { readonly word: string; readonly documents: number }[] {
    const decoder = new TextDecoder();
    const wordAt = (word: number): string => decoder.decode(this.#text.subarray(this.#starts[word], this.#starts[word + 1]));
    let low = 0;
    let high = this.#masks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (wordAt(middle) < beginning) low = middle + 1;
      else high = middle;
    }
    const found: { word: string; documents: number }[] = [];
    for (let at = low; at < this.#masks.length; at++) {
      const word = wordAt(at);
      if (!word.startsWith(beginning)) break;
      found.push({ word, documents: this.#documents[at] });
    }
    return found;
  }

  /** The best correction of a misspelt word: fewest edits (at most 1, or 2 from 8 letters), then highest document frequency, then first in order. */
  suggest(misspelt: string, edits: number = misspelt.length >= TWO_EDITS_MIN_LENGTH ? 2 : 1): string | undefined {
    const mask = letterMask(misspelt);
    const decoder = new TextDecoder();
    let limit = edits;
    let best: string | undefined;
    let bestDocuments = 0;
    for (let word = 0; word < this.#masks.length; word++) {
      if (bitCount((this.#masks[word] ^ mask) >>> 0) > 2 * limit) continue;
      // A character takes one to four bytes, so byte lengths exclude most words before decoding.
      const start = this.#starts[word];
      const end = this.#starts[word + 1];
      if (end - start < misspelt.length - limit || end - start > (misspelt.length + limit) * 4) continue;
      const candidate = decoder.decode(this.#text.subarray(start, end));
      const distance = editDistance(misspelt, candidate, limit);
      if (distance > limit) continue;
      const documents = this.#documents[word];
      if (distance === limit && best !== undefined && documents <= bestDocuments) continue;
      best = candidate;
      bestDocuments = documents;
      limit = distance;
    }
    return best;
  }
}

/** One edit changes at most two bits, which excludes nearly all words before a distance is computed. */
function letterMask(word: string): number {
  let mask = 0;
  for (let at = 0; at < word.length; at++) mask |= 1 << (word.charCodeAt(at) & 31);
  return mask >>> 0;
}

function bitCount(bits: number): number {
  let count = bits - ((bits >>> 1) & 0x55555555);
  count = (count & 0x33333333) + ((count >>> 2) & 0x33333333);
  return (((count + (count >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/** Bits of a word in the filter: fewest mistakes for eight bits a word. */
const BITS = 5;

/** Characters of the filter, each for six bits, lowest first. */
export const FILTER_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export const CHARACTER_BITS = 6;

/**
 * Whether a word is common in English or another language, and so not a misspelling of another one: `better` is not `letter`, nor `eine`
 * `line`. One word in about fifty passes for common without being so (Bloom, 1970, doi.org/10.1145/362686.362692).
 */
export function isCommonWord(word: string): boolean {
  const bits = bitsOf(commonForm(word), filter.length * CHARACTER_BITS);
  return bits.every((bit) => {
    const character = filter.charAt(Math.floor(bit / CHARACTER_BITS));
    return ((FILTER_CHARACTERS.indexOf(character) >> (bit % CHARACTER_BITS)) & 1) === 1;
  });
}

export function commonForm(word: string): string {
  return foldLetters(foldWord(word));
}

export function bitsOf(form: string, size: number): number[] {
  const { shard, key } = hashTerm(form);
  return Array.from({ length: BITS }, (_, number) => (shard + number * (key + 1)) % size);
}

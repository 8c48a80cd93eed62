import { ANALYSER_ID } from './analyse.ts';
import { ByteReader } from './byte-reader.ts';
import { checksum } from './checksum.ts';
import { INDEX_FORMAT_VERSION, INDEX_HEADER_BYTES, INDEX_MAGIC, IndexFormatError } from './index-format.ts';
import { readSortedStrings, readStrings } from './string-block.ts';
import { SEARCH_FIELDS, type SearchIndex } from './types.ts';

/**
 * The index that `encodeIndex` wrote. It keeps no reference to `bytes`.
 *
 * Allocates in proportion to `bytes`, whatever they say. Posting lists are covered by the checksum and decoded only when
 * a query needs them, which keeps a cold start short.
 *
 * @throws {IndexFormatError} If the bytes are not exactly one whole index of this format version and this analyser.
 */
export function decodeIndex(bytes: Uint8Array): SearchIndex {
  requireHeader(bytes);
  const reader = new ByteReader(bytes, INDEX_HEADER_BYTES);
  if (readStrings(reader).join() !== ANALYSER_ID) {
    throw new IndexFormatError('Cannot read the index: it was made by another analyser');
  }
  const documentIds = readSortedStrings(reader);
  const languages = readLanguages(reader, documentIds.length);
  const fieldLengths = readNumbers(reader, documentIds.length * SEARCH_FIELDS.length);
  const terms = readSortedStrings(reader);
  const postingStarts = readStarts(reader, terms.length);
  const postings = reader.readBytes(postingStarts[terms.length] ?? 0).slice();
  if (reader.remaining > 0) throw new IndexFormatError('Cannot read the index: other bytes follow it');
  return { documentIds, languages, fieldLengths, terms, postingStarts, postings };
}

function requireHeader(bytes: Uint8Array): void {
  if (!INDEX_MAGIC.every((byte, at) => bytes[at] === byte)) {
    throw new IndexFormatError('Cannot read the index: these bytes are not one');
  }
  const version = bytes[INDEX_MAGIC.length];
  if (version !== INDEX_FORMAT_VERSION) {
    throw new IndexFormatError(`Cannot read the index: version is ${version}, not ${INDEX_FORMAT_VERSION}`);
  }
  let expected = 0;
  for (let at = INDEX_HEADER_BYTES - 1; at > INDEX_MAGIC.length; at--) expected = expected * 256 + (bytes[at] ?? -1);
  if (expected !== checksum(bytes.subarray(INDEX_HEADER_BYTES))) {
    throw new IndexFormatError('Cannot read the index: checksum does not match, it is cut short or changed');
  }
}

function readLanguages(reader: ByteReader, documentCount: number): string[] {
  const distinct = readSortedStrings(reader);
  return Array.from(readNumbers(reader, documentCount), (number) => {
    const language = distinct[number];
    if (language === undefined) throw new IndexFormatError('Cannot read the index: language out of range');
    return language;
  });
}

function readNumbers(reader: ByteReader, count: number): Uint32Array {
  if (count > reader.remaining) throw new IndexFormatError('Cannot read the index: it is cut short');
  const numbers = new Uint32Array(count);
  for (let at = 0; at < count; at++) numbers[at] = reader.readVarint();
  return numbers;
}

function readStarts(reader: ByteReader, termCount: number): Uint32Array {
  const lengths = readNumbers(reader, termCount);
  const starts = new Uint32Array(termCount + 1);
  let start = 0;
  for (let term = 0; term < termCount; term++) {
    start += lengths[term] as number;
    if (start > reader.remaining) throw new IndexFormatError('Cannot read the index: it is cut short');
    starts[term + 1] = start;
  }
  return starts;
}

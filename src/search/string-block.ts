import type { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import { IndexFormatError } from './index-format.ts';

/**
 * Writes strings as one block: how many, the length of each in UTF-16 code units, the length of all in bytes, all of
 * them as UTF-8. One call to the platform decodes the block, which is why they are not encoded one by one.
 *
 * @param strings Well-formed: a lone surrogate has no UTF-8.
 */
export function writeStrings(writer: ByteWriter, strings: readonly string[]): void {
  writer.writeVarint(strings.length);
  for (const string of strings) writer.writeVarint(string.length);
  const bytes = new TextEncoder().encode(strings.join(''));
  writer.writeVarint(bytes.length);
  writer.writeBytes(bytes);
}

/** Reads what {@link writeStrings} wrote. */
export function readStrings(reader: ByteReader): string[] {
  const count = reader.readCount(1);
  const lengths = new Uint32Array(count);
  for (let number = 0; number < count; number++) lengths[number] = reader.readVarint();
  const joined = decodeUtf8(reader.readBytes(reader.readVarint()));
  const strings: string[] = [];
  let start = 0;
  for (const length of lengths) {
    strings.push(joined.slice(start, start + length));
    start += length;
  }
  if (start !== joined.length) throw new IndexFormatError('Cannot read the index: string lengths do not add up');
  return strings;
}

/** As {@link readStrings}; refuses strings that are not distinct and ascending by UTF-16 code unit. */
export function readSortedStrings(reader: ByteReader): string[] {
  const strings = readStrings(reader);
  for (let number = 1; number < strings.length; number++) {
    if ((strings[number - 1] as string) >= (strings[number] as string)) {
      throw new IndexFormatError('Cannot read the index: strings are not in order');
    }
  }
  return strings;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new IndexFormatError('Cannot read the index: text is not UTF-8');
  }
}

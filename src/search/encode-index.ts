import { ANALYSER_ID } from './analyse.ts';
import { ByteWriter } from './byte-writer.ts';
import { checksum } from './checksum.ts';
import { INDEX_FORMAT_VERSION, INDEX_MAGIC } from './index-format.ts';
import { writeStrings } from './string-block.ts';
import type { SearchIndex } from './types.ts';

/**
 * An index as bytes: equal indexes give equal bytes, and `decodeIndex` gives back an equal index.
 *
 * Layout: magic, version, CRC-32 of the rest (little endian); analyser; document ids; distinct languages and which of
 * them each document has; field lengths; terms; length of each posting list; the lists.
 */
export function encodeIndex(index: SearchIndex): Uint8Array {
  const body = new ByteWriter(index.postings.length * 2);
  writeStrings(body, [ANALYSER_ID]);
  writeStrings(body, index.documentIds);
  const languages = [...new Set(index.languages)].sort();
  writeStrings(body, languages);
  for (const language of index.languages) body.writeVarint(languages.indexOf(language));
  for (const length of index.fieldLengths) body.writeVarint(length);
  writeStrings(body, index.terms);
  for (let term = 0; term < index.terms.length; term++) {
    body.writeVarint((index.postingStarts[term + 1] ?? 0) - (index.postingStarts[term] ?? 0));
  }
  body.writeBytes(index.postings);

  const bodyBytes = body.toBytes();
  const sum = checksum(bodyBytes);
  const encoded = new ByteWriter(bodyBytes.length + 16);
  encoded.writeBytes(INDEX_MAGIC);
  encoded.writeVarint(INDEX_FORMAT_VERSION);
  encoded.writeBytes([sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24]);
  encoded.writeBytes(bodyBytes);
  return encoded.toBytes();
}

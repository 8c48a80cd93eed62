import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

export interface Line {
  readonly text: string;
  readonly number: number;
}

const NEWLINE = 0x0a;

/**
 * The non-blank lines of a UTF-8 file; a `.gz` file is decompressed.
 *
 * Lines end with "\n" or "\r\n", not with U+2028 and the like, which JSON may contain. A byte order mark is removed.
 *
 * @throws {Error} With the file, and the line if possible: a missing file, not gzip, not UTF-8.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 0;
  const decode = (bytes: Uint8Array): Line | undefined => {
    number += 1;
    try {
      const text = decoder.decode(bytes).replace(/\r$/, '');
      return text.trim() === '' ? undefined : { text, number };
    } catch {
      throw new Error(`${path}:${number} is not UTF-8`);
    }
  };

  let rest: Buffer[] = [];
  for await (const chunk of readBytes(path)) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const line = decode(Buffer.concat([...rest, chunk.subarray(start, end)]));
      rest = [];
      start = end + 1;
      if (line !== undefined) yield line;
    }
    rest.push(chunk.subarray(start));
  }
  const last = decode(Buffer.concat(rest));
  if (last !== undefined) yield last;
}

async function* readBytes(path: string): AsyncGenerator<Buffer> {
  const bytes = new PassThrough();
  const source = createReadStream(path);
  const flow = path.endsWith('.gz') ? pipeline(source, createGunzip(), bytes) : pipeline(source, bytes);
  // An error destroys `bytes`, and the loop below throws it.
  flow.catch(() => undefined);
  try {
    for await (const chunk of bytes) yield chunk as Buffer;
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

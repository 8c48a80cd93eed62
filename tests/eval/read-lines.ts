import { createReadStream } from 'node:fs';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** One line of a file. */
export interface Line {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

const NEWLINE = 0x0a;

/**
 * The lines of a UTF-8 file that hold something, one after another; a name that ends in `.gz` is unpacked.
 *
 * Lines end at "\n" or "\r\n" only: U+2028 and the like are ordinary characters inside JSON. A byte order mark is dropped.
 *
 * @throws {Error} With one line that names the file, and the line where one is to blame: no such file, not gzip, not UTF-8.
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
  // What goes wrong destroys `bytes` with the same error, which the loop below then throws.
  flow.catch(() => undefined);
  try {
    for await (const chunk of bytes) yield chunk as Buffer;
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

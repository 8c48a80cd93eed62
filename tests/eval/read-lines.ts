import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface Line {
  readonly text: string;
  readonly number: number;
}

/**
 * The non-blank lines of a UTF-8 file; a `.gz` file is decompressed.
 *
 * Lines end with "\n" or "\r\n", not with U+2028 and the like, which JSON may contain. A byte order mark is removed.
 *
 * @throws {Error} With the file and a line before the fault: a missing file, not gzip, not UTF-8.
 */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  try {
    for await (const text of readTexts(path)) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        number += 1;
        if (line.trim() !== '') yield { text: line.replace(/\r$/, ''), number };
      }
    }
  } catch (error) {
    throw new Error(`${path}, after line ${number}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A file in pieces, with a newline at its end. */
async function* readTexts(path: string): AsyncGenerator<string> {
  const source = createReadStream(path);
  // An error of the source becomes one of the decompressed stream.
  const bytes = path.endsWith('.gz') ? pipeline(source, createGunzip(), () => undefined) : source;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const piece of bytes) yield decoder.decode(piece as Buffer, { stream: true });
  yield `${decoder.decode()}\n`;
}

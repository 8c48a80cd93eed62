import type { AuthoredContent } from '../../src/publication/authored-content.ts';
import { MemoryCache } from '../../src/publication/build-cache.ts';
import { InvalidContentError } from '../../src/publication/content-problem.ts';
import { type ReadOptions, readContent } from '../../src/publication/read-content.ts';
import { PUBLICATION } from './paths.ts';

/** What this process has read of the files of the sample publication, which no test changes. Reading all of them takes a second. */
const memory = new MemoryCache();

export async function readSample(options: Partial<ReadOptions> = {}): Promise<AuthoredContent> {
  const { content, problems } = await readContent(PUBLICATION, { today: '2026-12-01', memory, ...options });
  if (content === undefined) throw new InvalidContentError(problems);
  return content;
}

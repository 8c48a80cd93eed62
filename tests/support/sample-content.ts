import * as build from '../../src/build/make-publication.ts';
import type { AuthoredContent } from '../../src/publication/authored-content.ts';
import { MemoryCache } from '../../src/publication/build-cache.ts';
import { InvalidContentError } from '../../src/publication/content-problem.ts';
import { type ReadOptions, readContent } from '../../src/publication/read-content.ts';
import type { AnalysedBatch } from '../../src/search/build/analyse-batch.ts';
import { PUBLICATION } from './paths.ts';

/** What this process has read of the files of the sample publication, which no test changes. Reading all of them takes a second. */
const memory = new MemoryCache();

export async function readSample(options: Partial<ReadOptions> = {}): Promise<AuthoredContent> {
  const { content, problems } = await readContent(PUBLICATION, { today: '2026-12-01', memory, ...options });
  if (content === undefined) throw new InvalidContentError(problems);
  return content;
}

/** What this process has analysed: guides are part of every publication, and indexing a small one is mostly about them. */
const analyses = new Map<string, AnalysedBatch>();

/** As builds make a publication, but a text is analysed once in a process. */
export const makePublication: typeof build.makePublication = (authored, settings, past) =>
  build.makePublication(authored, settings, { ...past, cache: { analyses, ...past?.cache } });

/** As builds make a generation, but a text is analysed once in a process. */
export const makeGeneration: typeof build.makeGeneration = (authored, settings, past) =>
  build.makeGeneration(authored, settings, { ...past, cache: { analyses, ...past?.cache } });

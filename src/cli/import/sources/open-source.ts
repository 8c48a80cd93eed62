import { existsSync, lstatSync } from 'node:fs';
import { UserError } from '../../../build/user-error.ts';
import type { Generator, Source } from '../source-page.ts';
import { readFolder } from './read-folder.ts';

/** What the user says about a source. */
export interface OpenOptions {
  readonly generator: Generator | undefined;
  readonly site: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** What becomes one capsule of an OpenAPI document. */
  readonly by: 'tag' | 'operation';
  readonly requestsPerSecond: number;
  /** Most pages to fetch. */
  readonly pagesMax: number;
  readonly onProgress: (step: string, done: number, total?: number) => void;
}

/**
 * Reads whatever the user named.
 *
 * @throws {UserError} If it is nothing that can be imported.
 */
export async function openSource(given: string, options: OpenOptions): Promise<Source> {
  if (!existsSync(given)) throw new UserError(`${given} does not exist; name a folder, a file or an https address`);
  const stats = lstatSync(given);
  if (stats.isDirectory()) return readFolder(given, { ...options, onProgress: (files) => options.onProgress('Reading', files) });
  throw new UserError(`${given} is neither a folder, an llms.txt, a sitemap.xml nor an OpenAPI document`);
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckName } from '../../../src/provenance/verify/verify.ts';
import { ROOT } from '../paths.ts';

/** A document with what a verifier is given besides, and what it has to find. Vectors are written once and never change. */
export interface Vector {
  readonly name: string;
  readonly about: string;
  readonly now: string;
  readonly document: string;
  readonly lineages?: Readonly<Record<string, string>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly parts?: readonly string[];
  readonly id?: string;
  readonly known?: string;
  readonly trust?: string;
  readonly expect: { readonly exit: 0 | 1 | 2; readonly failed: readonly CheckName[] };
}

/** Files of vectors by their subject, each a list. */
export const VECTORS_FOLDER = join(ROOT, 'tests/conformance/vectors');

export async function readVectors(): Promise<Vector[]> {
  const names = await readdir(VECTORS_FOLDER);
  const files = await Promise.all(names.map((name) => readFile(join(VECTORS_FOLDER, name), 'utf8')));
  return files.flatMap((text) => JSON.parse(text) as Vector[]).sort((a, b) => (a.name < b.name ? -1 : 1));
}

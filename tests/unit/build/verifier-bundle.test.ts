import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bundleVerifier, VERIFIER_FILE } from '../../../src/package/bundle-verifier.ts';

/** Most bytes that a reader loads for the verifier, compressed. */
const MOST_BYTES = 3_900;

const committed = (): Promise<Buffer> => readFile(VERIFIER_FILE);

it('bundling the verifier from its source gives the bytes that are served', async () => {
  expect(Buffer.from(await bundleVerifier()).equals(await committed())).toBe(true);
});

it('is small, and loads and names nothing else', async () => {
  const bytes = await committed();
  expect(gzipSync(bytes, { level: 9 }).length).toBeLessThan(MOST_BYTES);
  expect(bytes.toString()).not.toMatch(/\bimport\b|\brequire\b|\bfetch\b|\bprocess\b|\bBuffer\b|\beval\b/);
  expect(bytes.toString()).toMatch(/^\/\* Licence: Apache-2\.0 \*\/\n/);
});

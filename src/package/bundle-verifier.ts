import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const ENGINE = join(import.meta.dirname, '..');

/** The verifier as one file for browsers and other programs; every site serves it. */
export const VERIFIER_FILE = join(ENGINE, 'site/public/verify.js');

/** Bundles the verifier; the same source gives the same bytes. */
export async function bundleVerifier(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: ENGINE,
    entryPoints: [join(ENGINE, 'provenance/verify/verify.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    banner: { js: '/* Licence: Apache-2.0 */' },
    legalComments: 'none',
    write: false,
  });
  const [bundle] = outputFiles;
  if (bundle === undefined) throw new Error('esbuild made no file');
  return bundle.contents;
}

if (process.argv[1] === import.meta.filename) {
  const bundle = await bundleVerifier();
  await writeFile(VERIFIER_FILE, bundle);
  console.log(`verify.js: ${bundle.length} bytes, ${gzipSync(bundle, { level: 9 }).length} bytes gzipped`);
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { PATHS } from '../../schemas/paths.ts';
import { defineCommand } from '../define-command.ts';

export const command = defineCommand().action(async () => {
  const bundle = await bundleVerifier(process.cwd());
  await writeFile(join(process.cwd(), VERIFIER_FILE), bundle);
  console.log(`${VERIFIER_FILE}: ${bundle.length} bytes, ${gzipSync(bundle, { level: 9 }).length} bytes gzipped`);
});

/** The verifier as one file for browsers and other programs, among the bytes that the site serves as they are. */
export const VERIFIER_FILE = `public${PATHS.verifier}`;

/** Bundles `src/provenance/verify/verify.ts` of a project; the same source gives the same bytes. */
export async function bundleVerifier(root: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [join(root, 'src/provenance/verify/verify.ts')],
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

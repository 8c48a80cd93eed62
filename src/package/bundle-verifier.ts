import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleModule } from './bundle-module.ts';

const ENGINE = join(import.meta.dirname, '..');

/** The verifier as one file for browsers and other programs; every site serves it. */
export const VERIFIER_FILE = join(ENGINE, 'site/public/verify.js');

/** Bundles the verifier; the same source gives the same bytes. */
export function bundleVerifier(): Promise<Uint8Array> {
  return bundleModule({ absWorkingDir: ENGINE, entryPoint: join(ENGINE, 'provenance/verify/verify.ts') });
}

if (process.argv[1] === import.meta.filename) {
  const bundle = await bundleVerifier();
  await writeFile(VERIFIER_FILE, bundle);
  console.log(`verify.js: ${bundle.length} bytes, ${gzipSync(bundle, { level: 9 }).length} bytes gzipped`);
}

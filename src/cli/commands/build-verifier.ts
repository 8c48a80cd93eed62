import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleVerifier, VERIFIER_FILE } from '../../build/bundle-verifier.ts';
import { defineCommand } from '../define-command.ts';

export const command = defineCommand().action(async () => {
  const bundle = await bundleVerifier(process.cwd());
  await writeFile(join(process.cwd(), VERIFIER_FILE), bundle);
  console.log(`${VERIFIER_FILE}: ${bundle.length} bytes, ${gzipSync(bundle, { level: 9 }).length} bytes gzipped`);
});

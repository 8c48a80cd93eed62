import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deployment } from '../schemas/deployment.ts';
import { type BuildEnvironment, buildSite, fingerprintFile, outputFolder } from './build-site.ts';
import { readSigner } from './content/signing.ts';
import { today } from './deployment.ts';
import { exists } from './local/local-stores.ts';

/**
 * Builds a mode for this machine, unless its inputs are the same as when it was last built here.
 *
 * @returns Whether it built.
 */
export async function buildIfChanged(
  root: string,
  mode: Deployment['mode'],
  environment: BuildEnvironment & { readonly baseUrl: string },
  report: (line: string) => void,
): Promise<boolean> {
  const day = today();
  const { lineageKey, ...settings } = environment;
  // The fingerprint is stored, so it covers the id of the key, never the key.
  const signedBy = (await readSigner(lineageKey))?.publicKey.kid ?? 'unsigned';
  const fingerprint = await buildFingerprint(root, { ...settings, today: day, mode, signedBy });
  const stamp = fingerprintFile(root, mode);
  const isCurrent = (await readFile(stamp, 'utf8').catch(() => '')) === fingerprint;
  if (isCurrent && (await exists(join(outputFolder(root, mode), 'index.html')))) return false;
  await buildSite({ ...environment, root, mode, today: day, report, mayBeUnsigned: true, isTrial: true });
  await writeFile(stamp, fingerprint);
  return true;
}

/** What a publication is built from, apart from its settings; the folder of the engine comes with it. */
const INPUTS = [
  'content',
  'components',
  'functions',
  'public',
  'theme.css',
  'astro.config.mjs',
  'package.json',
  'package-lock.json',
  'wrangler.toml',
];

const ENGINE = join(import.meta.dirname, '..');

/** Digest of all inputs and settings of a build. */
export async function buildFingerprint(root: string, settings: Readonly<Record<string, string | undefined>>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const input of [...INPUTS.map((name) => join(root, name)), ENGINE]) {
    const entries = await readdir(input, { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries
      ? entries
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [input];
    for (const file of files)
      hash
        .update(file.startsWith(ENGINE) ? file.slice(ENGINE.length) : file.slice(root.length))
        .update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}

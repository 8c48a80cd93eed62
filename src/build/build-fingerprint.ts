import { createHash, hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { BuildCache } from '../publication/build-cache.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { BUILD_FOLDER } from './corpus-blocks/generation-store.ts';
import type { BuildEnvironment } from './describe-deployment.ts';
import { readSigner } from './sign-publication.ts';

interface FingerprintedSettings extends BuildEnvironment {
  readonly mode: Deployment['mode'];
  readonly baseUrl: string;
  readonly sourceCommit?: string | undefined;
  readonly today: string;
}

/** File with the fingerprint of the build of a mode in a folder. It is there only while that build is whole. */
export function fingerprintFile(output: string, mode: Deployment['mode']): string {
  return join(output, BUILD_FOLDER, `fingerprint-${mode}`);
}

/** Digest of everything that decides a build: its settings and its files, whose digest is {@link digestOfInputs}, taken before they were read. */
export async function buildFingerprint(files: string, settings: FingerprintedSettings): Promise<string> {
  const { mode, baseUrl, checkoutHost, payTo, paymentNetwork, facilitatorUrl, demoPayments, rateLimits, storage, sourceCommit } = settings;
  // The fingerprint is stored, so it covers the id of the key, never the key.
  const signedBy = (await readSigner(settings.lineageKey))?.publicKey.kid ?? 'unsigned';
  const paidTo = [payTo, paymentNetwork, facilitatorUrl, demoPayments?.facilitator];
  const named = [mode, baseUrl, checkoutHost, ...paidTo, rateLimits, storage, sourceCommit].map((value) => value || null);
  return hash('sha256', JSON.stringify([files, settings.today, signedBy, named]));
}

/** What a publication is built from, apart from its settings; the folder of the engine comes with it. */
const INPUTS = [
  'content',
  'components',
  'functions',
  'public',
  'src',
  'theme.css',
  'astro.config.mjs',
  'package.json',
  'package-lock.json',
  'wrangler.toml',
];

export async function digestOfInputs(root: string): Promise<string> {
  return hash('sha256', (await digestOfFiles(root, INPUTS)) + (await digestOfEngine()));
}

/** The results of earlier builds and checks of a publication by this engine, with these dependencies and this version of Node. */
export async function openBuildCache(root: string): Promise<BuildCache> {
  const madeBy = [await digestOfEngine(), await digestOfFiles(root, ['package-lock.json']), process.versions.node, process.arch];
  return new BuildCache(join(root, BUILD_FOLDER, 'kept'), JSON.stringify(madeBy));
}

const ENGINE = join(import.meta.dirname, '..');

/** Files after which others may act. */
const FILES_AT_ONCE = 256;

export async function digestOfEngine(): Promise<string> {
  return digestOfFiles(ENGINE, ['.']);
}

/** Digest of files, and of all files in folders, with their paths from `root`; what is missing counts as empty. */
export async function digestOfFiles(root: string, names: readonly string[]): Promise<string> {
  const digest = createHash('sha256');
  for (const input of names.map((name) => join(root, name))) {
    const entries = await readdir(input, { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries
      ? entries
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [input];
    for (const [at, file] of files.entries()) {
      if (at % FILES_AT_ONCE === FILES_AT_ONCE - 1) await setImmediate();
      digest.update(file.slice(root.length)).update(readIfThere(file));
    }
  }
  return digest.digest('hex');
}

/** Synchronous: for thousands of small files that takes a third of the time. */
function readIfThere(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch {
    return new Uint8Array();
  }
}

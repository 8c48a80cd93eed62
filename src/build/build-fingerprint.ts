import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { BuildCache } from '../publication/build-cache.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { BuildEnvironment } from './begin-build.ts';
import { readSigner } from './content/signing.ts';
import { digestOfEngine, digestOfFiles } from './digest-files.ts';
import { BUILD_FOLDER } from './generation/generation-store.ts';

/** What decides how a site is built from its files. */
export interface FingerprintedSettings extends BuildEnvironment {
  readonly mode: Deployment['mode'];
  /** The address that the site is built for. */
  readonly baseUrl: string;
  readonly sourceCommit?: string | undefined;
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
}

/** File with the fingerprint of the build of a mode in a folder. It is there only while that build is whole. */
export function fingerprintFile(output: string, mode: Deployment['mode']): string {
  return join(output, BUILD_FOLDER, `fingerprint-${mode}`);
}

/**
 * Digest of everything that decides a build: its files and its settings.
 *
 * @param files {@link digestOfInputs}, taken before the files were read.
 */
export async function buildFingerprint(files: string, settings: FingerprintedSettings): Promise<string> {
  const { mode, baseUrl, checkoutHost, payTo, paymentNetwork, facilitatorUrl, rateLimits, storage, sourceCommit } = settings;
  // The fingerprint is stored, so it covers the id of the key, never the key.
  const signedBy = (await readSigner(settings.lineageKey))?.publicKey.kid ?? 'unsigned';
  const values = [mode, baseUrl, checkoutHost, payTo, paymentNetwork, facilitatorUrl, rateLimits, storage, sourceCommit];
  const named = values.map((value) => value || null);
  return createHash('sha256')
    .update(JSON.stringify([files, settings.today, signedBy, named]))
    .digest('hex');
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

/** Digest of all files that a build reads. */
export async function digestOfInputs(root: string): Promise<string> {
  return createHash('sha256')
    .update(await digestOfFiles(root, INPUTS))
    .update(await digestOfEngine())
    .digest('hex');
}

/**
 * The results of earlier builds of a publication, and of its checks. Those of another engine, of other dependencies or of another version of
 * Node are not among them.
 */
export async function openBuildCache(root: string): Promise<BuildCache> {
  const madeBy = [await digestOfEngine(), await digestOfFiles(root, ['package-lock.json']), process.versions.node, process.arch];
  return BuildCache.open(join(root, BUILD_FOLDER, 'kept'), JSON.stringify(madeBy));
}

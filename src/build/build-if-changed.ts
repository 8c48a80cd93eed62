import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PaymentOverrides } from '../publication/payment-settings.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { buildSite, fingerprintFile } from './build-site.ts';
import { readSigner } from './content/signing.ts';
import { exists } from './local/local-stores.ts';
import { today } from '../publication/read-content.ts';

/** Settings of a build that decide whether an earlier one still serves. */
export interface LocalBuildSettings extends PaymentOverrides {
  readonly baseUrl: string;
  readonly checkoutHost?: string | undefined;
  readonly rateLimits?: string | undefined;
  readonly storage?: string | undefined;
  /** `LINEAGE_KEY`: what signs. Without it nothing is signed. */
  readonly lineageKey?: string | undefined;
}

/**
 * Builds a mode, to be looked at on this machine, unless nothing that its outcome depends on has changed since it was last built here.
 * Tells whether it built.
 */
export async function buildIfChanged(
  root: string,
  mode: Deployment['mode'],
  { lineageKey, ...settings }: LocalBuildSettings,
  report: (line: string) => void,
): Promise<boolean> {
  const day = today();
  const stamp = fingerprintFile(root, mode);
  // The id of the key and never the key: what is digested here is also written down.
  const signedBy = (await readSigner(lineageKey))?.publicKey.kid ?? 'unsigned';
  const fingerprint = await buildFingerprint(root, { ...settings, today: day, mode, signedBy });
  const output = join(root, mode === 'edge' ? 'dist' : 'dist-static', 'index.html');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === fingerprint && (await exists(output))) return false;
  await buildSite({
    root,
    mode,
    today: day,
    report,
    rateLimits: undefined,
    ...settings,
    lineageKey,
    mayBeUnsigned: true,
    isTrial: true,
  });
  await writeFile(stamp, fingerprint);
  return true;
}

/** Everything that the outcome of a build depends on, besides its settings. */
const INPUTS = ['content', 'src', 'functions', 'public', 'astro.config.mjs', 'package-lock.json', 'wrangler.toml', 'CHANGELOG.md'];

/** Digest over all inputs of a build and its settings: the same fingerprint means that nothing needs to be built again. */
export async function buildFingerprint(root: string, settings: Readonly<Record<string, string | undefined>>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const input of INPUTS) {
    const entries = await readdir(join(root, input), { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries
      ? entries
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [join(root, input)];
    for (const file of files) hash.update(file.slice(root.length)).update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}

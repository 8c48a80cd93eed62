import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deployment } from '../schemas/deployment.ts';
import { buildFingerprint } from './build-fingerprint.ts';
import { buildSite } from './build-site.ts';
import { BUILD_FOLDER } from './generation-store.ts';
import { exists } from './local-stores.ts';
import { today } from './today.ts';

/** Settings of a build that decide whether an earlier one still serves. */
export interface LocalBuildSettings {
  readonly baseUrl: string;
  readonly checkoutHost?: string | undefined;
  readonly rateLimits?: string | undefined;
  readonly storage?: string | undefined;
}

/** Builds a mode unless nothing that its outcome depends on has changed since it was last built here. Tells whether it built. */
export async function buildIfChanged(
  root: string,
  mode: Deployment['mode'],
  settings: LocalBuildSettings,
  report: (line: string) => void,
): Promise<boolean> {
  const day = today();
  const stamp = join(root, BUILD_FOLDER, `fingerprint-${mode}`);
  const fingerprint = await buildFingerprint(root, { ...settings, today: day, mode });
  const output = join(root, mode === 'edge' ? 'dist' : 'dist-static', 'index.html');
  if ((await readFile(stamp, 'utf8').catch(() => '')) === fingerprint && (await exists(output))) return false;
  await buildSite({ root, mode, today: day, report, rateLimits: undefined, ...settings });
  await writeFile(stamp, fingerprint);
  return true;
}

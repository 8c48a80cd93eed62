import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OnProgress } from '../publication/progress.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { buildFingerprint, digestOfInputs, fingerprintFile } from './build-fingerprint.ts';
import { type BuildEnvironment, buildSite, siteFolder } from './build-site.ts';
import { today } from './deployment.ts';
import { exists } from './local/local-stores.ts';
import { finishReadyBuild } from './staged-build.ts';

/** What to build for this machine, and where. */
export interface LocalBuildOptions extends BuildEnvironment {
  readonly root: string;
  readonly mode: Deployment['mode'];
  readonly baseUrl: string;
  /** Folder to build into, as in `SiteBuildOptions`. */
  readonly output: string;
  /** Another such folder, whose build is used if it is the same. */
  readonly reusable?: string;
  readonly report: (line: string) => void;
  /** Told how far the build is. */
  readonly onProgress?: OnProgress | undefined;
}

/** A build that is up to date. */
export interface CurrentBuild {
  /** `output` or `reusable`. */
  readonly folder: string;
  /** Whether it was built now. */
  readonly isNew: boolean;
}

/** Builds a mode for this machine, unless its inputs are the same as when it was last built. */
export async function buildIfChanged({ reusable, ...options }: LocalBuildOptions): Promise<CurrentBuild> {
  const { root, mode, output, report, onProgress: _, ...environment } = options;
  const day = today();
  const fingerprint = await buildFingerprint(await digestOfInputs(root), { ...environment, mode, today: day });
  for (const folder of reusable === undefined ? [output] : [reusable, output]) {
    await finishReadyBuild(folder, report);
    const isCurrent = (await readFile(fingerprintFile(folder, mode), 'utf8').catch(() => '')) === fingerprint;
    if (isCurrent && (await exists(join(siteFolder(folder, mode), 'index.html')))) return { folder, isNew: false };
  }
  await buildSite({ ...options, today: day, mayBeUnsigned: true, isTrial: true });
  return { folder: output, isNew: true };
}

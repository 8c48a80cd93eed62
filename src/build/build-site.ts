import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UserError } from '../publication/content-problem.ts';
import { componentError } from '../site/component-overrides.ts';
import { buildWithAstro } from './astro-integration.ts';
import { commitBuild, dropStagedBuild, finishReadyBuild, removeDeployRedirect, stageBuild } from './atomic-build-output.ts';
import { buildFingerprint, digestOfInputs, fingerprintFile } from './build-fingerprint.ts';
import { type BuiltSite, beginBuild, type SiteBuildOptions, siteFolder } from './build-lifecycle.ts';
import { withBuildLock } from './build-lock.ts';
import { GenerationStore } from './corpus-blocks/generation-store.ts';
import { type BuildEnvironment, today } from './describe-deployment.ts';

/**
 * Builds the site, the documents and the index from `content/`, and replaces the last build once the new one is whole.
 *
 * @throws {InvalidContentError} Before anything is built, with every mistake in the content.
 * @throws {UserError} If a setting cannot be used.
 */
export async function buildSite(options: SiteBuildOptions): Promise<void> {
  const { root, output, report } = options;
  await withBuildLock(output, 'build', report, async () => {
    const staged = await stageBuild(output);
    // The adapter lets wrangler say that it reads .dev.vars, from which a build takes nothing.
    const { WRANGLER_LOG } = process.env;
    process.env['WRANGLER_LOG'] ??= 'warn';
    try {
      let built: BuiltSite | undefined;
      await buildWithAstro(root, async () => {
        const { finish, ...started } = await beginBuild(staged, options);
        return { ...started, finish: async (pages, own) => (built = await finish(pages, own)) };
      }).catch((error: unknown) => {
        throw componentError(root, error) ?? error;
      });
      if (built === undefined) throw new UserError('astro.config.mjs must have the integration agentKnowledgeGateway()');
      const { moves, summary } = built as BuiltSite;
      await commitBuild(output, moves);
      if (options.mode === 'edge') await new GenerationStore(output).collectGarbage();
      for (const line of summary) report(line);
    } finally {
      if (WRANGLER_LOG === undefined) delete process.env['WRANGLER_LOG'];
      await dropStagedBuild(output);
      await removeDeployRedirect(root);
    }
  });
}

export interface LocalBuildOptions extends BuildEnvironment, Pick<SiteBuildOptions, 'root' | 'mode' | 'output' | 'report' | 'onProgress'> {
  readonly baseUrl: string;
  /** Another such folder, whose build is used if it is the same. */
  readonly reusable?: string;
}

/** Builds a mode for this machine, unless its inputs are the same as when it was last built. */
export async function buildIfChanged({ reusable, ...options }: LocalBuildOptions) {
  const { root, mode, output, report, onProgress: _, ...environment } = options;
  const day = today();
  const fingerprint = await buildFingerprint(await digestOfInputs(root), { ...environment, mode, today: day });
  for (const folder of reusable === undefined ? [output] : [reusable, output]) {
    await finishReadyBuild(folder, report);
    const isCurrent = (await readFile(fingerprintFile(folder, mode), 'utf8').catch(() => '')) === fingerprint;
    if (isCurrent && existsSync(join(siteFolder(folder, mode), 'index.html'))) return { folder, isNew: false };
  }
  await buildSite({ ...options, today: day, mayBeUnsigned: true, isTrial: true });
  return { folder: output, isNew: true };
}

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENGINE_FOLDER, engineVersion } from '../../build/engine.ts';
import { UserError } from '../../build/user-error.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import { defineCommand, examples } from '../define-command.ts';
import { MIGRATIONS } from '../upgrade/migrations.ts';
import { changesBetween } from '../upgrade/read-changelog.ts';

export const command = defineCommand()
  .description(
    'After you installed another version of the engine: say what changed in it since the version that package.json notes under "akg", and adapt settings and content to it.\n\nNever overwrites what you wrote.',
  )
  .option('--from <version>', 'version that the publication was last adapted to, if package.json does not note it')
  .option('--dry-run', 'only say what would change')
  .addHelpText('after', examples('npx akg upgrade', 'npx akg upgrade --dry-run'))
  .action(async ({ from, dryRun = false }) => {
    await upgradePublication({ root: process.cwd(), from, isTrial: dryRun, report: (line) => console.log(line) });
  });

export interface UpgradeOptions {
  readonly root: string;
  /** Overrides the version that package.json notes. */
  readonly from?: string | undefined;
  /** Changes nothing. */
  readonly isTrial: boolean;
  readonly report: (line: string) => void;
}

/**
 * Runs the migrations between the version that a publication was last adapted to and the engine's, and notes the engine's.
 *
 * @throws {UserError} If package.json cannot be read, or the publication is newer than the engine.
 */
export async function upgradePublication({ root, from, isTrial, report }: UpgradeOptions): Promise<void> {
  const file = join(root, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new UserError('package.json is missing; run this in the folder of a publication');
  const settings = readJson(text);
  const noted = from ?? settings.akg?.version;
  const current = await engineVersion();
  if (noted === undefined)
    throw new UserError('package.json does not say which version the publication was made for; name it with --from, such as --from 1.0.0');
  if (!/^\d+\.\d+\.\d+/.test(noted)) throw new UserError(`${noted} is not a version such as 1.0.0`);
  if (compareVersions(noted, current) > 0)
    throw new UserError(`the publication was adapted to ${noted}, but the installed engine is ${current}; run npm install`);
  if (noted === current) return report(`The publication is adapted to version ${current}, the one that is installed.`);
  // Packages of one version that were made from different states of the code have the same section of the changelog.
  const isSameVersion = compareVersions(noted, current) === 0;
  report(
    isSameVersion
      ? `From ${noted} to ${current}, another package of the same version. You may know some of these changes already:\n`
      : `From ${noted} to ${current}:\n`,
  );
  const changelog = await readFile(join(ENGINE_FOLDER, 'CHANGELOG.md'), 'utf8');
  for (const { version, text: changes } of changesBetween(changelog, noted, current, isSameVersion))
    report(`## ${version}\n\n${changes}\n`);
  for (const { version, title, apply } of MIGRATIONS) {
    const isAfter = compareVersions(version, noted);
    if (isAfter < 0 || (isAfter === 0 && !isSameVersion) || compareVersions(version, current) > 0) continue;
    const changed = await apply(root, isTrial);
    if (changed.length > 0) report(`${title}\n  ${isTrial ? 'would change' : 'changed'}: ${changed.join(', ')}`);
  }
  if (isTrial) return report('\nNothing was changed, because of --dry-run.');
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? 2;
  await writeFile(file, `${JSON.stringify({ ...settings, akg: { ...settings.akg, version: current } }, undefined, indent)}\n`);
  report(`Noted in package.json: the publication is adapted to ${current}. Check it with: npx akg check`);
}

function readJson(text: string): { readonly akg?: { readonly version?: string } } {
  try {
    return JSON.parse(text) as { readonly akg?: { readonly version?: string } };
  } catch {
    throw new UserError('package.json is not valid JSON; repair it first');
  }
}

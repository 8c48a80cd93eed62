import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import {
  ENGINE_FOLDER,
  ENGINE_PACKAGE,
  engineVersion,
  FUNCTION_PACKAGES,
  installCommand,
  OTHER_PACKAGES,
  PACKED_ENGINE,
  testedVersions,
} from '../../build/engine-package.ts';
import { UserError } from '../../publication/content-problem.ts';
import { parseJson } from '../../publication/read/front-matter.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import { defineCommand, examples } from '../define-command.ts';

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
  readonly from?: string | undefined;
  readonly isTrial: boolean;
  readonly report: (line: string) => void;
}

/** Runs the migrations between the version that a publication was last adapted to and the engine's, and notes the engine's. */
export async function upgradePublication({ root, from, isTrial, report }: UpgradeOptions): Promise<void> {
  const file = join(root, 'package.json');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new UserError('package.json is missing; run this in the folder of a publication');
  const settings = parseJson(text) as PackageFile | undefined;
  if (settings === undefined) throw new UserError('package.json is not valid JSON; repair it first');
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
  const changes = changesBetween(await readFile(join(ENGINE_FOLDER, 'CHANGELOG.md'), 'utf8'), noted, current, isSameVersion);
  for (const { version, text } of changes) report(`## ${version}\n\n${text}\n`);
  if (changes.length === 0) report('The changelog lists no change between these versions.\n');
  for (const { version, title, file: path, edit } of MIGRATIONS) {
    const isAfter = compareVersions(version, noted);
    if (isAfter < 0 || (isAfter === 0 && !isSameVersion) || compareVersions(version, current) > 0) continue;
    const before = await readFile(join(root, path), 'utf8').catch(() => undefined);
    const after = before === undefined ? undefined : edit(before);
    if (after === undefined || after === before) continue;
    if (!isTrial) await writeFile(join(root, path), after);
    report(`${title}\n  ${isTrial ? 'would change' : 'changed'}: ${path}`);
  }
  const { dependencies = {} } = settings;
  const optional = [
    ...(existsSync(join(root, 'functions')) ? FUNCTION_PACKAGES : []),
    ...OTHER_PACKAGES.filter((name) => name in dependencies),
  ];
  const tested = await testedVersions(optional);
  const others = optional.filter((name) => dependencies[name] !== tested[name]);
  if (others.length > 0)
    report(`This engine was tested with other packages than package.json names. Install them: ${await installCommand(others)}`);
  const unused = await unusedEngines(root, dependencies[ENGINE_PACKAGE]);
  if (unused.length > 0) report(`No longer used, you can delete: ${unused.join(', ')}`);
  if (isTrial) return report('\nNothing was changed, because of --dry-run.');
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? 2;
  await writeFile(file, `${JSON.stringify({ ...settings, akg: { ...settings.akg, version: current } }, undefined, indent)}\n`);
  report(`Noted in package.json: the publication is adapted to ${current}. Check it with: npx akg check`);
}

/** Packed engines beside the one that package.json names. */
async function unusedEngines(root: string, dependency = ''): Promise<string[]> {
  const used = dependency.replace(/^file:(?:\.\/)?/, '');
  const names = used.startsWith(`${PACKED_ENGINE}/`) ? await readdir(join(root, PACKED_ENGINE)).catch(() => []) : [];
  return names.map((name) => `${PACKED_ENGINE}/${name}`).filter((path) => path.endsWith('.tgz') && path !== used);
}

interface PackageFile {
  readonly akg?: { readonly version?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A change that a version of the engine asks of publications made for earlier ones. */
interface Migration {
  readonly version: string;
  readonly title: string;
  readonly file: string;
  /** Returns the text of the file as this version wants it. */
  readonly edit: (text: string) => string;
}

/** The rules that versions before 1.1.0 applied to every publication. */
const EARLIER_RULES = join(import.meta.dirname, '../new-publication/earlier-rules.yaml');

/** All migrations, oldest first. None overwrites what a publisher wrote: they add lines, or replace lines that the engine wrote. */
const MIGRATIONS: readonly Migration[] = [
  {
    version: '1.1.0',
    title: 'The engine is a package: wrangler.toml names its database migrations there.',
    file: 'wrangler.toml',
    edit: (text) =>
      text.replace(
        /^(\s*migrations_dir\s*=\s*)"src\/platform\/d1\/migrations"/m,
        `$1"node_modules/${ENGINE_PACKAGE}/lib/platform/d1/migrations"`,
      ),
  },
  {
    version: '1.1.0',
    title: 'House rules for texts are off unless publisher.yaml sets them: the rules of earlier versions are written there.',
    file: 'content/publisher.yaml',
    edit: (text) => (parseDocument(text).has('editorial') ? text : `${text.replace(/\n*$/, '\n')}\n${readFileSync(EARLIER_RULES, 'utf8')}`),
  },
];

/**
 * Sections of a changelog whose headings are `## 1.2.3 - date` or `## Unreleased`, after `from` and until `to`, newest first.
 *
 * @param withFrom Whether the section of `from` itself, and what is not released, count too.
 */
function changesBetween(changelog: string, from: string, to: string, withFrom = false) {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return { version: /^\[?(\d+\.\d+\.\d+[^\s\]]*|Unreleased)/.exec(heading)?.[1] ?? '', text: lines.join('\n').trim() };
    })
    .filter(({ version }) => {
      if (version === '' || version === 'Unreleased') return version !== '' && withFrom;
      const isAfter = compareVersions(version, from);
      return (isAfter > 0 || (withFrom && isAfter === 0)) && compareVersions(version, to) <= 0;
    });
}

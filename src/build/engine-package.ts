import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';

import { UserError } from '../publication/content-problem.ts';
import { isDemonstration } from '../schemas/commerce/stablecoin-payments.ts';
import type { Publisher } from '../schemas/publisher.ts';

/** Folder of the engine: of the package, or of the engine's own project. */
export const ENGINE_FOLDER = join(import.meta.dirname, '../..');

export const ENGINE_PACKAGE = 'agent-knowledge-gateway';

/** Folder of a publication with the engine as a packed file. */
export const PACKED_ENGINE = 'engine';

/** Path of a page of the documentation, such as `keys.md`, as somebody finds it from the folder in which a command runs. */
export function documentationPage(name: string): string {
  return relative(process.cwd(), join(ENGINE_FOLDER, 'docs', name))
    .split(sep)
    .join('/');
}

/** File of the packed engine with the digest of its code, beside the compiled rooms; the engine's own project has none. */
export const BUILD_FILE = 'BUILD';

async function enginePackage() {
  return JSON.parse(await readFile(join(ENGINE_FOLDER, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly engines: { readonly node: string };
  } & Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>;
}

/**
 * Version of the engine that runs: `1.1.0` in the engine's own project, and `1.1.0+3f9c2a7d41be` in a package, where the digest tells packages
 * of the same version apart (build metadata, semver.org, rule 10).
 */
export async function engineVersion(): Promise<string> {
  const { version } = await enginePackage();
  const build = await readFile(join(import.meta.dirname, '..', BUILD_FILE), 'utf8').catch(() => '');
  return build === '' ? version : `${version}+${build}`;
}

/** Versions of Node that run the engine, for `engines` of a package.json: npm names a Node that is too old when it installs. */
export async function engineNodeRange(): Promise<string> {
  return (await enginePackage()).engines.node;
}

/**
 * How a package.json names the engine that runs: the range of compatible versions, or its file if it was installed from one, as npm notes
 * beside the packages that it installs; `undefined` if npm did not install it, because it is a clone or was unpacked.
 */
export async function engineDependency(): Promise<string | undefined> {
  const lock = await readFile(join(ENGINE_FOLDER, '../.package-lock.json'), 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(lock) as { readonly packages?: Readonly<Record<string, { readonly resolved?: string }>> };
  const resolved = packages[`node_modules/${ENGINE_PACKAGE}`]?.resolved;
  if (resolved === undefined) return undefined;
  if (resolved.startsWith('file:')) return `file:${join(ENGINE_FOLDER, '../..', resolved.slice('file:'.length))}`;
  return `^${(await engineVersion()).replace(/\+.*/, '')}`;
}

/**
 * Packages of a publication with functions that a static site does without. Astro is among them because the adapter takes the newest that it
 * finds: without it npm installs a second one.
 */
export const FUNCTION_PACKAGES = ['astro', 'wrangler', '@astrojs/cloudflare'] as const;

/** Optional packages that some texts or settings need. */
export const OTHER_PACKAGES = ['stripe', 'beautiful-mermaid', '@viz-js/viz', 'mammoth'] as const;

export interface PackageNeed {
  readonly name: string;
  /** As in `is needed by <neededBy>`, with the file and line of a text. */
  readonly neededBy: string;
}

/** What checkouts with a processor of payments need. */
export function processorNeeds({ commerce, payments }: Pick<Publisher, 'commerce' | 'payments'>): PackageNeed[] {
  const profile = payments?.stripe_profile;
  const byCard = profile === undefined || isDemonstration(profile) ? undefined : 'payments.stripe_profile';
  const setting = commerce.processor === 'stripe' ? 'commerce.processor is stripe' : byCard;
  return setting === undefined ? [] : [{ name: 'stripe', neededBy: `content/publisher.yaml: ${setting}` }];
}

/** What a publication needs for its functions. */
export function functionNeeds(publisher: Pick<Publisher, 'commerce' | 'payments'>): PackageNeed[] {
  const neededBy = 'functions ("akg build --static" makes a site without them)';
  return [...FUNCTION_PACKAGES.map((name) => ({ name, neededBy })), ...processorNeeds(publisher)];
}

/** Exact versions of packages with which this engine was tested: its package.json has optional ones for its own development. */
export async function testedVersions(names: Iterable<string>): Promise<Record<string, string>> {
  const { dependencies, devDependencies } = await enginePackage();
  return Object.fromEntries([...names].map((name) => [name, dependencies[name] ?? devDependencies[name] ?? '']));
}

/** The command that adds packages to a publication, in the versions with which the engine was tested. */
export async function installCommand(names: Iterable<string>): Promise<string> {
  const versions = Object.entries(await testedVersions(new Set(names)));
  return `npm install --save-exact ${versions.map(([name, version]) => `${name}@${version}`).join(' ')}`;
}

/** Whether the engine can import a package; not every package exports a file that could be resolved. */
export function isInstalled(name: string): boolean {
  return (createRequire(import.meta.url).resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name, 'package.json')));
}

/** Texts that an error names for one package; the others are counted. */
const NAMED_MAX = 10;

/** @throws {UserError} If packages are missing: which, what needs each, and the command that adds all. */
export async function expectPackages(needs: readonly PackageNeed[]): Promise<void> {
  const names = [...new Set(needs.map(({ name }) => name))].filter((name) => !isInstalled(name));
  if (names.length === 0) return;
  const lines = names.map((name) => {
    const places = needs.filter((need) => need.name === name).map(({ neededBy }) => neededBy);
    const more = places.length > NAMED_MAX ? [`and ${places.length - NAMED_MAX} more`] : [];
    return `  ${name} is needed by ${[...places.slice(0, NAMED_MAX), ...more].join(', ')}`;
  });
  const [are, them] = names.length === 1 ? ['a package is', 'it'] : [`${names.length} packages are`, 'them'];
  throw new UserError(
    `${are} not installed:\n${lines.join('\n')}\nAdd ${them} with this command, in the folder of the publication:\n\n  ${await installCommand(names)}\n`,
  );
}

import { readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Folder of the engine: of the package, or of the engine's own project. */
export const ENGINE_FOLDER = join(import.meta.dirname, '../..');

export const ENGINE_PACKAGE = 'agent-knowledge-gateway';

/** Path of a page of the documentation, such as `keys.md`, as somebody finds it from the folder in which a command runs. */
export function documentationPage(name: string): string {
  return relative(process.cwd(), join(ENGINE_FOLDER, 'docs', name))
    .split(sep)
    .join('/');
}

/** File of the packed engine with the digest of its code, beside the compiled rooms; the engine's own project has none. */
export const BUILD_FILE = 'BUILD';

/**
 * Version of the engine that runs: `1.1.0` in the engine's own project, and `1.1.0+3f9c2a7d41be` in a package, where the digest tells packages
 * of the same version apart (build metadata, semver.org, rule 10).
 */
export async function engineVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ENGINE_FOLDER, 'package.json'), 'utf8')) as { readonly version: string };
  const build = await readFile(join(import.meta.dirname, '..', BUILD_FILE), 'utf8').catch(() => '');
  return build === '' ? version : `${version}+${build}`;
}

/**
 * How a package.json names the engine that runs: the range of compatible versions, or its file if it was installed from one, as npx notes
 * beside the packages that it installs.
 */
export async function engineDependency(): Promise<string> {
  const lock = await readFile(join(ENGINE_FOLDER, '../.package-lock.json'), 'utf8').catch(() => '{}');
  const { packages = {} } = JSON.parse(lock) as { readonly packages?: Readonly<Record<string, { readonly resolved?: string }>> };
  const resolved = packages[`node_modules/${ENGINE_PACKAGE}`]?.resolved;
  if (resolved?.startsWith('file:')) return `file:${join(ENGINE_FOLDER, '../..', resolved.slice('file:'.length))}`;
  return `^${(await engineVersion()).replace(/\+.*/, '')}`;
}

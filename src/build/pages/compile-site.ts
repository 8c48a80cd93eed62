import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { THEME_FILE } from '../../publication/appearance/check-theme.ts';
import { type ContentProblem, InvalidContentError } from '../../publication/content-problem.ts';
import type { SiteTemplates } from '../../site/compilation.ts';
import { OVERRIDES_FOLDER } from '../../site/component-overrides.ts';
import { ASTRO_CONFIG_FILES } from '../../site/integration.ts';
import { digestOfEngine, digestOfFiles } from '../digest-files.ts';
import { BUILD_FOLDER } from '../generation/generation-store.ts';
import { childEnvironment } from '../run-process.ts';

/** The folders of the compiled pages of a publication. */
export interface CompiledSite {
  /** Style sheets, scripts and fonts, for the site. */
  readonly assets: string;
  /** Pages on demand, for functions; empty without functions. */
  readonly server: string;
  /** Modules of the pages that are files, for Node. */
  readonly renderer: string;
}

/** What a compilation is asked for. */
export interface CompileTask {
  /** The publication, or an empty folder instead of one that changes nothing about the pages. */
  readonly root: string;
  readonly templates: SiteTemplates;
  /** Folder of the result. */
  readonly folder: string;
}

/** How a compilation ended: without members if it succeeded. */
export interface CompileOutcome {
  /** Mistakes in components of the publication. */
  readonly problems?: readonly ContentProblem[];
  /** Any other failure, with its stack. */
  readonly failure?: string;
}

/** Files of the publication that were compiled: SHA-256 by path from its folder. */
type CompiledFrom = Readonly<Record<string, string>>;

/** Compiled sites that are kept: those that were used last. Each has about 2 MB. */
const KEPT_SITES = 12;

/** What of a publication changes its pages, besides what these files import. */
const OWN_INPUTS = [OVERRIDES_FOLDER, THEME_FILE, ...ASTRO_CONFIG_FILES];

/** Packages whose versions decide what compiling makes. */
const COMPILERS = ['astro', '@astrojs/cloudflare'];

const require = createRequire(import.meta.url);

/**
 * The compiled pages of a publication. They follow from the engine and from the components, style sheet, colours and language of the
 * publication, not from its texts, so most builds find them compiled: Astro takes seconds and much memory. Every publication that changes
 * nothing about its pages uses the same.
 *
 * @throws {InvalidContentError} If a component of the publication cannot be compiled.
 */
export async function compileSite(root: string, templates: SiteTemplates): Promise<CompiledSite> {
  const isOwn = OWN_INPUTS.some((name) => existsSync(join(root, name)));
  const sites = await sitesFolder(root);
  const folder = join(sites, await digestOf(isOwn ? root : undefined, templates));
  if (!(await isCurrent(folder, root))) {
    await rm(folder, { recursive: true, force: true });
    const made = await mkdtemp(join(sites, 'new-'));
    try {
      await mkdir(join(made, 'empty'));
      await compile({ root: isOwn ? root : join(made, 'empty'), templates, folder: made });
      // Another build may have been faster.
      await rename(made, folder).catch((error: unknown) => {
        if (!existsSync(folder)) throw error;
      });
    } finally {
      await rm(made, { recursive: true, force: true });
    }
  }
  const now = new Date();
  await utimes(folder, now, now);
  await forgetOldest(sites);
  return compiledSite(folder);
}

/** The parts of a compiled site in its folder. */
export function compiledSite(folder: string): CompiledSite {
  return { assets: join(folder, 'assets'), server: join(folder, 'server'), renderer: join(folder, 'renderer') };
}

/** File in the folder of a compiled site with what it was compiled from. */
export function compiledFromFile(folder: string): string {
  return join(folder, 'compiled-from.json');
}

/** Where packages of this installation keep what they can make again, or else the publication's own folder. */
async function sitesFolder(root: string): Promise<string> {
  const packages = dirname(dirname(require.resolve('astro/package.json')));
  const shared = join(packages, '.cache/agent-knowledge-gateway/sites');
  try {
    await mkdir(shared, { recursive: true });
    return shared;
  } catch {
    const own = join(root, BUILD_FOLDER, 'sites');
    await mkdir(own, { recursive: true });
    return own;
  }
}

async function digestOf(root: string | undefined, templates: SiteTemplates): Promise<string> {
  const versions = COMPILERS.map((name) => (require(`${name}/package.json`) as { readonly version: string }).version);
  const own = root === undefined ? '' : await digestOfFiles(root, [...OWN_INPUTS, 'package-lock.json']);
  return createHash('sha256')
    .update(JSON.stringify([root, import.meta.url, process.version, versions, await digestOfEngine(), own, templates]))
    .digest('hex')
    .slice(0, 32);
}

/** Whether a folder has a whole compiled site, and the files that it was compiled from are the same. */
async function isCurrent(folder: string, root: string): Promise<boolean> {
  const text = await readFile(compiledFromFile(folder), 'utf8').catch(() => undefined);
  if (text === undefined) return false;
  const digests = await Promise.all(
    Object.entries(JSON.parse(text) as CompiledFrom).map(async ([path, sha256]) => (await fileDigest(join(root, path))) === sha256),
  );
  return digests.every(Boolean);
}

/** SHA-256 of a file in hexadecimal; of nothing if it is missing. */
export async function fileDigest(path: string): Promise<string> {
  return createHash('sha256')
    .update(await readFile(path).catch(() => ''))
    .digest('hex');
}

/** Compiles in a process of its own, whose memory is free afterwards. */
async function compile(task: CompileTask): Promise<void> {
  const program = new URL(`./compile-process${extname(import.meta.filename)}`, import.meta.url);
  // Astro needs little memory at a time, and V8 takes what it gets.
  const child = fork(program, {
    execArgv: [...process.execArgv, '--max-semi-space-size=2'],
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const outcome = await new Promise<CompileOutcome>((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (message) => resolve(message as CompileOutcome));
    child.once('exit', (code, signal) =>
      reject(new Error(`the process that compiles pages ended early (${signal ?? `exit code ${code}`})`)),
    );
    child.send(task);
  });
  if (outcome.problems !== undefined) throw new InvalidContentError(outcome.problems);
  if (outcome.failure !== undefined) throw new Error(`the pages could not be compiled: ${outcome.failure}`);
}

async function forgetOldest(sites: string): Promise<void> {
  const names = (await readdir(sites)).filter((name) => !name.startsWith('new-'));
  if (names.length <= KEPT_SITES) return;
  const used = await Promise.all(
    names.map(async (name) => ({ name, time: (await stat(join(sites, name)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const oldest = used.sort((a, b) => b.time - a.time).slice(KEPT_SITES);
  await Promise.all(oldest.map(({ name }) => rm(join(sites, name), { recursive: true, force: true })));
}

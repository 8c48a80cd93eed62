import { closeSync, openSync, readSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { makeLists } from '../gateway/knowledge/capsule-lists/make-lists.ts';
import { countOwnPages } from '../gateway/knowledge/capsule-lists/read-list.ts';
import { UserError } from '../publication/content-problem.ts';
import { VERSIONS_FOLDER } from '../publication/frozen-versions.ts';
import { paymentsIn } from '../publication/publish/published-capsules.ts';
import { isIgnored } from '../publication/read/content-files.ts';
import { readPublisher } from '../publication/read-publisher.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { blockPath } from '../schemas/paths.ts';
import type { Publisher } from '../schemas/publisher.ts';
import { CAPSULE_IMAGES_MAX } from '../site/read-brand.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';
import { type BuildEnvironment, type BuildSettings, capsulePagesOf } from './describe-deployment.ts';
import { WORKER_FOLDER } from './functions-worker.ts';

/** Largest file that Cloudflare Pages takes, in bytes (developers.cloudflare.com/pages/platform/limits). */
const FILE_MAX_BYTES = 25 * 1024 * 1024;

/** Files of a capsule, without the texts of its versions: page, JSON, lineage, and for a free text its page as markdown. */
const FILES_OF_PAID_CAPSULE = 3;
const FILES_OF_FREE_CAPSULE = 4;

/** Where front matter says what decides about files. */
const HEAD_BYTES = 4_096;

interface SiteFiles {
  readonly mode: Deployment['mode'];
  readonly capsules: number;
  readonly files: number;
  readonly blocks: number;
}

/** Why a host cannot take a site, and what to do; `undefined` if it can. */
export function fileCountProblem(
  { mode, capsules, files, blocks }: SiteFiles,
  { max_files: max }: Pick<Publisher, 'max_files'>,
): string | undefined {
  if (files <= max) return undefined;
  const counts = `${files} files for ${capsules} ${capsules === 1 ? 'capsule' : 'capsules'}${blocks === 0 ? '' : `, ${blocks} of them blocks of the corpus`}`;
  const cure =
    blocks > max / 2
      ? 'Set "storage: kv" in content/publisher.yaml, so that blocks are stored in KV'
      : mode === 'static'
        ? 'Build for production ("npm run build"), where functions serve the pages of capsules'
        : 'Set "capsule_pages: edge" in content/publisher.yaml, so that functions serve the pages of capsules';
  return `the site would have ${counts}, and its host takes ${max}. ${cure}. If your host takes more files, set "max_files": Cloudflare Pages takes 20000 on the free plan and 100000 on a paid one, your own server any number`;
}

const FILES_OF_PAGE = 2;

/** The files that a build is about to write, except those of pages that are not listed. @param blocks Of the corpus. */
export function plannedFiles(
  { deployment, capsules, pages, interfaceLanguage }: Publication,
  files: readonly DocumentFile[],
  blocks: number,
  searchBlocks = 0,
): SiteFiles {
  const { mode, capsulePages } = deployment;
  const metadata = capsules.map((capsule) => capsule.metadata);
  const capsuleFiles =
    capsulePages === 'files'
      ? metadata.reduce((pages, { versions }) => pages + versions.length, 0) +
        countOwnPages(makeLists(metadata, interfaceLanguage.tag).directory) * FILES_OF_PAGE
      : 0;
  return {
    mode,
    capsules: capsules.length,
    files:
      files.length +
      (capsules.length <= CAPSULE_IMAGES_MAX ? capsules.length : 0) +
      pages.length * FILES_OF_PAGE +
      capsuleFiles +
      blocks +
      searchBlocks,
    blocks,
  };
}

/**
 * Refuses a corpus whose capsules alone are more files than the host takes, before it is read: that takes minutes. Counts file names, and
 * reads the beginnings of files only if there are too many.
 *
 * @throws {UserError} With the number and what to do.
 */
export async function checkFileCount(
  root: string,
  settings: BuildEnvironment & Pick<BuildSettings, 'mode' | 'capsulePages'>,
): Promise<void> {
  // A mistake in publisher.yaml is reported with all others.
  const read = await readPublisher(root, settings, []).catch(() => undefined);
  if (read === undefined || read.invalid.size > 0) return;
  const publisher = read.data;
  const files = await markdownFiles(join(root, 'content/capsules'));
  const texts = files.filter((file) => !file.startsWith(`${join(root, VERSIONS_FOLDER)}/`));
  const versions = files.length - texts.length;
  const most = texts.length * (FILES_OF_FREE_CAPSULE + 1) + versions;
  if (most <= publisher.max_files || capsulePagesOf(publisher, texts.length, settings) === 'edge') return;
  const kinds = texts.map(kindOf);
  const countOf = (kind: CapsuleKind): number => kinds.filter((other) => other === kind).length;
  const paid = paymentsIn(publisher, settings.mode) === undefined ? 0 : countOf('paid');
  const capsules = countOf('free') + paid;
  if (capsulePagesOf(publisher, capsules, settings) === 'edge') return;
  const count = countOf('free') * (FILES_OF_FREE_CAPSULE + 1) + paid * FILES_OF_PAID_CAPSULE + (capsules === texts.length ? versions : 0);
  const problem = fileCountProblem({ mode: settings.mode, capsules, files: count, blocks: 0 }, publisher);
  if (problem !== undefined) throw new UserError(problem);
}

type CapsuleKind = 'free' | 'paid' | 'draft';

/** What the front matter of a capsule says, as far as its first lines show it. One file is open at a time: systems allow some hundreds. */
function kindOf(path: string): CapsuleKind {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(HEAD_BYTES);
    const [, head = ''] = /^\uFEFF?---\r?\n([\s\S]*?)(?:\n---|$)/.exec(buffer.toString('utf8', 0, readSync(file, buffer))) ?? [];
    if (/^draft:\s*true\b/m.test(head)) return 'draft';
    return /^access:\s*["']?paid\b/m.test(head) ? 'paid' : 'free';
  } finally {
    closeSync(file);
  }
}

async function markdownFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
  return paths.filter((path) => path.toLowerCase().endsWith('.md') && !path.split(sep).some(isIgnored)).map((path) => join(folder, path));
}

/** Which limit of the host a built site exceeds and how to fix it; `undefined` if it exceeds none. */
export async function builtSiteProblem(
  folder: string,
  site: Pick<SiteFiles, 'mode' | 'capsules'>,
  publisher: Pick<Publisher, 'max_files'>,
): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const named = (path: string): string => path.slice(folder.length);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    // Pages uploads it apart from the files.
    .filter((file) => !named(file).startsWith(`/${WORKER_FOLDER}/`));
  const blocks = files.filter((file) => named(file).startsWith(blockPath(''))).length;
  const problem = fileCountProblem({ ...site, files: files.length, blocks }, publisher);
  if (problem !== undefined) return problem;
  for (const file of files) {
    const { size } = await stat(file);
    if (size > FILE_MAX_BYTES)
      return `${named(file)} has ${size} bytes; Pages allows files of at most ${FILE_MAX_BYTES}. Split the longest capsules into several`;
  }
  return undefined;
}

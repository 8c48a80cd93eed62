import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { WrittenCapsule } from '../schemas/knowledge/capsule-front-matter.ts';
import { dayOf } from '../schemas/time.ts';
import { fromMemory, type MemoryCache } from './build-cache.ts';
import { type PublishedLedger, publishedVersions } from './read/version-ledger.ts';

/** Largest output of a command, in bytes: the log of a long history. */
const OUTPUT_MAX_BYTES = 512 * 1024 * 1024;

/**
 * Settings that beat those of the repository. A repository configures programs that git runs: to verify signatures, to watch files, to fetch
 * objects that a partial clone lacks, to show pages. A folder that holds a bare repository, which a clone may bring along, is no repository.
 * Who owns the folder decides nothing, because nothing in it is trusted.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  'safe.bareRepository': 'explicit',
  'safe.directory': '*',
  'log.showSignature': 'false',
  'gpg.program': 'false',
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.sshCommand': 'false',
  'protocol.allow': 'never',
  'core.quotePath': 'false',
};

/** `protocol.<name>.allow` of a repository beats `protocol.allow`, but not the variable `GIT_ALLOW_PROTOCOL`: no protocol is allowed. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME: '/dev/null',
  GIT_ALLOW_PROTOCOL: '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};

/**
 * Runs git in a folder that may be hostile, and reads what it prints. Git runs no program that the folder names, reaches no network, writes
 * nothing, and sees nothing of this process's environment but where programs are.
 *
 * @param args A command that only reads, such as `log`.
 * @returns Empty without git, outside of a repository, and if the command fails.
 * @see {@link https://git-scm.com/docs/git-config git-config}
 */
export async function runGit(folder: string, ...args: readonly string[]): Promise<string> {
  if (!isInRepository(resolve(folder))) return '';
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Windows finds no program without SystemRoot. A relative entry of PATH would be one of the folder in which the command runs.
  const { PATH = '', SystemRoot } = process.env;
  const env = {
    ...ENVIRONMENT,
    ...(SystemRoot !== undefined && { SystemRoot }),
    PATH: PATH.split(delimiter)
      .filter((path) => isAbsolute(path))
      .join(delimiter),
  };
  return new Promise((resolve) => {
    execFile('git', ['--no-pager', '-C', folder, ...settings, ...args], { env, maxBuffer: OUTPUT_MAX_BYTES }, (error, stdout) =>
      resolve(error === null ? stdout : ''),
    );
  });
}

/** Whether git would find a repository: starting a program that finds none takes longer than looking. */
function isInRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || (dirname(folder) !== folder && isInRepository(dirname(folder)));
}

/** When a file was made and last changed, `YYYY-MM-DD` in UTC. */
export interface FileDates {
  readonly created: string;
  readonly updated: string;
}

/** Begins the line of a commit; no path contains it. */
const COMMIT = '\u0001';

/** Days of the first and the last commit of every file below `path`, in one call; empty without git or a repository. A renamed file begins anew. */
export async function gitDates(root: string, path = 'content'): Promise<ReadonlyMap<string, FileDates>> {
  const log = await runGit(root, 'log', '--relative', '--no-renames', '--name-only', '-z', `--format=${COMMIT}%at`, '--', path);
  const dates = new Map<string, FileDates>();
  let day = '';
  for (const part of log.split('\0')) {
    const text = part.replace(/^\n+/, '');
    if (text.startsWith(COMMIT)) {
      day = dayOf(Number(text.slice(1).trim()) * 1_000);
      continue;
    }
    if (text === '') continue;
    const known = dates.get(text);
    dates.set(text, {
      created: known === undefined || day < known.created ? day : known.created,
      updated: known === undefined || day > known.updated ? day : known.updated,
    });
  }
  return dates;
}

export async function fileDates(root: string, path: string): Promise<FileDates> {
  const { mtimeMs } = await stat(join(root, path));
  return { created: dayOf(mtimeMs), updated: dayOf(mtimeMs) };
}

type WrittenDates = Pick<WrittenCapsule, 'created' | 'updated' | 'version'> & Partial<Pick<WrittenCapsule, 'formerly'>>;

export type TextDates = ReturnType<typeof textDates>;

/** Default dates of the texts of a publication. Git is asked once, and only if a text needs it. */
export function textDates(root: string, ledger: PublishedLedger, memory?: MemoryCache) {
  let git: Promise<ReadonlyMap<string, FileDates>> | undefined;
  const ofFile = async (path: string): Promise<FileDates> => {
    git ??= fromMemory(memory, 'git', '', [], () => gitDates(root));
    return (await git).get(path) ?? (await fileDates(root, path));
  };
  return {
    ofFile,
    /** The dates with which the version was published, which never change, or else the dates of its file. */
    of: async (path: string, id: string, written: WrittenDates): Promise<FileDates> => {
      const { created: writtenDay, updated: writtenChange, version = '1.0.0' } = written;
      if (writtenChange !== undefined && writtenDay !== undefined) return { created: writtenDay, updated: writtenChange };
      const versions = publishedVersions(ledger, [id, ...(written.formerly ?? [])]);
      const published = versions.find((entry) => entry.version === version);
      const created = published?.created ?? versions[0]?.created;
      if (published !== undefined && created !== undefined) return { created, updated: published.updated };
      const dates = await ofFile(path);
      return { created: created ?? dates.created, updated: published?.updated ?? dates.updated };
    },
  };
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';

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

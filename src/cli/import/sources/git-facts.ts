import { spawnSync } from 'node:child_process';

/** Days of the first and the last commit of a file, `YYYY-MM-DD`. */
export interface GitDates {
  readonly created: string;
  readonly updated: string;
}

function git(folder: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', ['-C', folder, '-c', 'core.quotePath=false', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
  });
  return status === 0 ? stdout : undefined;
}

/** Dates of every file below a folder, by path from it, in one run of git. Empty outside a repository and in a shallow clone. */
export function gitDates(folder: string): ReadonlyMap<string, GitDates> {
  const dates = new Map<string, GitDates>();
  if (git(folder, 'rev-parse', '--is-shallow-repository')?.trim() !== 'false') return dates;
  const log = git(folder, 'log', '--format=\u0001%cs', '--name-only', '--relative', '--no-renames', '--', '.') ?? '';
  let day = '';
  for (const line of log.split('\n')) {
    if (line.startsWith('\u0001')) day = line.slice(1);
    else if (line !== '') dates.set(line, { created: day, updated: dates.get(line)?.updated ?? day });
  }
  return dates;
}

/** Address of the repository that a folder was cloned from, without credentials. */
export function gitRemote(folder: string): string | undefined {
  const address = git(folder, 'remote', 'get-url', 'origin')?.trim();
  if (address === undefined || address === '') return undefined;
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+?)(?:\.git)?\/?$/.exec(address);
  if (ssh) return `https://${ssh[1]}/${ssh[2]}`;
  if (!/^https?:/.test(address) || !URL.canParse(address)) return undefined;
  const { origin, pathname } = new URL(address);
  return origin + pathname.replace(/(?:\.git)?\/?$/, '');
}

import { type FileDates, gitDates } from '../../../publication/complete/text-dates.ts';
import { runGit } from '../../../publication/run-git.ts';

/** What git knows about a folder of texts. */
export interface GitFacts {
  /** Dates of every file below the folder, by path from it; empty outside a repository and in a shallow clone. */
  readonly dates: ReadonlyMap<string, FileDates>;
  /** Address of the repository that the folder was cloned from, without credentials. */
  readonly remote: string | undefined;
}

export async function gitFacts(folder: string): Promise<GitFacts> {
  const isShallow = (await runGit(folder, 'rev-parse', '--is-shallow-repository')).trim() !== 'false';
  return {
    dates: isShallow ? new Map() : await gitDates(folder, '.'),
    remote: publicAddress((await runGit(folder, 'remote', 'get-url', 'origin')).trim()),
  };
}

function publicAddress(remote: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+?)(?:\.git)?\/?$/.exec(remote);
  if (ssh) return `https://${ssh[1]}/${ssh[2]}`;
  if (!/^https?:/.test(remote) || !URL.canParse(remote)) return undefined;
  const { origin, pathname } = new URL(remote);
  return origin + pathname.replace(/(?:\.git)?\/?$/, '');
}

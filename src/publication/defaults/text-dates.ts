import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** When a file was made and last changed, `YYYY-MM-DD` in UTC. */
export interface FileDates {
  readonly created: string;
  readonly updated: string;
}

/** The output of `git log` for a long history. */
const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** Begins the line of a commit; no path contains it. */
const COMMIT = '\u0001';

/**
 * Days of the first and the last commit of every file below `content/`, by its path from `root`; empty without git, or outside of a
 * repository. One call of git for all files. A renamed file begins with its new name.
 */
export async function gitDates(root: string): Promise<ReadonlyMap<string, FileDates>> {
  const args = ['-c', 'core.quotePath=off', 'log', '--relative', '--no-renames', '--name-only', '-z', `--format=${COMMIT}%at`, '--', 'content'];
  const environment = { ...process.env, GIT_OPTIONAL_LOCKS: '0' };
  const { stdout } = await promisify(execFile)('git', args, { cwd: root, maxBuffer: MAX_OUTPUT_BYTES, env: environment }).catch(() => ({
    stdout: '',
  }));
  const dates = new Map<string, FileDates>();
  let day = '';
  for (const part of stdout.split('\0')) {
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

/** The day on which a file was last written, for a file that git does not know. */
export async function fileDates(root: string, path: string): Promise<FileDates> {
  const { mtimeMs } = await stat(join(root, path));
  return { created: dayOf(mtimeMs), updated: dayOf(mtimeMs) };
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

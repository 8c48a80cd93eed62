import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { WrittenCapsule } from '../../schemas/knowledge/written-capsule.ts';
import { dayOf } from '../../schemas/time.ts';
import { fromMemory, type MemoryCache } from '../build-cache.ts';
import { type PublishedLedger, publishedVersions } from '../read/version-ledger.ts';
import { runGit } from '../run-git.ts';

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

/** Default dates of the texts of a publication. Git is asked once, and only if a text needs it. */
export class TextDates {
  readonly #root: string;
  readonly #ledger: PublishedLedger;
  readonly #memory: MemoryCache | undefined;
  #git: Promise<ReadonlyMap<string, FileDates>> | undefined;

  constructor(root: string, ledger: PublishedLedger, memory?: MemoryCache) {
    this.#memory = memory;
    this.#root = root;
    this.#ledger = ledger;
  }

  async ofFile(path: string): Promise<FileDates> {
    this.#git ??= fromMemory(this.#memory, 'git', '', [], () => gitDates(this.#root));
    return (await this.#git).get(path) ?? (await fileDates(this.#root, path));
  }

  /** The dates with which the version was published, which never change, or else the dates of its file. */
  async of(path: string, id: string, written: WrittenDates): Promise<FileDates> {
    const { created: writtenDay, updated: writtenChange, version = '1.0.0' } = written;
    if (writtenChange !== undefined && writtenDay !== undefined) return { created: writtenDay, updated: writtenChange };
    const versions = publishedVersions(this.#ledger, [id, ...(written.formerly ?? [])]);
    const published = versions.find((entry) => entry.version === version);
    const created = published?.created ?? versions[0]?.created;
    if (published !== undefined && created !== undefined) return { created, updated: published.updated };
    const dates = await this.ofFile(path);
    return { created: created ?? dates.created, updated: published?.updated ?? dates.updated };
  }
}

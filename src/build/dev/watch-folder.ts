import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Silence after which changes are reported, in milliseconds: an editor that saves by renaming causes several events. */
const QUIET_MS = 20;

/** Longest time that changes wait for silence, in milliseconds. */
const WAIT_MAX_MS = 200;

/** A folder that is watched. */
export interface FolderWatch {
  readonly close: () => void;
}

/**
 * Watches some files and folders of a folder, with everything below them, whether or not they exist yet.
 *
 * @param names What is watched in `root`.
 * @param onChange Gets the paths of files and folders that were written, created, renamed or deleted, relative to `root`, with slashes.
 */
export function watchFolder(root: string, names: readonly string[], onChange: (paths: ReadonlySet<string>) => void): FolderWatch {
  const changes = new Batch(onChange);
  const report = (path: string): void => {
    const changed = relative(root, path).split(sep).join('/');
    if (names.includes(changed.split('/', 1)[0] ?? '')) changes.add(changed);
  };
  // Elsewhere the system watches whole trees; on Linux Node would watch each file, and lose those that are replaced.
  return process.platform === 'linux' ? new FolderTree(root, names, report) : watchTree(root, names, report);
}

function watchTree(root: string, names: readonly string[], report: (path: string) => void): FolderWatch {
  const watcher = watch(root, { recursive: true }, (_event, changed) => {
    for (const path of changed === null ? names : [changed]) report(join(root, path));
  });
  watcher.on('error', () => undefined);
  return { close: () => watcher.close() };
}

/** A watch on a folder, and on each folder of some of its trees. */
class FolderTree implements FolderWatch {
  readonly #watches = new Map<string, FSWatcher>();
  readonly #root: string;
  readonly #names: readonly string[];
  readonly #report: (path: string) => void;
  #isClosed = false;

  constructor(root: string, names: readonly string[], report: (path: string) => void) {
    this.#root = root;
    this.#names = names;
    this.#report = report;
    // By name, because each may be a symbolic link.
    for (const folder of [root, ...names.map((name) => join(root, name))]) void this.#enter(folder, false);
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of this.#watches.values()) watcher.close();
  }

  /** @param isNew Whether what is in it was not there before, and so is reported. */
  async #enter(folder: string, isNew: boolean): Promise<void> {
    if (this.#isClosed || this.#watches.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => void this.#changed(folder, name));
      this.#watches.set(folder, watcher);
      watcher.on('error', () => this.#leave(folder));
      // Read after the watch began, so that nothing is missed in between.
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (!this.#isWatched(folder, entry.name)) continue;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) await this.#enter(path, isNew);
        else if (isNew) this.#report(path);
      }
    } catch {
      this.#leave(folder);
    }
  }

  async #changed(folder: string, name: string | null): Promise<void> {
    if (name === null) return this.#report(folder);
    if (!this.#isWatched(folder, name)) return;
    const path = join(folder, name);
    this.#report(path);
    const names = await readdir(path).catch(() => undefined);
    if (names !== undefined) await this.#enter(path, true);
    else if (this.#watches.has(path))
      for (const below of [...this.#watches.keys()]) if (below === path || below.startsWith(path + sep)) this.#leave(below);
  }

  #isWatched(folder: string, name: string): boolean {
    return folder !== this.#root || this.#names.includes(name);
  }

  #leave(folder: string): void {
    this.#watches.get(folder)?.close();
    this.#watches.delete(folder);
  }
}

/** Collects paths until there is silence. */
class Batch {
  readonly #deliver: (paths: ReadonlySet<string>) => void;
  #paths = new Set<string>();
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deliver: (paths: ReadonlySet<string>) => void) {
    this.#deliver = deliver;
  }

  add(path: string): void {
    if (this.#paths.size === 0) this.#since = Date.now();
    this.#paths.add(path);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, Math.min(QUIET_MS, this.#since + WAIT_MAX_MS - Date.now())));
  }

  #flush(): void {
    const paths = this.#paths;
    this.#paths = new Set();
    this.#deliver(paths);
  }
}

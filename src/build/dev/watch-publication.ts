import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { styleText } from 'node:util';
import { PUBLIC_FOLDER, THEME_FILE } from '../../publication/check/check-look-and-theme.ts';
import { type ContentProblem, formatProblem, isWarning } from '../../publication/content-problem.ts';
import { OVERRIDES_FOLDER } from '../../site/component-overrides.ts';
import type { LiveControls, LiveMessage } from '../../site/dev/dev-server.ts';
import type { LivePublication, LiveState } from './live-publication.ts';

type Report = (line: string) => void;

/** Files that editors write beside the one that they save. */
const OF_EDITOR = /(^|\/)(\.[^/]*|[^/]*~|#[^/]*#|4913)$/;

const WATCHED = ['content', PUBLIC_FOLDER, OVERRIDES_FOLDER, THEME_FILE];

const WARNINGS_MAX = 20;

/** Reads the publication again after each change of its content or its appearance, and tells the terminal, Astro and browsers what came of it. */
export class LiveChanges {
  readonly #live: LivePublication;
  readonly #report: Report;
  readonly #watch: Pick<FSWatcher, 'close'>;
  #controls: LiveControls | undefined;
  #waiting = new Set<string>();
  #running: Promise<void> | undefined;
  #onRead: (() => void) | undefined;
  #known = '';

  constructor(root: string, live: LivePublication, report: Report) {
    this.#live = live;
    this.#report = report;
    this.#watch = watchFolder(root, WATCHED, (paths) => this.#changed(paths));
  }

  /** The first state without mistakes; `undefined` if `stopped` comes before it. */
  async firstState(stopped: Promise<void>): Promise<LiveState | undefined> {
    await this.#live.refresh([]);
    this.#reportProblems();
    let isStopped = false;
    void stopped.then(() => {
      isStopped = true;
      this.#onRead?.();
    });
    while (this.#live.state === undefined && !isStopped) {
      this.#report('Nothing can be shown yet. Mend this, and it starts.');
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onRead = resolve;
      await promise;
    }
    return this.#live.state;
  }

  connect(controls: LiveControls): void {
    this.#controls = controls;
  }

  close(): void {
    this.#watch.close();
  }

  #changed(paths: ReadonlySet<string>): void {
    for (const path of paths) if (!OF_EDITOR.test(path)) this.#waiting.add(path);
    if (this.#waiting.size > 0)
      this.#running ??= this.#run().finally(() => {
        this.#running = undefined;
      });
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const paths = [...this.#waiting].sort();
      this.#waiting = new Set();
      const started = performance.now();
      try {
        const before = this.#live.state;
        await this.#live.refresh(paths);
        await this.#tellBrowsers(before);
        const named = paths.length > 3 ? `${paths.length} files` : paths.join(', ');
        this.#report(`${new Date().toTimeString().slice(0, 8)} ${named}: ${Math.round(performance.now() - started)} ms`);
      } catch (error) {
        this.#report(`${paths.join(', ')} could not be read: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      }
      this.#reportProblems();
      this.#onRead?.();
    }
  }

  async #tellBrowsers(before: LiveState | undefined): Promise<void> {
    const { state, problems } = this.#live;
    if (this.#controls === undefined || state === undefined || before === undefined) return;
    const isNew = state !== before;
    const isSettings = isNew && settingsOf(before) !== settingsOf(state);
    if (isNew) await this.#controls.refresh(isSettings);
    const message: LiveMessage = { ...summaryOf(problems), isNew };
    this.#controls.send('agent-knowledge-gateway:change', message);
  }

  #reportProblems(): void {
    const { problems } = this.#live;
    const text = describeProblems(problems);
    if (text === this.#known) return;
    this.#known = text;
    if (text === '') {
      this.#report('No mistakes in the content.');
      return;
    }
    const { errors, warnings } = summaryOf(problems);
    // Before the first page is served there is no preview.
    const place = warnings > WARNINGS_MAX && this.#controls !== undefined ? '; the preview lists them' : '';
    // Astro compiles components as they are.
    const isKept = problems.some((problem) => !isWarning(problem) && !problem.file.startsWith(`${OVERRIDES_FOLDER}/`));
    const refused = isKept ? '\nWhat has errors is shown as it was before them; a build would refuse it.' : '\nA build would refuse this.';
    const outcome = errors > 0 && this.#live.state !== undefined ? refused : '';
    this.#report(`${text}${place}${outcome}`);
  }
}

/** Problems as lines: every error, then the warnings. A long list of warnings is cut and ends with the number of the others. */
export function describeProblems(problems: readonly ContentProblem[]): string {
  const errors = problems.filter((problem) => !isWarning(problem));
  const warnings = problems.filter(isWarning);
  const more = warnings.length - WARNINGS_MAX;
  return [
    ...errors.map((problem) => styleText('red', `  error   ${formatProblem(problem)}`)),
    ...warnings.slice(0, WARNINGS_MAX).map((problem) => styleText('yellow', `  warning ${formatProblem(problem)}`)),
    ...(more > 0 ? [`  and ${more} more ${more === 1 ? 'warning' : 'warnings'}`] : []),
  ].join('\n');
}

export function summaryOf(problems: readonly ContentProblem[]): Pick<LiveMessage, 'errors' | 'warnings' | 'first'> {
  const errors = problems.filter((problem) => !isWarning(problem));
  const [first] = errors;
  return {
    errors: errors.length,
    warnings: problems.length - errors.length,
    ...(first === undefined ? {} : { first: formatProblem(first) }),
  };
}

/** What modules of pages are made of: the sentences of the interface and the look. Everything else is in collections. */
function settingsOf({ site: { site, interfaceLanguage } }: LiveState): string {
  return JSON.stringify([interfaceLanguage, site.publisher.look]);
}

/** Silence after which changes are reported: an editor that saves by renaming causes several events. */
const QUIET_MS = 20;

const WAIT_MAX_MS = 200;

/** Watches files and folders of a folder, with all below, whether or not they exist yet. `onChange` gets relative paths with slashes. */
function watchFolder(root: string, names: readonly string[], onChange: (paths: ReadonlySet<string>) => void): Pick<FSWatcher, 'close'> {
  const add = inBatches(onChange);
  const report = (path: string): void => {
    const changed = relative(root, path).split(sep).join('/');
    if (names.includes(changed.split('/', 1)[0] ?? '')) add(changed);
  };
  // Elsewhere the system watches whole trees; on Linux Node would watch each file, and lose those that are replaced.
  if (process.platform === 'linux') return watchTree(root, names, report);
  const watcher = watch(root, { recursive: true }, (_event, changed) => {
    for (const path of changed === null ? names : [changed]) report(join(root, path));
  });
  return watcher.on('error', () => undefined);
}

function watchTree(root: string, names: readonly string[], report: (path: string) => void): Pick<FSWatcher, 'close'> {
  const watches = new Map<string, FSWatcher>();
  let isClosed = false;
  const isWatched = (folder: string, name: string): boolean => folder !== root || names.includes(name);
  const leave = (folder: string): void => {
    watches.get(folder)?.close();
    watches.delete(folder);
  };

  /** @param isNew Whether what is in it was not there before, and so is reported. */
  const enter = async (folder: string, isNew: boolean): Promise<void> => {
    if (isClosed || watches.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => void changed(folder, name));
      watches.set(folder, watcher);
      watcher.on('error', () => leave(folder));
      // Read after the watch began, so that nothing is missed in between.
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (!isWatched(folder, entry.name)) continue;
        const path = join(folder, entry.name);
        if (entry.isDirectory()) await enter(path, isNew);
        else if (isNew) report(path);
      }
    } catch {
      leave(folder);
    }
  };

  const changed = async (folder: string, name: string | null): Promise<void> => {
    if (name === null) return report(folder);
    if (!isWatched(folder, name)) return;
    const path = join(folder, name);
    report(path);
    if ((await readdir(path).catch(() => undefined)) !== undefined) await enter(path, true);
    else if (watches.has(path)) {
      for (const below of [...watches.keys()]) if (below === path || below.startsWith(path + sep)) leave(below);
    }
  };

  // By name, because each may be a symbolic link.
  for (const folder of [root, ...names.map((name) => join(root, name))]) void enter(folder, false);
  return {
    close: () => {
      isClosed = true;
      for (const watcher of watches.values()) watcher.close();
    },
  };
}

function inBatches(deliver: (paths: ReadonlySet<string>) => void): (path: string) => void {
  let paths = new Set<string>();
  let since = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    const all = paths;
    paths = new Set();
    deliver(all);
  };
  return (path) => {
    if (paths.size === 0) since = Date.now();
    paths.add(path);
    clearTimeout(timer);
    timer = setTimeout(flush, Math.max(0, Math.min(QUIET_MS, since + WAIT_MAX_MS - Date.now())));
  };
}

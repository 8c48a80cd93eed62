import { styleText } from 'node:util';
import { PUBLIC_FOLDER } from '../../publication/appearance/check-look.ts';
import { THEME_FILE } from '../../publication/appearance/check-theme.ts';
import { type ContentProblem, formatProblem, isWarning } from '../../publication/content-problem.ts';
import { OVERRIDES_FOLDER } from '../../site/component-overrides.ts';
import type { LiveMessage } from '../../site/dev/live-message.ts';
import type { LiveControls } from '../../site/dev/live-site.ts';
import type { LivePublication, LiveState } from './live-publication.ts';
import { type FolderWatch, watchFolder } from './watch-folder.ts';

type Report = (line: string) => void;

/** Files that editors write beside the one that they save. */
const OF_EDITOR = /(^|\/)(\.[^/]*|[^/]*~|#[^/]*#|4913)$/;

/** Files and folders of a publication whose changes are followed. */
const WATCHED = ['content', PUBLIC_FOLDER, OVERRIDES_FOLDER, THEME_FILE];

/** Most warnings in the terminal after one change. */
const WARNINGS_MAX = 20;

/** Reads the publication again after each change of its content or its appearance, and tells the terminal, Astro and browsers what came of it. */
export class LiveChanges {
  readonly #live: LivePublication;
  readonly #report: Report;
  readonly #watch: FolderWatch;
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
      await new Promise<void>((resolve) => {
        this.#onRead = resolve;
      });
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
        const change = await this.#live.refresh(paths);
        await this.#tellBrowsers(change.before);
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

/** Numbers of problems, and the first of them as a line. */
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

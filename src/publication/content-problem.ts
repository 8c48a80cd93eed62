/** How serious a finding is: an error stops every build, a warning is only shown. */
export type ContentLevel = 'error' | 'warning';

/** A mistake of an author, at a place that an editor can open. */
export interface ContentProblem {
  /** Path from the project's root, such as `content/capsules/http-caching.md`. */
  readonly file: string;
  /** Line in the file, from 1. */
  readonly line: number;
  /** Field of the front matter, such as `sources[0].url`; `text` for the body; empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
  /** An error, unless it is stated. */
  readonly level?: ContentLevel;
}

/** A mistake in a file as a whole. */
export function fileProblem(file: string, message: string, level: ContentLevel = 'error'): ContentProblem {
  return { file, line: 1, field: '', message, level };
}

/** Whether a problem is only shown. */
export function isWarning({ level }: ContentProblem): boolean {
  return level === 'warning';
}

/** A mistake on one line: `content/offers/a.md:7 price_usd: must not be below 0`. */
export function formatProblem(problem: ContentProblem): string {
  const field = problem.field === '' ? '' : ` ${problem.field}:`;
  return `${problem.file}:${problem.line}${field} ${problem.message}`;
}

/** Sorts by file, line and field, so that reports are deterministic. */
export function sortProblems(problems: readonly ContentProblem[]): ContentProblem[] {
  return [...problems].sort(
    (a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.field, b.field) || compareText(a.message, b.message),
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Content has mistakes; `message` lists them, one per line. */
export class InvalidContentError extends Error {
  override readonly name = 'InvalidContentError';
  readonly problems: readonly ContentProblem[];

  constructor(problems: readonly ContentProblem[]) {
    const sorted = sortProblems(problems);
    const count = sorted.length === 1 ? '1 mistake' : `${sorted.length} mistakes`;
    super(`content has ${count}:\n${sorted.map((problem) => `  ${formatProblem(problem)}`).join('\n')}`);
    this.problems = sorted;
  }
}

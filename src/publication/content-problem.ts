import type { ContentLevel } from '../schemas/editorial-rules.ts';

/** A mistake of an author, at a place that an editor can open. */
export interface ContentProblem {
  /** Path from the project's root, such as `content/capsules/http-caching.md`. */
  readonly file: string;
  readonly line: number;
  /** Field of the front matter, such as `sources[0].url`; `text` for the body; empty for the file as a whole. */
  readonly field: string;
  readonly message: string;
  readonly level?: ContentLevel;
}

export interface FieldFinding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly level?: ContentLevel;
}

/** In the file of the text with this id. */
export interface FileFinding extends FieldFinding {
  readonly id: string;
}

export function fieldProblem(file: string, lineOf: (path: readonly PropertyKey[]) => number, finding: FieldFinding): ContentProblem {
  const { path, message, level } = finding;
  return { file, line: lineOf(path), field: fieldName(path), message, ...(level === undefined ? {} : { level }) };
}

/** `sources[0].url` for the path `['sources', 0, 'url']`. */
function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('');
}

export function fileProblem(file: string, message: string, level: ContentLevel = 'error'): ContentProblem {
  return { file, line: 1, field: '', message, level };
}

export function isWarning({ level = 'error' }: ContentProblem): boolean {
  return level !== 'error';
}

export function gapsOf(problems: readonly ContentProblem[]): readonly ContentProblem[] {
  return problems.filter(({ level }) => level === 'gap');
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

const GROUPED_FROM = 4;

/** @param isComplete Whether equal warnings in many files are listed one by one. */
export function describeWarnings(warnings: readonly ContentProblem[], isComplete = false): string {
  if (warnings.length === 0) return '';
  const groups = Map.groupBy(sortProblems(warnings), ({ field, message }) => `${field} ${message}`);
  const lines = [...groups.values()].flatMap((group) => {
    const all = group.map((warning) => `  ${formatProblem(warning)}`);
    return isComplete || group.length < GROUPED_FROM || group[0]?.level === 'gap'
      ? all
      : [`${all[0]} (and at ${group.length - 1} other places)`];
  });
  return `content has ${countWarnings(warnings)}:\n${lines.join('\n')}`;
}

/** `1 warning`, `12 warnings`, `2 warnings and 7 gaps to fill in`. */
export function countWarnings(warnings: readonly ContentProblem[]): string {
  const gaps = gapsOf(warnings).length;
  const others = warnings.length - gaps;
  return [
    ...(others > 0 || gaps === 0 ? [others === 1 ? '1 warning' : `${others} warnings`] : []),
    ...(gaps > 0 ? [gaps === 1 ? '1 gap to fill in' : `${gaps} gaps to fill in`] : []),
  ].join(' and ');
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

/** A mistake of the user that stops a command. The message says what is wrong and how to fix it; the user sees nothing else. */
export class UserError extends Error {
  override readonly name = 'UserError';
}

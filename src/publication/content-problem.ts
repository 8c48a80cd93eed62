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

/** What differs among messages of one kind: names in quotes and elements, addresses, paths and numbers, and all behind a colon. */
export const VARIABLE = /"[^"]*"|<[^<>]*>|https?:[^\s,;]*|(?<![^\s,;:])[^\s,;:]*[\d#/._][^\s,;]*|: .*$/g;

/** A message without what differs among messages of one kind. */
export function kindOf({ message }: { readonly message: string }): string {
  return message.replace(VARIABLE, (part) => (part.startsWith(': ') ? '' : '…'));
}

/** From so many equal warnings on, one line stands for them; from so many lines of one kind on, the first of them. */
const GROUPED_FROM = 4;
const SHORTENED_FROM = 20;
const EXAMPLES = 3;

/** @param isComplete Whether equal warnings in many files, and all of one kind, are listed one by one. */
export function describeWarnings(warnings: readonly ContentProblem[], isComplete = false): string {
  if (warnings.length === 0) return '';
  const equal = Map.groupBy(sortProblems(warnings), ({ field, message }) => `${field} ${message}`);
  const lines = [...equal.values()].flatMap((group) => {
    const isListed = isComplete || group.length < GROUPED_FROM || group[0]?.level === 'gap';
    return isListed ? group.map((warning) => [warning]) : [group];
  });
  const line = ([first, ...others]: readonly ContentProblem[]): string =>
    `  ${formatProblem(first as ContentProblem)}${others.length === 0 ? '' : ` (and at ${others.length} other places)`}`;
  const isGap = ([first]: readonly ContentProblem[]): boolean => first?.level === 'gap';
  const kinds = Map.groupBy(lines, (group) => (isComplete || isGap(group) ? '' : group[0]?.field + kindOf(group[0] as ContentProblem)));
  const described = [...kinds].flatMap(([kind, ofKind]) => {
    if (kind === '' || ofKind.length < SHORTENED_FROM) return ofKind.map(line);
    const more = ofKind.slice(EXAMPLES).flat();
    const files = new Set(more.map(({ file }) => file)).size;
    const places = `${more.length.toLocaleString('en')} more like it in ${files === 1 ? '1 file' : `${files.toLocaleString('en')} files`}`;
    return [...ofKind.slice(0, EXAMPLES).map(line), `    … and ${places}; "akg check --all" lists them`];
  });
  return `content has ${countWarnings(warnings)}:\n${described.join('\n')}`;
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

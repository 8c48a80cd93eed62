import type { Root } from 'mdast';
import { CAPSULE_WORDS, checkText } from './check-text.ts';

/** Begins every sentence of a new file that its author has to replace. */
export const PLACEHOLDER = 'FILL IN';

/** What an author writes of a capsule, as far as it is held to rules that no schema tells. */
export interface AuthoredText {
  readonly sources: readonly { readonly key: string; readonly retrieved?: string | undefined }[];
  /** The text, as `bodyText` gives it. */
  readonly markdown: string;
}

/** What is wrong with a capsule: where, as the path of a member, the line of the text where it is in the text, and why. */
export interface AuthoredFinding {
  readonly path: readonly PropertyKey[];
  /** Line of the text, from 1. */
  readonly line?: number;
  readonly message: string;
}

/** What a capsule is held against. */
export interface AuthoredRules {
  readonly linkExists: (path: string) => boolean;
  /** `YYYY-MM-DD`; days after it are refused. */
  readonly today: string;
  /** Parses the text; with what is parsed kept unless said otherwise. */
  readonly parse?: (text: string) => Root;
}

/** The rules of capsules, the same for files of the publisher and for proposals: keys and days of sources, and the text. */
export function checkAuthored({ sources, markdown }: AuthoredText, { linkExists, today, parse }: AuthoredRules): AuthoredFinding[] {
  const findings: AuthoredFinding[] = [];
  const sourceKeys = sources.map(({ key }) => key);
  for (const [index, { key, retrieved }] of sources.entries()) {
    if (sourceKeys.indexOf(key) !== index) findings.push({ path: ['sources', index, 'key'], message: `"${key}" names two sources` });
    if (retrieved !== undefined && retrieved > today)
      findings.push({ path: ['sources', index, 'retrieved'], message: `${retrieved} is in the future` });
  }
  const tooCostly = refuseMarkup(markdown);
  const inText = tooCostly
    ? [tooCostly]
    : checkText(markdown, {
        minWords: CAPSULE_WORDS.min,
        maxWords: CAPSULE_WORDS.max,
        sourceKeys,
        linkExists,
        ...(parse ? { parse } : {}),
      });
  return [...findings, ...inText.map(({ line, message }) => ({ path: ['markdown'], line, message }))];
}

/** Most marks of markdown in a capsule's text, and most lines; the samples have at most 201 and 71. */
const MARKS_MAX = 1_000;
const LINES_MAX = 800;
/** Deepest quotes and lists: markers that begin one line, and columns that one is indented by. */
const MARKERS_MAX = 8;
const INDENT_MAX = 40;

const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))+/;
const MARKER = /[>*+-]|\d[.)]/g;

/**
 * What makes a text too costly or too deep to be parsed, if anything: the time that a parser of markdown takes grows with the
 * square of some marks, and its stack with their nesting. Reads the text once.
 */
export function refuseMarkup(text: string): { readonly line: number; readonly message: string } | undefined {
  const marks = countMarks(text);
  if (marks > MARKS_MAX) return { line: 1, message: `has ${marks} marks of markdown such as [ and *; at most ${MARKS_MAX} are allowed` };
  const lines = text.split('\n');
  if (lines.length > LINES_MAX) return { line: 1, message: `has ${lines.length} lines; at most ${LINES_MAX} are allowed` };
  const deep = lines.findIndex(isDeep);
  return deep === -1 ? undefined : { line: deep + 1, message: 'begins quotes or lists inside of each other too deeply' };
}

function countMarks(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if ('[]!*_~`<&'.includes(text.charAt(index))) count += 1;
  return count;
}

/** Whether a line begins with many markers of quotes and lists, or with one far to the right. */
function isDeep(line: string): boolean {
  const containers = CONTAINERS.exec(line)?.[0];
  if (containers === undefined) return false;
  return (containers.match(MARKER)?.length ?? 0) > MARKERS_MAX || line.search(/\S/) > INDENT_MAX;
}

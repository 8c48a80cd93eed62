import type { Root } from 'mdast';
import { type Editorial, TEXT_RULES, type TextRule } from '../../schemas/editorial.ts';
import { PROPOSAL_BOUNDS } from '../../schemas/intake/intake.ts';
import { checkText } from './check-text.ts';

/** The rules for texts of strangers: every one is in force. */
export const STRICT_TEXT: Pick<Editorial, TextRule> = Object.fromEntries(TEXT_RULES.map((rule) => [rule, 'error'])) as Pick<
  Editorial,
  TextRule
>;

/** The parts of a capsule whose rules are not in its schema. */
interface AuthoredText {
  /** `undefined` if they are unknown. */
  readonly sources: readonly { readonly key: string; readonly retrieved?: string | undefined }[] | undefined;
  /** The text, as `bodyText` returns it. */
  readonly markdown: string;
}

/** A mistake in a capsule: the path of a member, or a line of the text. */
export interface AuthoredFinding {
  readonly path: readonly PropertyKey[];
  /** Line of the text, from 1. */
  readonly line?: number;
  readonly message: string;
}

interface AuthoredRules {
  readonly linkExists: (path: string) => boolean;
  /** `YYYY-MM-DD`; later dates are mistakes. */
  readonly today: string;
  /** Parses the text. */
  readonly parse: (text: string) => Root;
}

/** Checks sources and text of a proposed capsule by the rules for strangers. */
export function checkAuthored({ sources, markdown }: AuthoredText, { linkExists, today, parse }: AuthoredRules): AuthoredFinding[] {
  const findings = checkSources(sources, today);
  const sourceKeys = sources?.map(({ key }) => key);
  const tooComplex = refuseMarkup(markdown);
  const inText = tooComplex
    ? [tooComplex]
    : // Every rule is an error here; a warning is advice for authors who look at their pages.
      checkText(
        markdown,
        {
          levels: STRICT_TEXT,
          words: { level: 'error', ...PROPOSAL_BOUNDS.words },
          sourceKeys,
          parse,
        },
        linkExists,
      ).filter(({ level }) => level !== 'warning');
  return [...findings, ...inText.map(({ line, message }) => ({ path: ['markdown'], line, message }))];
}

/** Checks the list of sources of a capsule. */
export function checkSources(sources: AuthoredText['sources'], today: string): AuthoredFinding[] {
  const findings: AuthoredFinding[] = [];
  const keys = sources?.map(({ key }) => key);
  for (const [index, { key, retrieved }] of sources?.entries() ?? []) {
    if (keys?.indexOf(key) !== index)
      findings.push({ path: ['sources', index, 'key'], message: `"${key}" is the key of two sources; rename one` });
    if (retrieved !== undefined && retrieved > today)
      findings.push({ path: ['sources', index, 'retrieved'], message: `${retrieved} is in the future; use a date until today` });
  }
  return findings;
}

/** How complex a text may be. */
interface Complexity {
  /** Most characters of markdown syntax, and most lines. */
  readonly marks: number;
  readonly lines: number;
  /** Deepest nesting of quotes and lists: markers at the start of a line, and columns of indentation. */
  readonly markers: number;
  readonly indent: number;
}

/** Limits for strangers; capsules of the sample have at most 201 characters of syntax and 71 lines. */
const SUBMITTED: Complexity = { marks: 1_000, lines: 800, markers: 8, indent: 40 };

const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))+/;
const MARKER = /[>*+-]|\d[.)]/g;

/**
 * Why a text is too complex to parse; `undefined` if it is not. The time of a markdown parser grows with the square of some characters, and
 * its stack with their nesting. Reads the text once.
 */
export function refuseMarkup(text: string, max: Complexity = SUBMITTED): { readonly line: number; readonly message: string } | undefined {
  const marks = countMarks(text);
  if (marks > max.marks)
    return { line: 1, message: `has ${marks} characters of markdown syntax such as [ and *; at most ${max.marks} are allowed` };
  const lines = text.split('\n');
  if (lines.length > max.lines) return { line: 1, message: `has ${lines.length} lines; at most ${max.lines} are allowed` };
  const deep = lines.findIndex((line) => isDeep(line, max));
  return deep === -1 ? undefined : { line: deep + 1, message: 'nests quotes or lists too deeply; flatten them' };
}

function countMarks(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) if ('[]!*_~`<&'.includes(text.charAt(index))) count += 1;
  return count;
}

/** Whether a line begins with too many markers of quotes and lists, or is indented too far. */
function isDeep(line: string, { markers, indent }: Complexity): boolean {
  const containers = CONTAINERS.exec(line)?.[0];
  if (containers === undefined) return false;
  return (containers.match(MARKER)?.length ?? 0) > markers || line.search(/\S/) > indent;
}

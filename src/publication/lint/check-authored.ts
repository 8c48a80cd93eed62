import type { Root } from 'mdast';
import { type Editorial, TEXT_RULES, type TextRule } from '../../schemas/editorial.ts';
import { PROPOSAL_BOUNDS } from '../../schemas/intake/intake.ts';
import { SUBMITTED_TEXT_BOUNDS } from '../../schemas/limits.ts';
import { refuseMarkup } from '../markdown/markup-bounds.ts';
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
  const tooComplex = refuseMarkup(markdown, SUBMITTED_TEXT_BOUNDS);
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

import type { Root } from 'mdast';
import { CAPSULE_WORDS, checkText } from './check-text.ts';
import { refuseMarkup } from './markup-density.ts';

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

import type { TextRange } from '../search-document.ts';
import { visibleRanges } from './markdown-blocks.ts';
import { HIDDEN, PART_END, ROW_END, VISIBLE, visibleStates } from './visible-states.ts';

/** A part of a passage without markup. */
export interface PassagePart {
  readonly text: string;
  /** Whether it is one of the words that were searched for. */
  readonly isHighlighted: boolean;
}

/** A visible character that was searched for. */
const HIGHLIGHTED = 4;
const SEPARATORS: Readonly<Record<number, string>> = { [PART_END]: '·', [ROW_END]: '/' };

/**
 * A passage of markdown as plain text on one line, in parts. Headings are left out, unless there is nothing else.
 *
 * @param highlights Ranges of the passage, ascending.
 */
export function plainPassage(markdown: string, highlights: readonly TextRange[]): PassagePart[] {
  const ranges = visibleRanges(markdown);
  const shown = ranges.filter(({ kind }) => kind !== 'heading');
  const states = visibleStates(markdown, shown.length === 0 ? ranges : shown);
  for (const { start, end } of highlights) for (let at = start; at < end; at++) if (states[at] === VISIBLE) states[at] = HIGHLIGHTED;
  return joinParts(markdown, states);
}

/** The visible characters, with one blank for white space and between lines. */
function joinParts(markdown: string, states: Uint8Array): PassagePart[] {
  const parts: { text: string; isHighlighted: boolean }[] = [];
  const append = (text: string, isHighlighted: boolean): void => {
    const last = parts.at(-1);
    if (last?.isHighlighted === isHighlighted) last.text += text;
    else parts.push({ text, isHighlighted });
  };
  let isBlankDue = false;
  let separator: string | undefined;
  for (let at = 0; at < markdown.length; at++) {
    const state = states[at];
    separator = SEPARATORS[state] ?? separator;
    const isBlank = /\s/.test(markdown[at]);
    isBlankDue ||= isBlank && (state !== HIDDEN || markdown[at] === '\n');
    if (isBlank || (state !== VISIBLE && state !== HIGHLIGHTED)) continue;
    const isHighlighted = state === HIGHLIGHTED;
    if (parts.length > 0 && separator !== undefined) append(` ${separator} `, false);
    else if (parts.length > 0 && isBlankDue) append(' ', isHighlighted && parts.at(-1)?.isHighlighted === true);
    isBlankDue = false;
    separator = undefined;
    append(markdown[at], isHighlighted);
  }
  return parts;
}

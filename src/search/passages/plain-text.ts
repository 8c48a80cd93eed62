import { visibleRanges } from './markdown-blocks.ts';
import { HIDDEN, VISIBLE, visibleStates } from './visible-states.ts';

/** What has no blank before it. */
const CLOSING = /^[.,;:!?)\]]/;

/** A text without markup, and where each of its code units stands in the text with markup. */
export interface PlainText {
  readonly text: string;
  readonly places: readonly number[];
}

/**
 * What readers see of a markdown text, on one line: without markup and source references, with one blank for white space.
 *
 * @param insertions What else stands where markup is hidden, by its offset.
 */
export function plainText(markdown: string, insertions: ReadonlyMap<number, string> = new Map()): PlainText {
  const states = visibleStates(markdown, visibleRanges(markdown));
  const places: number[] = [];
  let text = '';
  let isBlankDue = false;
  const append = (words: string, at: number): void => {
    // A reference before a full stop may have had a blank before it.
    const appended = isBlankDue && text !== '' && !CLOSING.test(words) ? ` ${words}` : words;
    text += appended;
    for (let unit = 0; unit < appended.length; unit++) places.push(at);
    isBlankDue = false;
  };
  for (let at = 0; at < markdown.length; at++) {
    const inserted = states[at] === HIDDEN ? insertions.get(at) : undefined;
    if (inserted !== undefined) append(inserted, at);
    const isBlank = /\s/.test(markdown[at]);
    isBlankDue ||= isBlank || states[at] > VISIBLE;
    if (!isBlank && states[at] === VISIBLE) append(markdown[at], at);
  }
  return { text, places };
}

import type { QuoteCheck, QuotedPart } from '../../schemas/knowledge/quote-check.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { type PlainText, plainText } from '../../search/passages/plain-text.ts';
import type { TextRange } from '../../search/search-document.ts';
import { REFERENCE } from './numbered-sources.ts';

type QuoteFinding = Pick<QuoteCheck, 'verdict' | 'part' | 'ranges'>;

/** Ways to compare a quotation with a text, strictest first. */
const COMPARISONS: readonly (readonly [Exclude<QuoteCheck['verdict'], 'not_found'>, (quote: string, text: string) => TextRange[]])[] = [
  ['exact', (quote, text) => rangesIn({ text, places: undefined }, quote)],
  ['white_space_differs', (quote, text) => rangesIn(withSingleSpaces(text), quote.trim().replaceAll(WHITE_SPACE, ' '))],
  ['markup_differs', (quote, text) => rangesIn(plainText(text), plainText(quote.replaceAll(SOURCE_NUMBERS, '')).text)],
  ['markup_differs', (quote, text) => rangesIn(plainText(text, pageNumbers(text)), plainText(quote).text)],
];

/** The parts of a capsule that can be quoted, in the order in which a quotation is looked for. */
export type QuotedTexts = Readonly<Partial<Record<QuotedPart, string>>>;

/** The first part that has a quotation, in the comparison that allows the fewest differences. */
export function findQuote(quote: string, parts: QuotedTexts): QuoteFinding {
  for (const [verdict, compare] of COMPARISONS)
    for (const [part, text] of Object.entries(parts) as [QuotedPart, string][]) {
      const ranges = compare(quote, text);
      if (ranges.length > 0) return { verdict, part, ranges: ranges.slice(0, LIMITS.passagesMax) };
    }
  return { verdict: 'not_found', ranges: [] };
}

/** Where a text contains words, in UTF-16 code units of the text that it was made of. @param places Where each code unit stands in that text. */
function rangesIn({ text, places }: { readonly text: string; readonly places: readonly number[] | undefined }, words: string): TextRange[] {
  const ranges: TextRange[] = [];
  if (words === '') return ranges;
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + words.length)) {
    const last = at + words.length - 1;
    ranges.push({ start: places?.[at] ?? at, end: (places?.[last] ?? last) + 1 });
  }
  return ranges;
}

/** Numbers of sources with brackets, as their markdown links them: `[1]`, `[1][key]`, `[1](url)`, with commas between. */
const SOURCE_NUMBERS = /\[\d{1,3}\](?:\[[^\][]*\]|\([^()\s]*\))?(?:,(?=\s*\[\d{1,3}\]))?/g;

/** Numbers of sources as pages show them, raised and with commas between, by the offsets of the references. */
function pageNumbers(text: string): ReadonlyMap<number, string> {
  const keys = new Map<string, number>();
  const numbers = new Map<number, string>();
  let end = -1;
  for (const { index, 0: reference, 1: key = '' } of text.matchAll(REFERENCE)) {
    const number = keys.get(key.toLowerCase()) ?? keys.size + 1;
    keys.set(key.toLowerCase(), number);
    numbers.set(index, `${index === end ? ', ' : ''}${number}`);
    end = index + reference.length;
  }
  return numbers;
}

const WHITE_SPACE = /\s+/g;

/** A text with one space for each run of white space. */
function withSingleSpaces(text: string): PlainText {
  const places: number[] = [];
  let end = 0;
  const copy = (until: number): void => {
    for (; end < until; end += 1) places.push(end);
  };
  for (const { index, 0: run } of text.matchAll(WHITE_SPACE)) {
    copy(index);
    places.push(index);
    end = index + run.length;
  }
  copy(text.length);
  return { text: text.replaceAll(WHITE_SPACE, ' '), places };
}

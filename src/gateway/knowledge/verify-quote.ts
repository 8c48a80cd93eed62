import type { QuoteCheck, QuotedPart } from '../../schemas/knowledge/quote-check.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { type PlainText, plainText } from '../../search/passages/plain-text.ts';
import type { TextRange } from '../../search/search-document.ts';
import { ok, type Result } from '../result.ts';
import { REFERENCE } from './capsule-markdown.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';
import { stateOf } from './capsule-status-sentences.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { findCapsule } from './read-capsule.ts';
import type { Generation } from './read-generation.ts';

/** Whether a capsule contains a quotation, and where: word for word, with other white space, or with other markup. */
export function verifyQuote(
  { capsuleId, version, quote }: { readonly capsuleId: string; readonly version?: string | undefined; readonly quote: string },
  corpus: Corpus,
  baseUrl: string,
  onFallback: () => void,
): Promise<Result<QuoteCheck>> {
  const read = async (generation: Generation): Promise<Result<QuoteCheck>> => {
    const stored = await findCapsule(capsuleId, version, generation);
    if (!stored.ok) return stored;
    const { metadata, markdown } = stored.value;
    const summary = summaryOf(metadata);
    const { paid_url: _paidUrl, ...addresses } = { paid_url: undefined, ...capsuleAddresses(summary, baseUrl) };
    // The text of a paid capsule is sold; its title and its summary are free.
    const parts: QuotedTexts = { ...(markdown === undefined ? {} : { text: markdown }), summary: metadata.summary, title: metadata.title };
    return ok({
      capsule_id: metadata.capsule_id,
      version: metadata.version,
      title: metadata.title,
      ...stateOf(metadata),
      ...findQuote(quote, parts, markdown === undefined ? 'paid' : 'not_found'),
      ...addresses,
      content_sha256: metadata.content_sha256,
      corpus_version: generation.version,
    });
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

const COMPARISONS: readonly (readonly [
  Exclude<QuoteCheck['verdict'], 'not_found' | 'paid'>,
  (quote: string, text: string) => TextRange[],
])[] = [
  ['exact', (quote, text) => rangesIn({ text, places: undefined }, quote)],
  ['white_space_differs', (quote, text) => rangesIn(withSingleSpaces(text), quote.trim().replaceAll(WHITE_SPACE, ' '))],
  ['markup_differs', (quote, text) => rangesIn(plainText(text), plainText(quote.replaceAll(SOURCE_NUMBERS, '')).text)],
  ['markup_differs', (quote, text) => rangesIn(plainText(text, pageNumbers(text)), plainText(quote).text)],
];

/** The parts of a capsule that can be quoted, in the order in which a quotation is looked for. */
type QuotedTexts = Readonly<Partial<Record<QuotedPart, string>>>;

/**
 * The first part that has a quotation, in the comparison that allows the fewest differences. The pieces of one with words left out (`…`, `[…]`)
 * are looked for in their order. One that is not found has the nearest passage of the text.
 *
 * @param otherwise What it is called if no part has it.
 */
export function findQuote(
  quote: string,
  parts: QuotedTexts,
  otherwise: 'not_found' | 'paid' = 'not_found',
): Pick<QuoteCheck, 'verdict' | 'part' | 'ranges' | 'nearest'> {
  for (const [verdict, compare] of COMPARISONS)
    for (const [part, text] of Object.entries(parts) as [QuotedPart, string][]) {
      const ranges = compare(quote, text);
      if (ranges.length > 0) return { verdict, part, ranges: ranges.slice(0, LIMITS.passagesMax) };
    }
  const pieces = quote.split(OMISSION).flatMap((piece) => piece.trim() || []);
  // Each piece is a search of the whole text.
  if (pieces.length > 1 && pieces.length <= LIMITS.passagesMax)
    for (const [verdict, compare] of COMPARISONS)
      for (const [part, text] of Object.entries(parts) as [QuotedPart, string][]) {
        const ranges = inOrder(pieces.map((piece) => compare(piece, text)));
        if (ranges.length === pieces.length) return { verdict, part, ranges };
      }
  const nearest = parts.text === undefined ? undefined : nearestPassage(quote, parts.text);
  return { verdict: otherwise, ranges: [], ...(nearest === undefined ? {} : { nearest }) };
}

const OMISSION = /\[(?:…|\.{3})\]|…|\.{3}/;

function inOrder(rangesOfPieces: readonly (readonly TextRange[])[]): TextRange[] {
  const ranges: TextRange[] = [];
  for (const of of rangesOfPieces) {
    const next = of.find(({ start }) => start >= (ranges.at(-1)?.end ?? 0));
    if (next === undefined) break;
    ranges.push(next);
  }
  return ranges;
}

/** Share of the words of a quotation that a passage must have to be the nearest. */
const NEAR_SHARE = 0.5;

/** Most sentences of the nearest passage, so that its cost follows the length of the text alone. */
const NEAR_SENTENCES_MAX = 4;

function nearestPassage(quote: string, text: string): QuoteCheck['nearest'] {
  const wanted = wordsOf(quote);
  const sentences = [...SENTENCES.segment(text)].map(({ index, segment }) => ({
    start: index,
    end: index + segment.trimEnd().length,
    words: [...wordsOf(segment)].filter((word) => wanted.has(word)),
  }));
  const span = Math.min([...SENTENCES.segment(quote)].length, NEAR_SENTENCES_MAX);
  let best: { readonly start: number; readonly end: number; readonly share: number } | undefined;
  for (const [at, { start, end }] of sentences.entries()) {
    const window = sentences.slice(at, at + span);
    const share = new Set(window.flatMap(({ words }) => words)).size / wanted.size;
    if (share >= NEAR_SHARE && share > (best?.share ?? 0)) best = { start, end: window.at(-1)?.end ?? end, share };
  }
  return best && { start: best.start, end: best.end, text: text.slice(best.start, best.end) };
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

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

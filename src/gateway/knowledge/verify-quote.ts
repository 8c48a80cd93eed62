import type { QuoteCheck } from '../../schemas/knowledge/quote-check.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { ok, type Result } from '../result.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import type { Generation } from './generation.ts';
import { findCapsule } from './read-capsule.ts';

/** A quotation to look for. */
export interface QuotedText {
  readonly capsuleId: string;
  /** The newest by default. */
  readonly version?: string | undefined;
  readonly quote: string;
}

/**
 * Whether a capsule contains a quotation, and where: word for word, or with other white space.
 *
 * @param onFallback Called if an earlier generation serves the read.
 */
export function verifyQuote(
  { capsuleId, version, quote }: QuotedText,
  corpus: Corpus,
  baseUrl: string,
  onFallback: () => void,
): Promise<Result<QuoteCheck>> {
  const read = async (generation: Generation): Promise<Result<QuoteCheck>> => {
    const stored = await findCapsule(capsuleId, version, generation);
    if (!stored.ok) return stored;
    const { metadata, markdown } = stored.value;
    const summary = summaryOf(metadata);
    // Of a text that is sold, searches quote the summary.
    const text = markdown ?? metadata.summary;
    const { paid_url: _paidUrl, ...addresses } = { paid_url: undefined, ...capsuleAddresses(summary, baseUrl) };
    const ranges = rangesOf(quote, text);
    return ok({
      capsule_id: metadata.capsule_id,
      version: metadata.version,
      title: metadata.title,
      status: metadata.status,
      verdict:
        ranges.length === 0
          ? 'not_found'
          : ranges.some(({ start, end }) => text.slice(start, end) === quote)
            ? 'exact'
            : 'white_space_differs',
      ranges: ranges.slice(0, LIMITS.passagesMax),
      ...addresses,
      content_sha256: metadata.content_sha256,
      corpus_version: generation.version,
    });
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

/** Where a text contains a quotation, with any white space between its words, in UTF-16 code units of the text. */
function rangesOf(quote: string, text: string): { start: number; end: number }[] {
  const sought = quote.trim().replaceAll(WHITE_SPACE, ' ');
  if (sought === '') return [];
  const { spaced, starts } = withSingleSpaces(text);
  const ranges: { start: number; end: number }[] = [];
  for (let at = spaced.indexOf(sought); at >= 0; at = spaced.indexOf(sought, at + sought.length)) {
    const last = starts[at + sought.length - 1] ?? 0;
    ranges.push({ start: starts[at] ?? 0, end: last + 1 });
  }
  return ranges;
}

const WHITE_SPACE = /\s+/g;

/** A text with one space for each run of white space, and where each of its code units begins in the text. */
function withSingleSpaces(text: string): { readonly spaced: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let end = 0;
  const copy = (until: number): void => {
    for (; end < until; end += 1) starts.push(end);
  };
  for (const { index, 0: run } of text.matchAll(WHITE_SPACE)) {
    copy(index);
    starts.push(index);
    end = index + run.length;
  }
  copy(text.length);
  return { spaced: text.replaceAll(WHITE_SPACE, ' '), starts };
}

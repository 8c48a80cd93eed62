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

/** Where a text contains a quotation, with any white space between its words. */
function rangesOf(quote: string, text: string): { start: number; end: number }[] {
  const words = quote.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('\\s+'), 'g');
  return [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ start: index, end: index + found.length }));
}

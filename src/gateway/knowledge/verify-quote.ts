import type { QuoteCheck } from '../../schemas/knowledge/quote-check.ts';
import { ok, type Result } from '../result.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';
import { stateOf } from './capsule-state.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { findQuote, type QuotedTexts } from './find-quote.ts';
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
 * Whether a capsule contains a quotation, and where: word for word, with other white space, or with other markup.
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
    const { paid_url: _paidUrl, ...addresses } = { paid_url: undefined, ...capsuleAddresses(summary, baseUrl) };
    // The text of a paid capsule is sold; its title and its summary are free.
    const parts: QuotedTexts = { ...(markdown === undefined ? {} : { text: markdown }), summary: metadata.summary, title: metadata.title };
    return ok({
      capsule_id: metadata.capsule_id,
      version: metadata.version,
      title: metadata.title,
      ...stateOf(metadata),
      ...findQuote(quote, parts),
      ...addresses,
      content_sha256: metadata.content_sha256,
      corpus_version: generation.version,
    });
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

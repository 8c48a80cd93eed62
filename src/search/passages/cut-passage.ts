import type { PassageRegion } from './passage-regions.ts';
import { splitWords } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';

/** A sentence end is taken if it leaves at least this share of the length requested. */
const SENTENCE_CUT_MIN_SHARE = 0.4;

/** White space is taken if it leaves at least this share of the length requested; else any end of a word. */
const SPACE_CUT_MIN_SHARE = 0.6;

/** Longer words may be cut. In UTF-16 code units. */
const WORD_LOOK_AHEAD = 64;

let graphemes: Intl.Segmenter | undefined;

/**
 * The passage that begins at `from` and ends at the end of its region if that is near enough, else of a paragraph or
 * sentence, else of a word, else of a grapheme. It begins earlier if `from` is inside a grapheme.
 *
 * @param keepEnd The end of the text that the passage should hold.
 * @returns At most `maxLength` long; empty if not even one grapheme fits.
 */
export function cutPassage(
  text: string,
  region: Pick<PassageRegion, 'end' | 'ends'>,
  from: number,
  keepEnd: number,
  maxLength: number,
): TextRange {
  const start = graphemeStart(text, from);
  const limit = start + maxLength;
  const keep = Math.min(keepEnd, limit);
  let end: number | undefined;
  if (region.end <= limit) end = region.end;
  end ??= lastSentenceEnd(region.ends, Math.max(keep, start + maxLength * SENTENCE_CUT_MIN_SHARE), limit);
  end ??= lastSpace(text, Math.max(keep, start + maxLength * SPACE_CUT_MIN_SHARE), limit);
  end ??= lastWordEnd(text, start, keep, limit);
  return { start, end: wholeGraphemes(text, start, end) };
}

// Removing white space may uncover a character that clusters with what follows it, so both are repeated.
function wholeGraphemes(text: string, start: number, end: number): number {
  const whole = graphemeStart(text, end);
  const trimmed = start + text.slice(start, whole).trimEnd().length;
  return trimmed === end || trimmed <= start ? trimmed : wholeGraphemes(text, start, trimmed);
}

// The beginning of the grapheme cluster that `offset` is in: `offset` itself if a cluster begins there. Of ASCII characters, CR and LF
// alone make a cluster (UAX #29, rules GB3 to GB5), and asking a segmenter takes as long as the rest of cutting a passage.
function graphemeStart(text: string, offset: number): number {
  if (offset > 0 && text.charCodeAt(offset - 1) < 0x80 && text.charCodeAt(offset) < 0x80) {
    return text.startsWith('\r\n', offset - 1) ? offset - 1 : offset;
  }
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return graphemes.segment(text).containing(offset)?.index ?? offset;
}

function lastSentenceEnd(ends: readonly number[], least: number, limit: number): number | undefined {
  return ends.findLast((end) => end >= least && end <= limit);
}

function lastSpace(text: string, least: number, limit: number): number | undefined {
  for (let at = limit; at >= least; at--) if (/\s/.test(text.charAt(at))) return at;
  return undefined;
}

function lastWordEnd(text: string, start: number, least: number, limit: number): number {
  const words = splitWords(text.slice(start, limit + WORD_LOOK_AHEAD));
  const end = words.findLast((word) => start + word.end <= limit)?.end ?? 0;
  if (start + end >= least && end > 0) return start + end;
  return least > start ? least : limit;
}

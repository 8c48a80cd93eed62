import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Id, Sha256Hex, Uri, Version } from '../primitives.ts';
import { CapsuleState } from './capsule.ts';

export function quotation(missing?: string): z.ZodString {
  return z
    .string(missing)
    .trim()
    .min(1)
    .max(LIMITS.quoteMaxLength)
    .describe(`The quotation, word for word; … stands for words left out, at most ${LIMITS.passagesMax - 1} times.`);
}

const QuotedPart = z.enum(['text', 'summary', 'title']);
export type QuotedPart = z.infer<typeof QuotedPart>;

/** A range of a text in UTF-16 code units, as in JavaScript's `slice`; `end` is exclusive. */
export const Range = z.object({
  start: z.int().min(0).describe('Start offset, in UTF-16 code units.'),
  end: z.int().min(0).describe('End offset, exclusive.'),
});

export const QuoteCheck = z.object({
  capsule_id: Id.describe('Id of the capsule.'),
  version: Version.describe('Version whose text was searched.'),
  title: z.string().describe('Title of the capsule.'),
  ...CapsuleState.shape,
  verdict: z
    .enum(['exact', 'white_space_differs', 'markup_differs', 'not_found', 'paid'])
    .describe(
      'exact: the capsule contains the quotation word for word. white_space_differs: with other spaces or line breaks. markup_differs: with other markdown marks or source references, as where it was read on the page. not_found: it does not contain it. paid: its text is behind a payment and was not compared; its title and summary do not contain it.',
    ),
  part: QuotedPart.optional().describe(
    'Part of the capsule that contains the quotation; the record of the version has title and summary. Absent if no part contains it.',
  ),
  ranges: z
    .array(Range)
    .max(LIMITS.passagesMax)
    .describe('The first places of the quotation: slice(start, end) of the part, in UTF-16 code units; the part text is the exact text.'),
  nearest: z
    .object({
      start: z.int().min(0).describe('Start of the passage in the exact text, in UTF-16 code units.'),
      end: z.int().min(0).describe('Its end.'),
      text: z.string().describe('The passage, word for word.'),
    })
    .optional()
    .describe('Of a quotation that is not found, the passage with most of its words, if one has half of them.'),
  url: Uri.describe('Page of the capsule.'),
  markdown_url: Uri.optional().describe('The exact text.'),
  lineage_url: Uri.describe('Lineage, which proves the text offline.'),
  content_sha256: Sha256Hex.describe('SHA-256 of the exact text.'),
  corpus_version: Sha256Hex.describe('Version of the corpus.'),
});
export type QuoteCheck = z.infer<typeof QuoteCheck>;

export const cut = z
  .object({
    start: z.literal(true).optional().describe('The text begins within a sentence.'),
    end: z.literal(true).optional().describe('The text ends within a sentence.'),
  })
  .optional()
  .describe('Where the text begins or ends within a sentence; absent if it does neither.');

export const tableHeader = z.string().optional().describe('First row of the table that the text begins within; no part of the text.');

const HEADING_LEVELS = 6;

export const ResultPassage = Range.extend({
  text: z.string().describe('markdown.slice(start, end), as in quote.'),
  cut,
  table_header: tableHeader,
  headings: z.array(z.string()).max(HEADING_LEVELS).describe('Headings above the passage, outermost first.'),
  url: Uri.describe('Page of the capsule, at the section of the passage.'),
});
export type ResultPassage = z.infer<typeof ResultPassage>;

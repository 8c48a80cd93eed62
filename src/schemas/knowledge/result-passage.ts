import * as z from 'zod';
import { Uri } from '../primitives.ts';

/** A range of a text in UTF-16 code units, as in JavaScript's `slice`; `end` is exclusive. */
export const Range = z.object({
  start: z.int().min(0).describe('Start offset, in UTF-16 code units.'),
  end: z.int().min(0).describe('End offset, exclusive.'),
});

/** Marks a text that is not whole sentences, rows and lines. */
export const cut = z
  .object({
    start: z.literal(true).optional().describe('The text begins within a sentence.'),
    end: z.literal(true).optional().describe('The text ends within a sentence.'),
  })
  .optional()
  .describe('Where the text begins or ends within a sentence; absent if it does neither.');

/** Levels of headings in markdown. */
const HEADING_LEVELS = 6;

/** A passage of a capsule. */
export const ResultPassage = Range.extend({
  text: z.string().describe('markdown.slice(start, end), as in quote.'),
  cut,
  headings: z.array(z.string()).max(HEADING_LEVELS).describe('Headings above the passage, outermost first.'),
  url: Uri.describe('Page of the capsule, at the section of the passage.'),
});
export type ResultPassage = z.infer<typeof ResultPassage>;

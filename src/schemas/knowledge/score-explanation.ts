import * as z from 'zod';

const ReadAs = z.string().min(1).optional().describe('Corrected word, if no capsule contains the word as written.');

const FieldCount = z.int().min(1).optional();

/** A part of a score. */
export const ScorePart = z
  .object({
    kind: z
      .enum(['term', 'expansion', 'pair', 'name', 'neighbours', 'prior'])
      .describe(
        'term: the capsule contains a word of the query; expansion: it lacks the word, but similar capsules contain it; pair: two words are adjacent in the query and in the capsule; name: the capsule has or defines the name that the query has; neighbours: how well similar capsules match, relative to the average for this query; prior: what its kind adds or takes, or that another capsule has replaced it.',
      ),
    points: z.int().describe('Contribution to the score; negative for some priors, and if similar capsules match less than average.'),
    words: z
      .array(z.object({ word: z.string().min(1).describe('The word as written in the query.'), read_as: ReadAs }))
      .optional()
      .describe('Query words of the part; two or more for a pair, all of a name. Absent for neighbours and prior.'),
    terms: z.array(z.string()).optional().describe('The same words as indexed: normalized and stemmed.'),
    weight: z
      .int()
      .min(1)
      .optional()
      .describe('Weight of one level, higher for rarer terms (inverse document frequency). For term, expansion and name.'),
    level: z
      .int()
      .min(1)
      .optional()
      .describe('Relevance of the term in the capsule, from 1; points are weight times level. For term, expansion and name.'),
    fields: z
      .object({
        title: FieldCount.describe('In the title.'),
        headings: FieldCount.describe('In headings.'),
        tags: FieldCount.describe('In tags.'),
        summary: FieldCount.describe('In the summary.'),
        body: FieldCount.describe('In the body.'),
      })
      .optional()
      .describe('Frequency of the term in each part of the capsule; the body includes headings. For term.'),
  })
  .describe('A part of a score.');
export type ScorePart = z.infer<typeof ScorePart>;

/** Explanation of a score. */
export const Explanation = z
  .object({ parts: z.array(ScorePart).describe('Parts of the score; their points sum up to it exactly.') })
  .describe('Explanation of a score.');
export type Explanation = z.infer<typeof Explanation>;

import * as z from 'zod';
import { LIMITS } from '../limits.ts';

/** Members of a capsule that a query counts. */
export const FACET_NAMES = ['type', 'tags', 'language', 'license', 'evidence', 'status'] as const;

/** One of {@link FACET_NAMES}. */
export const FacetName = z.enum(FACET_NAMES);
export type FacetName = z.infer<typeof FacetName>;

const FacetValues = z
  .array(
    z.object({
      value: z.string().describe('Value of the member.'),
      count: z.int().min(1).describe('How many of all capsules found have it.'),
    }),
  )
  .max(LIMITS.facetValuesMax);

/** Values of the members that were asked for. */
export const Facets = z.object({
  type: FacetValues.optional().describe('Kinds.'),
  tags: FacetValues.optional().describe('Subjects; a capsule counts once for each of its own.'),
  language: FacetValues.optional().describe('Languages.'),
  license: FacetValues.optional().describe('Licences.'),
  evidence: FacetValues.optional().describe('Evidence levels.'),
  status: FacetValues.optional().describe('States.'),
});
export type Facets = z.infer<typeof Facets>;

const ReadAs = z.string().optional().describe('What the word was taken for, if no capsule has it as it was written.');

const FieldCount = z.int().min(1).optional();

/** A part of a score. */
export const ScorePart = z.object({
  kind: z
    .enum(['term', 'expansion', 'pair', 'neighbours'])
    .describe(
      'term: the capsule has a word of the query; expansion: it lacks the word, and capsules near to it have it; pair: two words are neighbours in the query and in the capsule; neighbours: how well capsules near to it match, against what is usual for this query.',
    ),
  points: z.int().describe('What the part adds to the score; below 0 only where capsules near to it match less than usual.'),
  words: z
    .array(z.object({ word: z.string().describe('The word as it stands in the query.'), read_as: ReadAs }))
    .optional()
    .describe('Words of the query that the part is about; two or more for a pair. Absent for neighbours.'),
  terms: z.array(z.string()).optional().describe('The same as the index has them: folded, and cut to their stems.'),
  weight: z
    .int()
    .min(1)
    .optional()
    .describe('How much one level counts, the more the fewer capsules have the term (inverse document frequency). For term and expansion.'),
  level: z
    .int()
    .min(1)
    .optional()
    .describe('How strongly the capsule is about the term, from 1; points are weight times level. For term and expansion.'),
  fields: z
    .object({ title: FieldCount, headings: FieldCount, tags: FieldCount, summary: FieldCount, body: FieldCount })
    .optional()
    .describe('How often each part of the capsule has the term; the body includes headings. For term.'),
});
export type ScorePart = z.infer<typeof ScorePart>;

/** How a score came about. */
export const Explanation = z.object({ parts: z.array(ScorePart).describe('Parts of the score; their points add up to it exactly.') });
export type Explanation = z.infer<typeof Explanation>;

/** What became of the words of a query. */
export const Interpretation = z.object({
  corrected: z
    .array(
      z.object({ word: z.string().describe('The word as it stands in the query.'), read_as: z.string().describe('Word of the corpus.') }),
    )
    .describe('Words that no capsule has, and the nearest word that was searched for in their place.'),
  unknown: z.array(z.string()).describe('Words that no capsule has, and nothing near to them; they were left out.'),
  ignored: z.array(z.string()).describe('Words without a subject of their own, such as "the"; they were left out.'),
  skipped: z.array(z.string()).describe('Words so frequent in a large corpus that the bounds of one query left no room for them.'),
});
export type Interpretation = z.infer<typeof Interpretation>;

/** A fact about a query that found nothing. */
export const Suggestion = z.object({
  kind: z
    .enum(['other_words', 'fewer_conditions', 'only_stop_words'])
    .describe(
      'other_words: the query with words that the corpus has; fewer_conditions: the same query without some conditions; only_stop_words: the query has no word that is searched for.',
    ),
  query: z.string().optional().describe('The query with other words. For other_words.'),
  without: z.array(z.string()).optional().describe('Pointers to the conditions that are left out. For fewer_conditions.'),
  total: z.int().min(1).optional().describe('How many capsules the changed request finds.'),
});
export type Suggestion = z.infer<typeof Suggestion>;

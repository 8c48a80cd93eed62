import * as z from 'zod';
import { ContentDate, HttpsUri, Id } from '../primitives.ts';
import { EVIDENCE_LEVELS } from './kinds-and-levels.ts';

export const CapsuleType = z.enum(['concept', 'protocol', 'practice', 'comparison', 'measurement', 'reference']);
export type CapsuleType = z.infer<typeof CapsuleType>;

export const Evidence = z.enum(EVIDENCE_LEVELS);
export type Evidence = z.infer<typeof Evidence>;

export const SourceKind = z.enum([
  ...['standard', 'specification', 'documentation', 'source_code', 'paper', 'article'],
  ...['dataset', 'book', 'law', 'web_page', 'own_record', 'personal_communication'],
] as const);
export type SourceKind = z.infer<typeof SourceKind>;

export function line(min: number, max: number): z.ZodString {
  return z
    .string()
    .min(min, min === 1 ? 'has no value; write one' : `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
    .regex(/^[^\r\n]*$/, 'must be on one line');
}

export const Author = z.strictObject({
  type: z.enum(['Person', 'Organization', 'SoftwareAgent']).describe('Kind of author.'),
  name: line(2, 120).describe('Name of the author.'),
});
export type Author = z.infer<typeof Author>;

/** Bounds of front matter; what a publisher demands beyond them are the rules of `editorial`. */
export const FRONT_MATTER_MAX = {
  title: 200,
  summary: 600,
  tags: 30,
  /** Characters of a tag as it is written. */
  tag: 100,
  questions: 20,
  question: 200,
  relations: 60,
  sources: 60,
  sourceTitle: 200,
  sourcePublisher: 120,
  sourceQuote: 500,
  sourceLocator: 120,
  preview: 5_000,
} as const;

export const CapsuleSource = z.strictObject({
  key: Id.describe('Name of the source within the capsule, whose text cites it as [^key].'),
  title: line(3, FRONT_MATTER_MAX.sourceTitle).describe('Title of the source.'),
  url: HttpsUri.describe('URL of the source.'),
  publisher: line(2, FRONT_MATTER_MAX.sourcePublisher).describe('Publisher of the source.'),
  kind: SourceKind.describe('Kind of the source.'),
  retrieved: ContentDate.optional().describe(
    'Day on which the source was read; absent for a numbered standard cited by its canonical URL.',
  ),
  quote: line(3, FRONT_MATTER_MAX.sourceQuote).optional().describe('Sentence of the source that supports the text, word for word.'),
  locator: line(1, FRONT_MATTER_MAX.sourceLocator).optional().describe('Place in the source, such as a section or a page.'),
});
export type CapsuleSource = z.infer<typeof CapsuleSource>;

export function questionList(question: z.ZodType<string>) {
  return z
    .array(question)
    .max(FRONT_MATTER_MAX.questions, `must have at most ${FRONT_MATTER_MAX.questions} questions`)
    .superRefine((list, context) => {
      for (const [at, text] of list.entries())
        if (list.indexOf(text) < at) context.addIssue({ code: 'custom', path: [at], message: 'repeats a question; write it once' });
    });
}

/** Fields of front matter that are published as they are written. */
export const CAPSULE_FIELDS = {
  title: line(1, FRONT_MATTER_MAX.title).describe('A claim or a name.'),
  summary: line(1, FRONT_MATTER_MAX.summary).describe('The claim in one sentence that stands alone.'),
  tags: z
    .array(Id)
    .max(FRONT_MATTER_MAX.tags, `must name at most ${FRONT_MATTER_MAX.tags} tags`)
    .default([])
    .describe('Tags: the subjects.'),
  questions: questionList(line(3, FRONT_MATTER_MAX.question))
    .default([])
    .describe('Questions that the text answers, in the words of people who ask.'),
  derived_from: z.array(Id).max(FRONT_MATTER_MAX.relations).default([]).describe('Ids of published capsules that it is derived from.'),
  cites: z.array(Id).max(FRONT_MATTER_MAX.relations).default([]).describe('Ids of published capsules that it cites.'),
  supersedes: z
    .array(z.strictObject({ capsule: Id, reason: line(10, 300) }))
    .max(5)
    .default([]),
  sources: z
    .array(CapsuleSource)
    .max(FRONT_MATTER_MAX.sources, `must name at most ${FRONT_MATTER_MAX.sources} sources`)
    .default([])
    .describe('Sources of the text, which cites each of them.'),
} as const;

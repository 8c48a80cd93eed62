import * as z from 'zod';
import { Id } from './primitives.ts';

/** What promises are about, in the order of their page. */
export const PROMISE_SUBJECTS = ['answers', 'proofs', 'keys', 'proposals', 'failures', 'commerce', 'pages'] as const;

/** A test that shows a promise: where it stands, and words of its name. */
const PromiseTest = z.object({
  file: z.string().describe('File in the source of the software.'),
  name: z.string().describe('Words that the name of the test holds.'),
});

/** Something that this software promises, and how anybody can see whether it is kept. */
export const PublishedPromise = z.object({
  id: Id.describe('Permanent name.'),
  subject: z.enum(PROMISE_SUBJECTS).describe('What it is about.'),
  promise: z.string().describe('The promise, in a sentence.'),
  bound: z
    .object({ value: z.number().describe('The number.'), unit: z.string().describe('What is counted.') })
    .optional()
    .describe('The number that the promise names, where it names one; taken from the constant that the program itself uses.'),
  command: z.string().describe('Command that checks it, in a copy of the source.'),
  tests: z.array(PromiseTest).describe('Tests that show it.'),
  applies_to: z.enum(['edge', 'static', 'both']).describe('Kind of deployment: with functions, of files alone, or both.'),
});
export type PublishedPromise = z.infer<typeof PublishedPromise>;

/** `/promises.json`. */
export const Promises = z.object({
  page: z.string().describe('Page that shows the same list to people.'),
  promises: z.array(PublishedPromise).describe('Promises that hold for this deployment.'),
});
export type Promises = z.infer<typeof Promises>;

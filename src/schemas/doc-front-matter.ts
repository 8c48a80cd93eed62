import * as z from 'zod';
import { ContentDate } from './primitives.ts';

/** Where a page of `content/docs` belongs: `guide` and `reference` are under /docs/, `policy` pages stand at the top level. */
const DocSection = z.enum(['guide', 'reference', 'policy']);

/** Front matter of `content/docs/<id>.md`. */
export const DocFrontMatter = z.strictObject({
  title: z.string().min(3).max(90),
  description: z.string().min(50).max(200),
  section: DocSection,
  order: z.int().min(0).max(999).default(100),
  /** True for a page about the API: a frontend-only site leaves it out. */
  edge: z.boolean().default(false),
  updated: ContentDate,
});
export type DocFrontMatter = z.infer<typeof DocFrontMatter>;

/** Front matter of `content/decisions/<number>-<name>.md`. */
export const DecisionFrontMatter = z.strictObject({
  title: z.string().min(5).max(120),
  status: z.enum(['accepted', 'superseded']),
  date: ContentDate,
});
export type DecisionFrontMatter = z.infer<typeof DecisionFrontMatter>;

import * as z from 'zod';
import { ContentDate } from './primitives.ts';

/** Front matter of `content/pages/<id>.md`, a page of the publisher at `/<id>`. */
export const PageFrontMatter = z.strictObject({
  title: z.string().min(3).max(90),
  description: z.string().min(50).max(200),
  /** Position in the footer, ascending. */
  order: z.int().min(0).max(999).default(100),
  updated: ContentDate,
});
export type PageFrontMatter = z.infer<typeof PageFrontMatter>;

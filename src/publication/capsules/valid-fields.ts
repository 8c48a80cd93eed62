import * as z from 'zod';
import { CapsuleFrontMatter, writtenSources } from '../../schemas/knowledge/capsule-front-matter.ts';
import { ContentDate, Id } from '../../schemas/primitives.ts';

/** What the checks need of sources with other mistakes. */
const SourceList = writtenSources(z.array(z.object({ key: Id, retrieved: ContentDate.optional().catch(undefined) })));

/** The fields that one capsule is checked by; those that are unknown are absent. */
export type CheckedFields = Partial<
  Pick<
    CapsuleFrontMatter,
    'title' | 'summary' | 'tags' | 'version' | 'created' | 'updated' | 'access' | 'price_usd' | 'draft' | 'retracted'
  > & {
    readonly sources: z.infer<typeof SourceList>;
  }
>;

/** The valid fields of front matter that has mistakes; none if it is not an object. */
export function validFields(frontMatter: unknown): CheckedFields {
  if (typeof frontMatter !== 'object' || frontMatter === null || Array.isArray(frontMatter)) return {};
  const shape = { ...CapsuleFrontMatter.shape, sources: SourceList };
  return Object.fromEntries(
    Object.entries(shape).flatMap(([name, schema]) => {
      const { success, data } = schema.safeParse((frontMatter as Readonly<Record<string, unknown>>)[name]);
      return success ? [[name, data]] : [];
    }),
  );
}

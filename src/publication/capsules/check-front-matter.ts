import type { Editorial, RangeRule } from '../../schemas/editorial.ts';
import type { CapsuleFrontMatter } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { ContentLevel } from '../content-problem.ts';
import { levelOf } from '../lint/check-text.ts';

/** A finding of a house rule about front matter. */
export interface FieldRuleFinding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly level: ContentLevel;
}

/** Fields that have defaults and must be written if `complete_front_matter` is on, in the order of messages. */
const COMPLETE = ['title', 'summary', 'type', 'tags', 'version', 'evidence', 'license', 'created', 'updated', 'sources'] as const;

/**
 * Checks front matter by the house rules of a publication.
 *
 * @param data Front matter with its defaults; unknown fields are not checked.
 * @param written Names of the fields that are in the file; `undefined` if it could not be read.
 */
export function checkFrontMatter(
  data: Partial<Pick<CapsuleFrontMatter, 'title' | 'summary' | 'tags'> & { readonly sources: readonly unknown[] }>,
  written: ReadonlySet<string> | undefined,
  editorial: Editorial,
): FieldRuleFinding[] {
  const findings: FieldRuleFinding[] = [];
  const complete = levelOf(editorial.complete_front_matter);
  const missing = complete === undefined || written === undefined ? [] : COMPLETE.filter((name) => !written.has(name));
  if (complete !== undefined) for (const name of missing) findings.push({ path: [name], message: 'is missing', level: complete });
  const count = (
    field: keyof typeof data,
    { level, min, max }: RangeRule,
    size: number | undefined,
    describe: (size: number) => string,
  ): void => {
    const problemLevel = levelOf(level);
    if (problemLevel === undefined || size === undefined || (size >= min && size <= max) || missing.some((name) => name === field)) return;
    findings.push({ path: [field], message: describe(size), level: problemLevel });
  };
  const { title_length, summary_length, tags, sources } = editorial;
  const bounds = ({ min, max }: RangeRule): string => `${min} to ${max}`;
  count('title', title_length, data.title?.length, (size) => `has ${size} characters; write ${bounds(title_length)}`);
  count('summary', summary_length, data.summary?.length, (size) => `has ${size} characters; write ${bounds(summary_length)}`);
  count('tags', tags, data.tags?.length, (size) => `names ${size} ${size === 1 ? 'tag' : 'tags'}; name ${bounds(tags)}`);
  count('sources', sources, data.sources?.length, (size) => `names ${size} ${size === 1 ? 'source' : 'sources'}; name ${bounds(sources)}`);
  return findings;
}

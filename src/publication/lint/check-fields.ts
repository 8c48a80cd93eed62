import type { Editorial, RangeRule } from '../../schemas/editorial.ts';
import type { ContentLevel } from '../content-problem.ts';
import { levelOf } from './check-text.ts';

/** A finding of a house rule about front matter. */
export interface FieldRuleFinding {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly level: ContentLevel;
}

/** How much a field contains, and the rule for it. */
interface FieldSize {
  readonly field: string;
  readonly rule: RangeRule;
  /** Characters of a text, items of a list; a field of unknown size is not checked. */
  readonly size: number | undefined;
  /** Name of an item, with its plural; a text has characters. */
  readonly item?: readonly [one: string, many: string];
}

/** What the house rules demand of the front matter of a text. */
export interface FieldRules {
  /** Fields that have defaults and must be written if `complete_front_matter` is on, in the order of messages. */
  readonly complete: readonly string[];
  readonly sizes: readonly FieldSize[];
}

/**
 * Checks front matter by the house rules of a publication.
 *
 * @param written Names of the fields that are in the file; `undefined` if it could not be read.
 */
export function checkFields(
  { complete, sizes }: FieldRules,
  written: ReadonlySet<string> | undefined,
  { complete_front_matter }: Pick<Editorial, 'complete_front_matter'>,
): FieldRuleFinding[] {
  const completeLevel = levelOf(complete_front_matter);
  const missing = completeLevel === undefined || written === undefined ? [] : complete.filter((name) => !written.has(name));
  return [
    ...missing.map((name) => ({ path: [name], message: 'is missing', level: completeLevel ?? 'error' })),
    ...sizes.flatMap(({ field, rule: { level, min, max }, size, item }) => {
      const sizeLevel = levelOf(level);
      if (sizeLevel === undefined || size === undefined || (size >= min && size <= max) || missing.includes(field)) return [];
      const message =
        item === undefined
          ? `has ${size} characters; write ${min} to ${max}`
          : `names ${size} ${item[size === 1 ? 0 : 1]}; name ${min} to ${max}`;
      return [{ path: [field], message, level: sizeLevel }];
    }),
  ];
}

import * as z from 'zod';

/** Effect of a text that breaks a house rule: nothing, a warning, or an error that stops the build. */
export const RuleLevel = z.enum(['off', 'warn', 'error']);
export type RuleLevel = z.infer<typeof RuleLevel>;

/** An error stops every build; a gap, a place that a template left for the author, stops a build for publishing; a warning is only shown. */
export type ContentLevel = 'error' | 'gap' | 'warning';

export interface RangeRule {
  readonly level: RuleLevel;
  readonly min: number;
  readonly max: number;
}

function rule(byDefault: RuleLevel = 'off'): z.ZodDefault<typeof RuleLevel> {
  return RuleLevel.default(byDefault);
}

function range(min: number, max: number) {
  const bound = z.int().min(0).max(1_000_000);
  const settings = z
    .strictObject({ level: RuleLevel.default('error'), min: bound.default(min), max: bound.default(max) })
    .refine((bounds) => bounds.min <= bounds.max, { error: 'must not be above max', path: ['min'] });
  return z
    .preprocess((value) => (typeof value === 'string' ? { level: value } : value), settings)
    .default({ level: 'off', min, max } satisfies RangeRule);
}

/** `editorial` in publisher.yaml: the house rules of a publication, all off but four that report what most authors want to know, as warnings. */
export const Editorial = z.strictObject({
  words: range(200, 900),
  page_words: range(30, 4_000),
  offer_words: range(40, 4_000),
  title_length: range(8, 110),
  summary_length: range(60, 280),
  description_length: range(50, 200),
  offer_summary_length: range(40, 240),
  offer_features: range(2, 8),
  tags: range(2, 6),
  sources: range(1, 8),
  cited_sources: rule(),
  complete_front_matter: rule(),
  heading_levels: rule(),
  code_languages: rule(),
  html: rule(),
  images: rule(),
  footnotes: rule(),
  https_links: rule(),
  address_links: rule(),
  broken_links: rule('warn'),
  unknown_fields: rule('warn'),
  hidden_characters: rule('warn'),
  instructions: rule('warn'),
});
export type Editorial = z.infer<typeof Editorial>;

/** The same rules for a draft: what they refuse elsewhere is a warning, because nothing of it is published. */
export function draftEditorial(editorial: Editorial): Editorial {
  const soften = (setting: RuleLevel | RangeRule): RuleLevel | RangeRule =>
    typeof setting === 'object' ? { ...setting, level: soften(setting.level) as RuleLevel } : setting === 'error' ? 'warn' : setting;
  return Editorial.parse(Object.fromEntries(Object.entries(editorial).map(([name, setting]) => [name, soften(setting)])));
}

export const DEFAULT_EDITORIAL: Editorial = Editorial.parse({});

export const TEXT_RULES = [
  'cited_sources',
  'heading_levels',
  'code_languages',
  'html',
  'images',
  'footnotes',
  'https_links',
  'address_links',
  'broken_links',
  'hidden_characters',
  'instructions',
] as const satisfies readonly (keyof Editorial)[];
export type TextRule = (typeof TEXT_RULES)[number];

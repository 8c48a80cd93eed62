import type { CapsuleFrontMatter } from '../schemas/capsule-front-matter.ts';
import { checkText } from './check-text.ts';
import type { ContentProblem } from './content-problem.ts';
import { compareVersions } from './frozen-versions.ts';
import type { ParsedFile } from './front-matter.ts';

/** Fewest and most words of a capsule's text. */
export const CAPSULE_WORDS = { min: 200, max: 900 } as const;

/** What a capsule is held against. */
interface CapsuleRules {
  readonly linkExists: (path: string) => boolean;
  /** `YYYY-MM-DD`; dates after it are refused. */
  readonly today: string;
  /** Newest frozen version of the capsule, if there is one. */
  readonly newestFrozen: string | undefined;
}

/** Checks one capsule by itself: text, sources, dates, access and version. */
export function checkCapsule(
  path: string,
  file: ParsedFile<CapsuleFrontMatter>,
  { linkExists, today, newestFrozen }: CapsuleRules,
): ContentProblem[] {
  const problems: ContentProblem[] = [];
  const { data, body, bodyLine, lineOf } = file;
  const report = (field: readonly PropertyKey[], message: string): void =>
    void problems.push({ file: path, line: lineOf(field), field: field.join('.'), message });
  const sourceKeys = data.sources.map(({ key }) => key);
  for (const [index, key] of sourceKeys.entries())
    if (sourceKeys.indexOf(key) !== index) report(['sources', index, 'key'], `"${key}" names two sources`);
  const rules = { minWords: CAPSULE_WORDS.min, maxWords: CAPSULE_WORDS.max, sourceKeys, linkExists };
  for (const finding of checkText(body, rules))
    problems.push({ file: path, line: bodyLine + finding.line - 1, field: 'text', message: finding.message });
  const dates: [readonly PropertyKey[], string | undefined][] = [
    [['created'], data.created],
    [['updated'], data.updated],
    [['retracted', 'date'], data.retracted?.date],
    ...data.sources.map(({ retrieved }, index): [PropertyKey[], string | undefined] => [['sources', index, 'retrieved'], retrieved]),
  ];
  for (const [field, date] of dates) if (date !== undefined && date > today) report(field, `${date} is in the future`);
  if (data.updated < data.created) report(['updated'], `${data.updated} is before the day of creation, ${data.created}`);
  if (data.access === 'paid')
    report(['access'], 'is "paid", but no way to pay for a capsule is configured, so its text could not be sold; use "public"');
  if (newestFrozen !== undefined && compareVersions(data.version, newestFrozen) <= 0)
    report(['version'], `${data.version} must be above ${newestFrozen}, the newest frozen version`);
  return problems;
}

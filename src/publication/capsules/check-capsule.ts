import { checkAuthored } from '../lint/check-authored.ts';
import type { CapsuleFrontMatter } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { ContentProblem } from '../content-problem.ts';
import { compareVersions } from './frozen-versions.ts';
import type { ParsedFile } from '../front-matter.ts';

/** What a capsule is held against. */
interface CapsuleRules {
  readonly linkExists: (path: string) => boolean;
  /** `YYYY-MM-DD`; dates after it are refused. */
  readonly today: string;
  /** Newest frozen version of the capsule, if there is one. */
  readonly newestFrozen: string | undefined;
  /** A frozen version that was free to read, if there is one. */
  readonly freeVersion: string | undefined;
  /** Whether its text and sources were checked already. */
  readonly isTextChecked: boolean;
}

/** Checks one capsule by itself: text, sources, dates, access and version. */
export function checkCapsule(
  path: string,
  file: ParsedFile<CapsuleFrontMatter>,
  { linkExists, today, newestFrozen, freeVersion, isTextChecked }: CapsuleRules,
): ContentProblem[] {
  const problems: ContentProblem[] = [];
  const { data, body, bodyLine, lineOf } = file;
  const report = (field: readonly PropertyKey[], message: string): void =>
    void problems.push({ file: path, line: lineOf(field), field: field.join('.'), message });
  const authored = isTextChecked ? [] : checkAuthored({ sources: data.sources, markdown: body }, { linkExists, today });
  for (const { path: field, line, message } of authored) {
    if (line === undefined) report(field, message);
    else problems.push({ file: path, line: bodyLine + line - 1, field: 'text', message });
  }
  const dates: [readonly PropertyKey[], string | undefined][] = [
    [['created'], data.created],
    [['updated'], data.updated],
    [['retracted', 'date'], data.retracted?.date],
  ];
  for (const [field, date] of dates) if (date !== undefined && date > today) report(field, `${date} is in the future`);
  if (data.updated < data.created) report(['updated'], `${data.updated} is before the day of creation, ${data.created}`);
  if (data.access === 'paid' && data.price_usd === undefined)
    report(['price_usd'], 'is missing; a paid capsule says what its text costs in dollars, such as 0.05');
  if (data.access === 'public' && data.price_usd !== undefined)
    report(['price_usd'], 'is the price of a paid capsule; set "access: paid", or leave it out');
  if (data.access === 'paid' && freeVersion !== undefined)
    report(['access'], `is "paid", but version ${freeVersion} was published as free; sell another capsule, which may be derived from it`);
  if (newestFrozen !== undefined && compareVersions(data.version, newestFrozen) <= 0)
    report(['version'], `${data.version} must be above ${newestFrozen}, the newest frozen version`);
  return problems;
}

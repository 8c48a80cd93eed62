import type { ContentLevel, Editorial } from '../../schemas/editorial-rules.ts';
import type { CapsuleFrontMatter } from '../../schemas/knowledge/capsule-front-matter.ts';
import type { TranslatableText } from '../../schemas/knowledge/translations.ts';
import { compareVersions } from '../../schemas/primitives.ts';
import { checkFields, checkSources, type FieldRules } from '../../text/check/check-text.ts';
import { type ContentProblem, type FileFinding, fieldProblem } from '../content-problem.ts';
import type { ParsedFile } from '../read/front-matter.ts';
import type { CheckedFields } from '../read/read-text-file.ts';

interface CapsuleRules {
  /** `YYYY-MM-DD`; later dates are mistakes. */
  readonly today: string;
  readonly newestFrozen: string | undefined;
  /** A frozen version that was free to read. */
  readonly freeVersion: string | undefined;
  readonly editorial: Editorial;
  /** Fields that are in the file; `undefined` if they could not be read. */
  readonly written: ReadonlySet<string> | undefined;
}

export function checkCapsule(
  path: string,
  { data, lineOf }: ParsedFile<CheckedFields>,
  { today, newestFrozen, freeVersion, editorial, written }: CapsuleRules,
): ContentProblem[] {
  const problems: ContentProblem[] = [];
  const report = (field: readonly PropertyKey[], message: string, level: ContentLevel = 'error'): void =>
    void problems.push(fieldProblem(path, lineOf, { path: field, message, level }));
  for (const { path: field, message } of checkSources(data.sources, today)) report(field, message);
  for (const { path: field, message, level } of checkFields(fieldRules(data, editorial), written, editorial)) report(field, message, level);
  const dates: [readonly PropertyKey[], string | undefined][] = [
    [['created'], data.created],
    [['updated'], data.updated],
    [['retracted', 'date'], data.retracted?.date],
  ];
  for (const [field, date] of dates)
    if (date !== undefined && date > today) report(field, `${date} is in the future; use a date until today`);
  if (data.updated !== undefined && data.created !== undefined && data.updated < data.created)
    report(['updated'], `${data.updated} must not be before created, ${data.created}`);
  const others = data.prices && Object.keys(data.prices).length;
  if (data.access === 'paid' && data.price_usd === undefined && others === 0)
    report(['price_usd'], 'is missing; a paid capsule needs a price in dollars, such as 0.05');
  for (const [field, isGiven] of Object.entries({
    price_usd: data.price_usd !== undefined,
    prices: others !== undefined && others > 0,
    preview: data.preview !== undefined,
  }))
    if (data.access === 'public' && isGiven) report([field], 'is only for a paid capsule; set "access: paid", or delete it');
  if (data.access === 'paid' && freeVersion !== undefined)
    report(
      ['access'],
      `must stay "public", because version ${freeVersion} was published for free; sell another capsule, which may derive from it`,
    );
  if (newestFrozen !== undefined && data.version !== undefined && compareVersions(data.version, newestFrozen) <= 0)
    report(['version'], `must be above ${newestFrozen}, the newest frozen version`);
  return problems;
}

function fieldRules({ title, summary, tags, sources }: CheckedFields, editorial: Editorial): FieldRules {
  return {
    complete: ['title', 'summary', 'type', 'tags', 'version', 'evidence', 'license', 'created', 'updated', 'sources'],
    sizes: [
      { field: 'title', rule: editorial.title_length, size: title?.length },
      { field: 'summary', rule: editorial.summary_length, size: summary?.length },
      { field: 'tags', rule: editorial.tags, size: tags?.length, item: ['tag', 'tags'] },
      { field: 'sources', rule: editorial.sources, size: sources?.length, item: ['source', 'sources'] },
    ],
  };
}

/** Of a capsule with mistakes, `draft` and `access` may be unknown. */
export type Relations = Pick<CapsuleFrontMatter, 'derived_from' | 'cites' | 'supersedes' | 'translation_of'> &
  Partial<Pick<CapsuleFrontMatter, 'draft' | 'access'>>;

interface RelatedTexts {
  readonly capsules: ReadonlyMap<string, Relations>;
  /** Other ids that exist. */
  readonly unread: readonly string[];
  readonly presentIdOf?: ReadonlyMap<string, string>;
  readonly wasPublished?: (id: string) => boolean;
}

/** Checks that every relation names another published capsule, none twice, and that there is no cycle. */
export function checkLineage(texts: RelatedTexts): FileFinding[] {
  const { capsules } = texts;
  const findings: FileFinding[] = [];
  const supersededBy = new Map<string, string>();
  for (const [id, relations] of capsules) {
    for (const { path, target } of targetsOf(relations)) {
      const report = (message: string): void => void findings.push({ id, path, message });
      const mistake = mistakeInRelation({ id, ...relations }, target, texts);
      if (mistake !== undefined) report(mistake);
      if (path[0] !== 'supersedes') continue;
      const other = supersededBy.get(target);
      if (other !== undefined) report(`supersedes "${target}", but "${other}" does already; only one capsule may`);
      supersededBy.set(target, id);
    }
    for (const field of ['derived_from', 'cites'] as const) {
      const repeated = relations[field].find((target, index) => relations[field].indexOf(target) !== index);
      if (repeated !== undefined) findings.push({ id, path: [field], message: `names "${repeated}" twice; delete one` });
    }
  }
  return [...findings, ...findCycles(capsules)];
}

function mistakeInRelation({ id, draft, access }: { id: string } & Relations, target: string, texts: RelatedTexts): string | undefined {
  const { capsules, unread, presentIdOf, wasPublished } = texts;
  if (target === id) return 'names the capsule itself; delete it';
  const found = capsules.get(target);
  const named = `names the capsule "${target}", which`;
  if (found === undefined) {
    if (presentIdOf?.has(target)) return `${named} is "${presentIdOf.get(target)}" now; write that`;
    if (unread.includes(target)) return undefined;
    if (wasPublished?.(target) !== true) return `${named} does not exist; check its spelling`;
    return `${named} was published, but content/capsules/${target}.md is missing; restore the file, since superseded and retracted capsules stay published (to remove one for good, restore it and run "npm run take-down ${target}")`;
  }
  if (found.draft && draft === false) return `${named} is a draft; publish it too, or delete the relation`;
  if (found.access !== 'paid' || access !== 'public') return undefined;
  return `${named} is paid and not published without payments; only a paid capsule may name a paid one`;
}

/** Checks that each translation names an original, in another language than its own, and that a text has one translation in each language. */
export function checkTranslations(texts: readonly TranslatableText[]): FileFinding[] {
  const byId = new Map(texts.map((text) => [text.id, text]));
  const taken = new Map<string, string>();
  return texts.flatMap(({ id, language, translation_of: original }) => {
    const found = original === undefined || original === id ? undefined : byId.get(original);
    if (found === undefined) return [];
    const finding = (message: string): FileFinding[] => [{ id, path: ['translation_of'], message: `names "${original}", ${message}` }];
    if (found.translation_of === id) return finding('which is a translation of this text; delete the field in the original');
    if (found.translation_of !== undefined)
      return finding(`which is itself a translation; write "translation_of: ${found.translation_of}"`);
    if (found.language.toLowerCase() === language.toLowerCase())
      return finding(`which is in the same language, ${language}; write the language of this text as "language", such as "language: de"`);
    const place = `${original} ${language.toLowerCase()}`;
    const other = taken.get(place);
    if (other !== undefined)
      return finding(`of which "${other}" is the translation into ${language} already; delete the field in one of them`);
    taken.set(place, id);
    return [];
  });
}

function targetsOf(relations: Relations): { path: PropertyKey[]; target: string }[] {
  return [
    ...relations.derived_from.map((target, index) => ({ path: ['derived_from', index], target })),
    ...relations.cites.map((target, index) => ({ path: ['cites', index], target })),
    ...relations.supersedes.map(({ capsule }, index) => ({ path: ['supersedes', index, 'capsule'], target: capsule })),
    ...(relations.translation_of === undefined ? [] : [{ path: ['translation_of'], target: relations.translation_of }]),
  ];
}

/** One mistake for each cycle of `derived_from` and `supersedes`; `cites` may have cycles. */
function findCycles(capsules: ReadonlyMap<string, Relations>): FileFinding[] {
  const findings: FileFinding[] = [];
  const done = new Set<string>();
  const enter = (id: string): { readonly id: string; readonly next: string[] } => {
    const { derived_from = [], supersedes = [] } = capsules.get(id) ?? {};
    return { id, next: [...derived_from, ...supersedes.map(({ capsule }) => capsule)].filter((target) => target !== id) };
  };
  for (const start of capsules.keys()) {
    const path = done.has(start) ? [] : [enter(start)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const target = top.next.shift();
      const seenAt = path.findIndex(({ id }) => id === target);
      if (target === undefined) {
        done.add(top.id);
        path.pop();
      } else if (seenAt >= 0) {
        const cycle = [...path.slice(seenAt).map(({ id }) => id), target];
        const field = capsules.get(top.id)?.derived_from.includes(target) ? 'derived_from' : 'supersedes';
        findings.push({ id: top.id, path: [field], message: `closes a cycle: ${cycle.join(' -> ')}` });
      } else if (!done.has(target)) path.push(enter(target));
    }
  }
  return findings;
}

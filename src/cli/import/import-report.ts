import { formatProblem, kindOf, VARIABLE } from '../../publication/content-problem.ts';
import { SECTIONS_FILE } from '../../publication/resolve/sections-subjects-incidents.ts';
import type { Grade } from './conversion-losses.ts';
import { type ImportNote, NOT_CONVERTED, type Source } from './import-source.ts';
import type { ImportPlan } from './plan-import.ts';

/** What became of files, from the root of the publication: `kept` are edited here, `conflicts` in the source too, `gone` are not in it. */
export interface ImportOutcome
  extends Readonly<Record<'created' | 'updated' | 'unchanged' | 'kept' | 'conflicts' | 'gone' | 'copied', string[]>> {
  /** What became of the order that a source gives its pages: none was found, written, as it was, left as the publication has it, or removed with it. */
  readonly sections: 'none' | 'written' | 'unchanged' | 'kept' | 'removed';
}

export interface FinishedImport {
  readonly source: Source;
  readonly plan: ImportPlan;
  readonly license: string | undefined;
  readonly ownLanguage: string;
  readonly isLanguageGiven: boolean;
  readonly outcome: ImportOutcome;
  readonly durationMs: number;
  readonly isDryRun: boolean;
}

export const REPORT_FILE = '.akg/import-report.md';

/** Most lines of a list on the terminal, and of kinds of one grade at the beginning of the report: all of them fit on a screen. */
const SHOWN_MAX = 4;
const KINDS_MAX = 12;

const PLACES_MAX = 50;

const GRADES: Readonly<Record<Grade, string>> = { lost: 'Lost', changed: 'Changed', look: 'To look at' };

const ORDER: Readonly<Partial<Record<ImportOutcome['sections'], readonly string[]>>> = {
  written: [`Order: as in the navigation of the source, in ${SECTIONS_FILE}.`],
  removed: [`Order: the source has none any more, and ${SECTIONS_FILE} is deleted.`],
  kept: [`Order: ${SECTIONS_FILE} stays as it is, although the navigation of the source differs (--force replaces it).`],
};

/** The lines of the report for the terminal: counts, and the beginning of what needs a hand. */
export function summaryLines(done: FinishedImport): string[] {
  const { source, plan, outcome, durationMs, isDryRun } = done;
  const imported = new Set(plan.capsules.map(({ page }) => page)).size;
  const copies = plan.copies.length;
  const empty = source.pages.length - imported - copies;
  const lines = [
    `${isDryRun ? 'Would import' : 'Imported'} ${count(imported, 'page')} (${source.generator}) in ${(durationMs / 1000).toFixed(1)} s${empty > 0 ? `, and left out ${count(empty, 'page')} without text` : ''}: ${outcome.created.length} new, ${outcome.updated.length} updated, ${outcome.unchanged.length} unchanged${outcome.kept.length > 0 ? `, ${outcome.kept.length} with edits of yours kept` : ''}.`,
    ...(outcome.copied.length > 0 ? [`${isDryRun ? 'Would copy' : 'Copied'} ${count(outcome.copied.length, 'file')}.`] : []),
    ...(copies === 0 ? [] : [`Not translated: ${count(copies, 'page')}; old addresses lead to the original.`]),
    ...(ORDER[outcome.sections] ?? []),
    licenseLine(done),
    ...languageLine(done),
  ];
  for (const [title, items] of sectionsOf(done, byKind)) {
    if (items.length === 0) continue;
    const more = items.length > SHOWN_MAX ? [`  … and ${items.length - SHOWN_MAX} more`] : [];
    lines.push('', `${title}:`, ...items.slice(0, SHOWN_MAX).map((item) => `  ${item}`), ...more);
  }
  return lines;
}

/** The whole report: what there is of each kind, the worst first, and then every place, by page and kind. */
export function reportMarkdown(done: FinishedImport): string {
  const { created, updated, kept } = done.outcome;
  const graded = Object.entries(GRADES).map(([grade, title]) => [title, notesOf(done.plan, grade)] as const);
  const kinds = graded.flatMap(([title, notes]) => listed(title, byKind(notes), { all: notes.length, most: KINDS_MAX }));
  const byPage = (notes: readonly ImportNote[]): string[] =>
    mostFrequent(notes, ({ path }) => path).flatMap(([path, own]) => ['', `### ${path}`, '', ...byPlace(own)]);
  const places = graded.flatMap(([title, notes]) => (notes.length === 0 ? [] : ['', `## ${title}, by page`, ...byPage(notes)]));
  const others = sectionsOf(done, () => []).flatMap(([title, items]) => listed(title, items));
  const copies = listed('Not translated; their addresses lead to the original', done.plan.copies);
  const files = [...copies, ...listed('New', created), ...listed('Updated', updated), ...listed('With edits of yours, kept', kept)];
  return `${[`# Import from ${done.source.from}`, '', summaryLines(done)[0], '', licenseLine(done), ...kinds, ...places, ...others, ...files].join('\n')}\n`;
}

/** What to do after an import. Drafts that their source does not hide need no hand: another import publishes them. */
export function nextStep({ plan }: FinishedImport): string {
  const drafts = plan.capsules.filter(({ fields }) => fields['draft'] === true);
  const all = drafts.some(({ page }) => !page.fields.isHidden) ? ', or import again with --publish to publish all of them' : '';
  return `Next: ${drafts.length === 0 ? '' : `read the drafts, remove "draft: true" from those that you publish${all}; then `}run "akg check".`;
}

function listed(title: string, items: readonly string[], { all = items.length, most = items.length } = {}): string[] {
  const more = items.length > most ? [`- … and ${items.length - most} more kinds`] : [];
  const lines = [...items.slice(0, most).map((item) => `- ${item}`), ...more];
  return items.length === 0 ? [] : ['', `## ${title} (${all.toLocaleString('en')})`, '', ...lines];
}

type Section = readonly [title: string, items: readonly string[]];

function sectionsOf({ source, plan, outcome }: FinishedImport, linesOf: (notes: readonly ImportNote[]) => string[]): Section[] {
  const unknown = source.pages.flatMap(({ fields }) => fields.unknown);
  return [
    ...Object.entries(GRADES).map(([grade, title]): Section => [title, linesOf(notesOf(plan, grade))]),
    ['Changed in the source and edited here; left as they are (--force takes the source)', outcome.conflicts],
    ['No longer in the source; delete them if you want', outcome.gone],
    ['Skipped', source.skipped.map(formatNote)],
    ['Fields without a meaning here, left out', mostFrequent(unknown).map(([name, all]) => `${name} (${count(all.length, 'page')})`)],
  ];
}

function mostFrequent<T>(items: readonly T[], keyOf = String as (item: T) => string): [key: string, items: T[]][] {
  return [...Map.groupBy(items, keyOf)].sort(([, a], [, b]) => b.length - a.length);
}

function licenseLine({ license, source }: FinishedImport): string {
  const found = source.license && `${source.license.id}, found in ${source.license.file} of the imported folder.`;
  const none =
    'none was found in the source, so the texts get the licence of content/publisher.yaml. If they are not yours, name their licence with --license.';
  return `Licence: ${license === undefined ? (found ?? none) : `${license}, as --license says.`}`;
}

/** From such a share of the texts on, another language than that of the publication is a mistake in its settings or of the theme. */
const OTHER_LANGUAGE_SHARE = 0.9;

function languageLine({ plan: { capsules }, isLanguageGiven, ownLanguage }: FinishedImport): string[] {
  const [[language = '', texts] = []] = mostFrequent(capsules, ({ fields }) => String(fields['language'] ?? ''));
  const isOther = language !== '' && language.split('-')[0] !== ownLanguage.split('-')[0];
  if (isLanguageGiven || !isOther || texts === undefined || texts.length < OTHER_LANGUAGE_SHARE * capsules.length) return [];
  const remedy = `write "language: ${language}" there, or import again with --language ${ownLanguage} if they are in that`;
  const which =
    texts.length === capsules.length ? 'all texts' : `${texts.length.toLocaleString('en')} of ${count(capsules.length, 'text')}`;
  return [
    `Language: ${which} are in "${language}", as their pages state or their letters show, but content/publisher.yaml has "${ownLanguage}"; ${remedy}.`,
  ];
}

function formatNote({ path, line, message }: ImportNote): string {
  return formatProblem({ file: path, line, field: '', message });
}

function notesOf({ notes }: ImportPlan, wanted: string): ImportNote[] {
  return notes.filter(({ grade = 'look' }) => grade === wanted);
}

/** Whether words or code of a page are missing in what it became, or a page could not be converted. */
export function hasLosses({ plan, source }: FinishedImport): boolean {
  return notesOf(plan, 'lost').length > 0 || source.skipped.some(({ message }) => message.startsWith(NOT_CONVERTED));
}

function byKind(notes: readonly ImportNote[]): string[] {
  return mostFrequent(notes, kindOf).flatMap(([, [first, ...others]]) => {
    const pages = new Set(others.map(({ path }) => path)).add(first?.path ?? '').size;
    const more = others.length === 0 ? '' : ` (and ${others.length.toLocaleString('en')} more like it, on ${count(pages, 'page')})`;
    return first === undefined ? [] : formatNote(first) + more;
  });
}

function byPlace(notes: readonly ImportNote[]): string[] {
  const placeOf = ({ path, line, message }: ImportNote): string => {
    const parts = (message.match(VARIABLE) ?? []).filter((part) => part !== path).map((part) => part.replace(/^: /, ''));
    return `${parts.join(' ')} (line ${line})`.trim();
  };
  return mostFrequent(notes, kindOf).flatMap(([kind, [first, ...others]]) =>
    first === undefined
      ? []
      : others.length === 0
        ? `- line ${first.line}: ${first.message}`
        : `- ${others.length + 1} × ${kind}: ${[first, ...others].slice(0, PLACES_MAX).map(placeOf).join(', ')}${others.length < PLACES_MAX ? '' : ', …'}`,
  );
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

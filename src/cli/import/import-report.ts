import { formatProblem } from '../../publication/content-problem.ts';
import { SECTIONS_FILE } from '../../publication/resolve/read-data-files.ts';
import type { Grade } from './compare-texts.ts';
import type { ConvertedPage } from './convert-page.ts';
import type { ImportPlan } from './plan-import.ts';
import { type ImportNote, NOT_CONVERTED, type Source } from './source-page.ts';
import type { ImportOutcome } from './write-import.ts';

export interface FinishedImport {
  readonly source: Source;
  readonly pages: readonly ConvertedPage[];
  readonly plan: ImportPlan;
  /** SPDX identifier that the user named for all texts. */
  readonly license: string | undefined;
  readonly outcome: ImportOutcome;
  readonly sectionsState: SectionsState;
  readonly durationMs: number;
  readonly isDryRun: boolean;
}

/** What became of the order that a source gives its pages: none was found, written, as it was, or left as the publication has it. */
export type SectionsState = 'none' | 'written' | 'unchanged' | 'kept';

/** Where the whole report is written, from the root of the publication. */
export const REPORT_FILE = '.akg/import-report.md';

/** Most lines of a list on the terminal: all of them fit on a screen. */
const SHOWN_MAX = 4;

const GRADES: Readonly<Record<Grade, string>> = { lost: 'Lost', changed: 'Changed', look: 'To look at' };

/** The lines of the report for the terminal: counts, and the beginning of what needs a hand. */
export function summaryLines(done: FinishedImport): string[] {
  const { pages, source, plan, outcome, durationMs, isDryRun } = done;
  const imported = new Set(plan.capsules.map(({ page }) => page)).size;
  const empty = pages.length - imported;
  const lines = [
    `${isDryRun ? 'Would import' : 'Imported'} ${count(imported, 'page')} (${source.generator}) in ${(durationMs / 1000).toFixed(1)} s${empty > 0 ? `, and left out ${count(empty, 'page')} without text` : ''}: ${outcome.created.length} new, ${outcome.updated.length} updated, ${outcome.unchanged.length} unchanged${outcome.kept.length > 0 ? `, ${outcome.kept.length} with edits of yours kept` : ''}.`,
    ...(outcome.images.copied.length > 0 ? [`${isDryRun ? 'Would copy' : 'Copied'} ${count(outcome.images.copied.length, 'file')}.`] : []),
    ...orderLine(done.sectionsState),
    licenseLine(done),
  ];
  for (const [title, items] of sectionsOf(done, groupedNotes))
    lines.push(
      '',
      `${title}:`,
      ...items.slice(0, SHOWN_MAX).map((item) => `  ${item}`),
      ...(items.length > SHOWN_MAX ? [`  … and ${items.length - SHOWN_MAX} more`] : []),
    );
  return lines;
}

export function reportMarkdown(done: FinishedImport): string {
  const { created, updated, kept } = done.outcome;
  const sections: Section[] = [
    ...sectionsOf(done, (notes) => notes.map(noteLine)),
    ...withItems([
      ['New', created],
      ['Updated', updated],
      ['With edits of yours, kept', kept],
    ]),
  ];
  const listed = sections.flatMap(([title, items]) => ['', `## ${title} (${items.length})`, '', ...items.map((item) => `- ${item}`)]);
  return `${[`# Import from ${done.source.from}`, '', summaryLines(done)[0], '', licenseLine(done), ...listed].join('\n')}\n`;
}

type Section = readonly [title: string, items: readonly string[]];

function sectionsOf({ source, pages, plan, outcome }: FinishedImport, linesOf: (notes: readonly ImportNote[]) => string[]): Section[] {
  return withItems([
    ...(Object.entries(GRADES) as [Grade, string][]).map(([grade, title]): Section => [title, linesOf(notesOf(plan, grade))]),
    [
      'Changed in the source and edited here; left as they are (--force takes the source)',
      [...outcome.conflicts, ...outcome.images.conflicts],
    ],
    ['No longer in the source; delete them if you want', outcome.gone],
    ['Skipped', source.skipped.map(noteLine)],
    ['Fields without a meaning here, left out', unknownFields(pages)],
  ]);
}

function withItems(sections: readonly Section[]): Section[] {
  return sections.filter(([, items]) => items.length > 0);
}

function orderLine(state: SectionsState): string[] {
  if (state === 'written') return [`Order: as in the navigation of the source, in ${SECTIONS_FILE}.`];
  return state === 'kept'
    ? [`Order: ${SECTIONS_FILE} stays as it is, although the navigation of the source differs (--force takes that of the source).`]
    : [];
}

function licenseLine({ license, source }: FinishedImport): string {
  if (license !== undefined) return `Licence: ${license}, as --license says.`;
  return source.license === undefined
    ? 'Licence: none was found in the source, so the texts get the licence of content/publisher.yaml. If they are not yours, name their licence with --license.'
    : `Licence: ${source.license.id}, found in ${source.license.file} of the imported folder.`;
}

function noteLine({ path, line, message }: { readonly path: string; readonly line: number; readonly message: string }): string {
  return formatProblem({ file: path, line, field: '', message });
}

function notesOf({ notes }: ImportPlan, grade: Grade): ImportNote[] {
  return notes.filter((note) => (note.grade ?? 'look') === grade);
}

/** Whether words or code of a page are missing in what it became, or a page could not be converted. */
export function hasLosses({ plan, source }: FinishedImport): boolean {
  return notesOf(plan, 'lost').length > 0 || source.skipped.some(({ message }) => message.startsWith(NOT_CONVERTED));
}

/** Notes with the same message as one line, with the first place and the number of places; the most frequent first. */
function groupedNotes(notes: readonly ImportNote[]): string[] {
  const groups = new Map<string, { first: string; count: number }>();
  for (const note of notes) {
    const group = groups.get(note.message);
    if (group) group.count += 1;
    else groups.set(note.message, { first: noteLine(note), count: 1 });
  }
  return [...groups.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ first, count: places }) => (places === 1 ? first : `${first} (and at ${places - 1} more)`));
}

function unknownFields(pages: readonly ConvertedPage[]): string[] {
  const counts = new Map<string, number>();
  for (const name of pages.flatMap(({ fields }) => fields.unknown)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, pagesWithIt]) => `${name} (${count(pagesWithIt, 'page')})`);
}

function count(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

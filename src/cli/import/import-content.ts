import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../publication/read/content-files.ts';
import { SECTIONS_FILE } from '../../publication/resolve/read-data-files.ts';
import { type ConvertedPage, convertPage } from './convert-page.ts';
import { type FinishedImport, REPORT_FILE, reportMarkdown, type SectionsState } from './import-report.ts';
import { readExisting } from './imported-files.ts';
import { type PlanOptions, planImport } from './plan-import.ts';
import { attempt, type Source } from './source-page.ts';
import { writeImport } from './write-import.ts';

export interface ImportOptions extends Omit<PlanOptions, 'ownLanguage' | 'onProgress'> {
  readonly root: string;
  readonly ownLanguage: string;
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Milliseconds of a clock that only runs forward. */
  readonly nowMs: () => number;
  /** Told what happens, and how many of how many pages it has happened to. */
  readonly onProgress?: (step: string, pages: number, total: number) => void;
}

/** Imports a source that was read: converts, compares with what is there, writes, and reports. */
export async function importContent(source: Source, options: ImportOptions): Promise<FinishedImport> {
  const startMs = options.nowMs();
  const pages: ConvertedPage[] = [];
  for (const [index, page] of source.pages.entries()) {
    if (index % 50 === 0) options.onProgress?.('Converting', index, source.pages.length);
    const converted = attempt(() => convertPage(page, { generator: source.generator, today: options.today }), page.path, source.skipped);
    if (converted !== undefined) pages.push(converted);
  }
  const existing = await readExisting(options.root, ['content/capsules', options.to], source.from);
  const plan = planImport(source, pages, existing, {
    ...options,
    onProgress: (done) => options.onProgress?.('Linking', done, source.pages.length),
  });
  const sectionsState = await writeSections(plan.sections, options);
  const outcome = await writeImport(plan, source, existing, options);
  const { license, isDryRun } = options;
  const done: FinishedImport = { source, pages, plan, license, outcome, sectionsState, durationMs: options.nowMs() - startMs, isDryRun };
  if (!isDryRun) await replaceFile(join(options.root, REPORT_FILE), reportMarkdown(done));
  return done;
}

async function writeSections(sections: string | undefined, { root, isForced, isDryRun }: ImportOptions): Promise<SectionsState> {
  if (sections === undefined) return 'none';
  const file = join(root, SECTIONS_FILE);
  const there = await readFile(file, 'utf8').catch(() => undefined);
  if (there === sections) return 'unchanged';
  if (there !== undefined && !isForced) return 'kept';
  if (!isDryRun) await replaceFile(file, sections);
  return 'written';
}

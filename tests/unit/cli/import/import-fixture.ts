import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { partText } from '../../../../src/cli/import/front-matter.ts';
import { type ImportOptions, importContent, openSource } from '../../../../src/cli/import/import-content.ts';
import type { FinishedImport } from '../../../../src/cli/import/import-report.ts';
import type { OpenOptions } from '../../../../src/cli/import/import-source.ts';
import { ROOT } from '../../../support/paths.ts';
import { temporaryFolder } from '../../publication/content-world.ts';

export type Tree = Readonly<Record<string, string | Uint8Array>>;

export async function writeTree(files: Tree): Promise<string> {
  const root = await temporaryFolder();
  await addFiles(root, files);
  return root;
}

export async function addFiles(root: string, files: Tree): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

export const OPEN: ImportOptions & OpenOptions = {
  today: '2026-11-21',
  root: ROOT,
  by: 'tag',
  requestsPerSecond: 1_000,
  pagesMax: 100,
  copiesRemoteImages: false,
  to: 'content/capsules',
  ownLanguage: 'en',
  isPublished: false,
  isForced: false,
  isDryRun: false,
  nowMs: () => 0,
  onProgress: () => undefined,
};

export interface TestImport extends FinishedImport {
  readonly root: string;
  readonly read: (id: string) => Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly text: string }>;
  /** Messages of everything that needs a hand, with place. */
  readonly notes: readonly string[];
}

/** Imports a folder, a file or an address, or a folder with these files. */
export async function runImport(given: string | Tree, changed: Partial<ImportOptions & OpenOptions> = {}): Promise<TestImport> {
  const root = changed.root ?? (await writeTree({ 'content/publisher.yaml': '' }));
  const options = { ...OPEN, ...changed, root };
  const source = await openSource(typeof given === 'string' ? given : await writeTree(given), options);
  const done = await importContent(source, options);
  return {
    ...done,
    root,
    notes: done.plan.notes.map(({ path, line, message }) => `${path}:${line} ${message}`),
    read: async (id) => {
      const { fields, body } = partText(await readFile(join(root, `content/capsules/${id}.md`), 'utf8'));
      return { fields, text: body.trim() };
    },
  };
}

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

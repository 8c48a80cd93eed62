import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContentProblem } from './content-problem.ts';
import { PLACEHOLDER, PLACEHOLDER_DE } from './find-gaps.ts';

/** Languages that the templates of pages are written in. */
export const TEMPLATE_LANGUAGES = ['en', 'de'] as const;

/** The pages that `akg init` writes, by file name. */
export async function pageTemplates(language: (typeof TEMPLATE_LANGUAGES)[number]): Promise<ReadonlyMap<string, string>> {
  const folder = join(import.meta.dirname, 'page-templates', language);
  const names = (await readdir(folder)).sort();
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const)));
}

let instructions: Promise<readonly string[]> | undefined;

/** What the templates tell their author to write, without the words that mark it. */
function templateInstructions(): Promise<readonly string[]> {
  instructions ??= readInstructions();
  return instructions;
}

async function readInstructions(): Promise<string[]> {
  const templates = await Promise.all(TEMPLATE_LANGUAGES.map(pageTemplates));
  const lines = templates.flatMap((pages) => [...pages.values()]).flatMap((text) => text.split('\n'));
  return lines.flatMap((line) =>
    line
      .split(`${PLACEHOLDER}: `)
      .flatMap((part) => part.split(`${PLACEHOLDER_DE}: `))
      .slice(1)
      .map((text) => text.trim()),
  );
}

/** Every instruction of a page's template that still stands word for word, without the word that marked it. */
export async function findInstructionsLeft(file: string, raw: string): Promise<ContentProblem[]> {
  const words = wordsOf(raw);
  const lines = raw.split('\n');
  return (await templateInstructions()).flatMap((instruction) => {
    if (!words.includes(wordsOf(instruction))) return [];
    const index = lines.findIndex((line) => wordsOf(line).includes(wordsOf(instruction.split(/\s+/).slice(0, 3).join(' '))));
    const isMarked = [PLACEHOLDER, PLACEHOLDER_DE].some((marker) => lines[index]?.includes(marker));
    const message = `still has what the template says to write: "${instruction}"; write it`;
    return isMarked ? [] : [{ file, line: Math.max(0, index) + 1, field: '', message, level: 'gap' as const }];
  });
}

/** A text in lower case without punctuation and line breaks. */
function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}

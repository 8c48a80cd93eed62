import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PLACEHOLDER, PLACEHOLDER_DE } from '../../text/check/check-text.ts';
import type { ContentProblem } from '../content-problem.ts';

export const TEMPLATE_LANGUAGES = ['en', 'de'] as const;

export function pageTemplates(language: (typeof TEMPLATE_LANGUAGES)[number]): ReadonlyMap<string, string> {
  const folder = join(import.meta.dirname, 'page-templates', language);
  const names = readdirSync(folder).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** Instructions of `akg new` in place of a text, by language, without the word that marks them. */
export const DRAFT_INSTRUCTIONS = {
  en: {
    capsule: 'write the text here. Its first paragraph is shown in lists and search results, so begin with what matters most.',
    offer: 'say what the buyer gets, in what form, and how soon. The first paragraph is shown in the price list.',
  },
  de: {
    capsule: 'Schreiben Sie hier den Text. Der erste Absatz steht auch in Listen und Suchergebnissen; beginnen Sie mit dem Wichtigsten.',
    offer: 'Schreiben Sie, was man bekommt, in welcher Form und wann. Der erste Absatz steht auch in der Preisliste.',
  },
} as const satisfies Readonly<Record<(typeof TEMPLATE_LANGUAGES)[number], object>>;

interface Instruction {
  readonly text: string;
  readonly words: string;
  /** Its longest word; a text without it does not have the instruction. */
  readonly longestWord: string;
}

let instructions: readonly Instruction[] | undefined;

function readInstructions(): Instruction[] {
  const templates = TEMPLATE_LANGUAGES.map(pageTemplates);
  const lines = templates.flatMap((pages) => [...pages.values()]).flatMap((text) => text.split('\n'));
  const ofPages = lines.flatMap((line) =>
    line
      .split(`${PLACEHOLDER}: `)
      .flatMap((part) => part.split(`${PLACEHOLDER_DE}: `))
      .slice(1)
      .map((text) => text.trim()),
  );
  return [...ofPages, ...Object.values(DRAFT_INSTRUCTIONS).flatMap((texts) => Object.values(texts))].map((text) => {
    const words = wordsOf(text);
    return { text, words, longestWord: words.split(' ').reduce((longest, word) => (word.length > longest.length ? word : longest)) };
  });
}

/** Everything of a template that its author has not replaced: lines with a mark, and instructions that lost theirs. */
export function findUnfilledTemplate(file: string, raw: string, level: 'gap' | 'error'): ContentProblem[] {
  return [...findPlaceholders(file, raw, level), ...findInstructionsLeft(file, raw, level)];
}

function findInstructionsLeft(file: string, raw: string, level: 'gap' | 'error'): ContentProblem[] {
  const lowerCase = raw.toLowerCase();
  instructions ??= readInstructions();
  const candidates = instructions.filter(({ longestWord }) => lowerCase.includes(longestWord));
  if (candidates.length === 0) return [];
  const words = wordsOf(raw);
  const lines = raw.split('\n');
  return candidates.flatMap((instruction) => {
    if (!words.includes(instruction.words)) return [];
    const index = lines.findIndex((line) => wordsOf(line).includes(wordsOf(instruction.text.split(/\s+/).slice(0, 3).join(' '))));
    const isMarked = [PLACEHOLDER, PLACEHOLDER_DE].some((marker) => lines[index]?.includes(marker));
    const message = `still has what the template says to write: "${instruction.text}"; write it${level === 'gap' ? '' : ', or set draft: true'}`;
    return isMarked ? [] : [{ file, line: Math.max(0, index) + 1, field: '', message, level }];
  });
}

function wordsOf(text: string): string {
  return ` ${(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
}

/** Every line that still has a placeholder, as a gap or as a mistake. */
export function findPlaceholders(file: string, raw: string, level: 'gap' | 'error'): ContentProblem[] {
  return raw.split('\n').flatMap((text, index) => {
    const placeholder = [PLACEHOLDER, PLACEHOLDER_DE].find((marker) => text.includes(marker));
    if (placeholder === undefined) return [];
    const remedy = level === 'gap' ? 'fill it in' : 'fill it in, or set draft: true';
    return [{ file, line: index + 1, field: '', message: `still has a placeholder that begins with "${placeholder}"; ${remedy}`, level }];
  });
}

import * as z from 'zod';
import { readContentFile } from '../content-files.ts';
import { type ContentProblem, fileProblem } from '../content-problem.ts';
import { parseContentFile } from '../front-matter.ts';
import {
  builtInStrings,
  type InterfaceLanguage,
  interfaceLanguage,
  isPlural,
  ORIGINALS,
  SENTENCES,
  type StringOverrides,
} from './interface-strings.ts';
import { type Message, messageParts, unbalancedTags } from './message.ts';

/** Where a publisher translates the interface, or words a sentence in another way. */
export function stringsFile(language: string): string {
  return `content/strings/${language}.yaml`;
}

const Sentence = z.string().min(1).max(1_000);

/** Categories of plural forms (unicode.org/reports/tr35, "Plural Rules"). */
const Forms = z.strictObject({
  zero: Sentence.optional(),
  one: Sentence.optional(),
  two: Sentence.optional(),
  few: Sentence.optional(),
  many: Sentence.optional(),
  other: Sentence,
});

/** A file of strings: sections and keys of the English ones, none of which is required. */
const StringsFile = z.strictObject(
  Object.fromEntries(
    Object.entries(ORIGINALS).map(([section, messages]) => [
      section,
      z
        .strictObject(
          Object.fromEntries(
            Object.entries(messages).map(([key, message]) => [key, (isPlural(message) ? z.union([Sentence, Forms]) : Sentence).optional()]),
          ),
        )
        // YAML reads a section of which every line is a comment as nothing.
        .nullish(),
    ]),
  ),
);

/** The sentences of a file of strings, and the mistakes in it. */
interface ReadOverrides {
  readonly overrides: StringOverrides;
  readonly problems: readonly ContentProblem[];
  /** Whether the file exists. */
  readonly isWritten: boolean;
}

/** Reads and checks the file of strings of a language. Without the file there are no sentences. */
export async function readStringOverrides(root: string, language: string): Promise<ReadOverrides> {
  const file = stringsFile(language);
  const read = await readContentFile(root, file).catch(() => undefined);
  if (read === undefined) return { overrides: {}, problems: [], isWritten: false };
  const outcome = read.raw === undefined ? { problems: [] } : parseContentFile(file, read.raw, StringsFile);
  if ('problems' in outcome) return { overrides: {}, problems: [...read.problems, ...outcome.problems], isWritten: true };
  const { data, lineOf } = outcome.file;
  const overrides = Object.fromEntries(Object.entries(data).map(([section, messages]) => [section, messages ?? {}])) as StringOverrides;
  const mistakes = Object.entries(overrides).flatMap(([section, messages = {}]) =>
    Object.entries(messages).flatMap(([key, message]) =>
      translationMistakes(ORIGINALS[section]?.[key] ?? '', message ?? '').map(
        (text): ContentProblem => ({ file, line: lineOf([section, key]), field: `${section}.${key}`, message: text }),
      ),
    ),
  );
  return { overrides, problems: [...read.problems, ...mistakes], isWritten: true };
}

/**
 * The language of the interface of a publication, with the sentences of its file, else those of the engine. Adds mistakes in the file to
 * `problems`. Without a file, a language that the engine does not have becomes English, with a warning.
 */
export async function readStrings(root: string, language: string, problems: ContentProblem[]): Promise<InterfaceLanguage> {
  const { overrides, problems: mistakes, isWritten } = await readStringOverrides(root, language);
  problems.push(...mistakes);
  if (builtInStrings(language) !== undefined) return interfaceLanguage(language, overrides);
  const warn = (message: string): void => void problems.push(fileProblem(stringsFile(language), message, 'warning'));
  if (!isWritten) {
    warn(`is missing, so the interface is in English; write it with "npm run strings -- ${language}" and translate its sentences`);
    return interfaceLanguage('en');
  }
  const missing = SENTENCES - Object.values(overrides).reduce((sum, messages) => sum + Object.keys(messages ?? {}).length, 0);
  if (missing > 0 && mistakes.length === 0)
    warn(`lacks ${missing} of ${SENTENCES} sentences, which stay English; add them with "npm run strings -- ${language}"`);
  return interfaceLanguage(language, overrides);
}

/** What is wrong with a translation: placeholders and tags must be those of the original. */
export function translationMistakes(original: Message, translation: Message): string[] {
  const known = messageParts(original);
  const used = messageParts(translation);
  const forms = isPlural(translation) ? Object.values(translation) : [translation];
  const isOptional = (part: string): boolean => part === '{count}' && isPlural(original);
  return [
    ...known.filter((part) => !used.includes(part) && !isOptional(part)).map((part) => `must contain ${part}, as the English text does`),
    ...used
      .filter((part) => !known.includes(part))
      .map((part) => `contains ${part}, which has no value here${known.length === 0 ? '' : `; it can contain ${known.join(', ')}`}`),
    ...forms.flatMap((form) => unbalancedTags(form).map((tag) => `must open and close <${tag}> once, as <${tag}>…</${tag}>`)),
  ];
}

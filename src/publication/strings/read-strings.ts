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

/** Number of all sentences. */
const SENTENCES = Object.values(ORIGINALS).reduce((sum, messages) => sum + Object.keys(messages).length, 0);

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
        .optional(),
    ]),
  ),
);

/**
 * The language of the interface of a publication, with the sentences of its file, else those of the engine. Adds mistakes in the file to
 * `problems`. Without a file, a language that the engine does not have becomes English, with a warning.
 */
export async function readStrings(root: string, language: string, problems: ContentProblem[]): Promise<InterfaceLanguage> {
  const file = stringsFile(language);
  const isBuiltIn = builtInStrings(language) !== undefined;
  const read = await readContentFile(root, file).catch(() => undefined);
  if (read === undefined) {
    if (isBuiltIn) return interfaceLanguage(language);
    problems.push(
      fileProblem(
        file,
        `is missing, so the interface is in English; write it with "npm run strings -- ${language}" and translate its sentences`,
        'warning',
      ),
    );
    return interfaceLanguage('en');
  }
  problems.push(...read.problems);
  const outcome = read.raw === undefined ? { problems: [] } : parseContentFile(file, read.raw, StringsFile);
  if ('problems' in outcome) {
    problems.push(...outcome.problems);
    return interfaceLanguage(language);
  }
  const { data, lineOf } = outcome.file;
  const overrides = data as StringOverrides;
  let translated = 0;
  for (const [section, messages] of Object.entries(ORIGINALS)) {
    for (const [key, original] of Object.entries(messages)) {
      const message = overrides[section]?.[key];
      if (message === undefined) continue;
      translated += 1;
      for (const text of translationMistakes(original, message))
        problems.push({ file, line: lineOf([section, key]), field: `${section}.${key}`, message: text });
    }
  }
  const missing = isBuiltIn ? 0 : SENTENCES - translated;
  if (missing > 0)
    problems.push(
      fileProblem(
        file,
        `lacks ${missing} of ${SENTENCES} sentences, which stay English; add them with "npm run strings -- ${language}"`,
        'warning',
      ),
    );
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

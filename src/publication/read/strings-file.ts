import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import * as z from 'zod';
import { ENGLISH, type InterfaceLanguage, type InterfaceStrings } from '../../text/strings/interface-strings.ts';
import { isPlural, type Message, messageParts, unbalancedTags } from '../../text/strings/message-format.ts';
import { type ContentProblem, fieldProblem, fileProblem, formatProblem } from '../content-problem.ts';
import { readContentFile } from './content-files.ts';
import { parseContentFile } from './front-matter.ts';

/** Translations of the engine, in the form of the files that publishers write. */
const TRANSLATIONS: Readonly<Record<string, string>> = { de: '../../text/strings/de.yaml' };

export const ORIGINALS: Readonly<Record<string, Readonly<Record<string, Message>>>> = ENGLISH;

export const SENTENCES: number = Object.values(ORIGINALS).reduce((sum, messages) => sum + Object.keys(messages).length, 0);

/** The sentences of a file, by section and key. Any may be missing. */
export type StringOverrides = Readonly<Record<string, Readonly<Record<string, Message | undefined>> | undefined>>;

export function stringsFile(language: string): string {
  return `content/strings/${language}.yaml`;
}

/** Adds mistakes in the file to `problems`. Without it, a language that the engine does not have becomes English, with a warning. */
export async function readStrings(root: string, language: string, problems: ContentProblem[]): Promise<InterfaceLanguage> {
  const { overrides, problems: mistakes, isWritten } = await readStringOverrides(root, language);
  problems.push(...mistakes);
  if (builtInStrings(language) !== undefined) return interfaceLanguage(language, overrides);
  const warn = (message: string): void => void problems.push(fileProblem(stringsFile(language), message, 'warning'));
  if (!isWritten) {
    warn(`is missing, so the interface is in English; write it with "npm run strings -- ${language}" and translate its sentences`);
    return interfaceLanguage('en');
  }
  const missing = SENTENCES - countSentences(overrides);
  if (missing > 0 && mistakes.length === 0)
    warn(`lacks ${missing} of ${SENTENCES} sentences, which stay English; add them with "npm run strings -- ${language}"`);
  return interfaceLanguage(language, overrides);
}

/** Reads and checks the file of strings of a language. Without the file there are no sentences. */
export async function readStringOverrides(root: string, language: string): Promise<ReadOverrides & { readonly isWritten: boolean }> {
  const file = stringsFile(language);
  const read = await readContentFile(root, file).catch(() => undefined);
  if (read === undefined) return { overrides: {}, problems: [], isWritten: false };
  const { overrides, problems } = read.raw === undefined ? { overrides: {}, problems: [] } : parseStrings(file, read.raw);
  return { overrides, problems: [...read.problems, ...problems], isWritten: true };
}

export function countSentences(overrides: StringOverrides): number {
  return Object.values(overrides).reduce((sum, messages) => sum + Object.keys(messages ?? {}).length, 0);
}

/** Each sentence from `overrides`, else from the engine in this language, with or without its region, else in English. */
export function interfaceLanguage(tag: string, overrides: StringOverrides = {}): InterfaceLanguage {
  return { tag, strings: withOverrides(builtInStrings(tag) ?? ENGLISH, overrides) };
}

const builtIn = new Map<string, InterfaceStrings>([['en', ENGLISH]]);

/** The sentences that the engine has for a language: `de-AT` has those of `de`. */
export function builtInStrings(tag: string): InterfaceStrings | undefined {
  const [name = ''] = tag.split('-');
  const path = Object.hasOwn(TRANSLATIONS, name) ? TRANSLATIONS[name] : undefined;
  if (path !== undefined && !builtIn.has(name)) builtIn.set(name, readTranslation(path));
  return builtIn.get(name);
}

function readTranslation(path: string): InterfaceStrings {
  const { overrides, problems } = parseStrings(path, readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8'));
  if (problems.length > 0) throw new Error(problems.map(formatProblem).join('\n'));
  return withOverrides(ENGLISH, overrides);
}

function withOverrides(strings: InterfaceStrings, overrides: StringOverrides): InterfaceStrings {
  const sections = Object.entries(strings).map(([section, messages]) => [section, { ...messages, ...overrides[section] }]);
  return Object.fromEntries(sections) as InterfaceStrings;
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

const StringsFile = z.strictObject(
  mapMembers(ORIGINALS, (messages) =>
    // YAML reads a section of which every line is a comment as nothing.
    z.strictObject(mapMembers(messages, (message) => (isPlural(message) ? z.union([Sentence, Forms]) : Sentence).optional())).nullish(),
  ),
);

function mapMembers<From, To>(members: Readonly<Record<string, From>>, map: (member: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));
}

interface ReadOverrides {
  readonly overrides: StringOverrides;
  readonly problems: readonly ContentProblem[];
}

function parseStrings(file: string, raw: string): ReadOverrides {
  const outcome = parseContentFile(file, raw, StringsFile);
  if ('problems' in outcome) return { overrides: {}, problems: outcome.problems };
  const { data, lineOf } = outcome.file;
  // What is absent is absent, not undefined: YAML has no such value.
  const overrides = mapMembers(data, (messages) => messages ?? {}) as StringOverrides;
  const problems = Object.entries(overrides).flatMap(([section, messages = {}]) =>
    Object.entries(messages).flatMap(([key, message]) =>
      translationMistakes(ORIGINALS[section]?.[key] ?? '', message ?? '').map((text) =>
        fieldProblem(file, lineOf, { path: [section, key], message: text }),
      ),
    ),
  );
  return { overrides, problems };
}

/** Placeholders and tags must be those of the original. */
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

const INTRODUCTION = `# The sentences of the interface in %. Remove "# " before a sentence, and translate what follows its name.
# A sentence that is missing here is the engine's. {name} is a value, and <name>…</name> becomes a link or another element: keep both.
# A sentence with a count may have one form per plural category of the language: zero, one, two, few, many, other.
`;

/** The text of a file of strings: sentences without a translation are comments, in the engine's language or English. The publisher's own comments are lost. */
export function stringsFileText(language: string, translated: StringOverrides): string {
  const engine: Readonly<Record<string, Readonly<Record<string, Message>>>> = builtInStrings(language) ?? ORIGINALS;
  const sections = Object.entries(ORIGINALS).map(([section, messages]) => {
    const lines = Object.keys(messages).map((key) => {
      const own = translated[section]?.[key];
      return own === undefined ? entry(key, engine[section]?.[key] ?? '').replace(/^ {2}/gm, '  # ') : entry(key, own);
    });
    return `${section}:\n${lines.join('')}`;
  });
  return `${INTRODUCTION.replace('%', language)}\n${sections.join('\n')}`;
}

function entry(key: string, message: Message): string {
  return stringify({ [key]: message }, { lineWidth: 0 })
    .replace(/^/gm, '  ')
    .trimEnd()
    .concat('\n');
}

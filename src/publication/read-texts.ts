import type { Root } from 'mdast';
import type * as z from 'zod';
import type { Editorial } from '../schemas/editorial.ts';
import { readContentFolder, type Substitutes } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { type ParsedFile, parseContentFile } from './front-matter.ts';
import { type FieldFinding, fieldName } from './front-matter-messages.ts';
import { levelOf } from './lint/check-text.ts';
import { parseText } from './markdown/parse-text.ts';
import { type ReadingMemo, remembered } from './reading-memo.ts';

/** A file with a text, as an author wrote it. */
export interface TextFile<T> {
  readonly id: string;
  readonly path: string;
  readonly raw: string;
  readonly file: ParsedFile<T>;
  /** Fields that are in the file; `undefined` if they could not be read. */
  readonly written: ReadonlySet<string> | undefined;
}

/** A file whose front matter has mistakes: its text is checked nevertheless. */
export interface FaultyFile extends TextFile<unknown> {
  readonly problems: readonly ContentProblem[];
}

/** The texts of a folder. */
export interface TextFolder<T> {
  readonly texts: readonly TextFile<T>[];
  readonly faulty: readonly FaultyFile[];
  /** Ids of files that could not be parsed: references to them are not mistakes. */
  readonly unread: readonly string[];
  readonly problems: readonly ContentProblem[];
}

/** What the files of a folder contain. */
interface FolderForm<W, T> {
  /** Paths of subfolders to leave out, from the folder. */
  readonly skip?: readonly string[];
  readonly editorial: Editorial;
  readonly schema: z.ZodType<W>;
  /** Adds defaults to written front matter. */
  readonly complete: (
    written: W,
    path: string,
    id: string,
    root: () => Root,
  ) => Promise<{ readonly data: T | undefined; readonly findings: readonly FieldFinding[] }>;
  /** Whether fields of other tools are allowed. */
  readonly isLenient: boolean;
  /** Results of earlier readings, and everything besides its file that a text depends on. */
  readonly memo?: ReadingMemo | undefined;
  readonly settings: string;
  readonly substitutes?: Substitutes | undefined;
}

/** Reads the texts of a folder, with the defaults of their front matter. */
export async function readTexts<W, T>(root: string, folder: string, form: FolderForm<W, T>): Promise<TextFolder<T>> {
  const { skip = [], editorial, memo, substitutes } = form;
  const read = await readContentFolder(root, folder, { skip, hiddenCharacters: levelOf(editorial.hidden_characters), memo, substitutes });
  const problems = [...read.problems];
  const texts: TextFile<T>[] = [];
  const faulty: FaultyFile[] = [];
  const unread = [...read.unreadable];
  for (const { path, id, raw } of read.files) {
    const one = await remembered(memo, 'text', path, [id, raw, form.settings], () => readText(path, id, raw, form));
    problems.push(...one.problems);
    if (one.text !== undefined) texts.push(one.text);
    else unread.push(id);
    if (one.faulty !== undefined) faulty.push(one.faulty);
  }
  return { texts, faulty, unread, problems };
}

/** A text, or what could be read of it. */
interface ReadText<T> {
  readonly text?: TextFile<T>;
  readonly faulty?: FaultyFile;
  readonly problems: readonly ContentProblem[];
}

async function readText<W, T>(path: string, id: string, raw: string, form: FolderForm<W, T>): Promise<ReadText<T>> {
  const { editorial } = form;
  const outcome = parseContentFile(path, raw, form.schema, {
    unknownFields: form.isLenient ? editorial.unknown_fields : 'error',
    hiddenCharacters: editorial.hidden_characters,
  });
  if (!('file' in outcome)) {
    const { problems, unchecked } = outcome;
    return unchecked === undefined
      ? { problems }
      : { problems, faulty: { id, path, raw, file: unchecked, written: fieldsOf(unchecked.data), problems } };
  }
  const { file } = outcome;
  const { data, findings } = await form.complete(file.data, path, id, () => parseText(file.body));
  const own = findings.map((finding) => located(path, file, finding, editorial));
  const problems = [...outcome.warnings, ...own];
  const written = new Set(Object.keys(file.data as object));
  if (data !== undefined && own.every(({ level }) => level === 'warning'))
    return { problems, text: { id, path, raw, file: { ...file, data }, written } };
  return { problems, faulty: { id, path, raw, file, written, problems: own } };
}

/** A finding at its place. What may be ignored is an error where unknown fields are. */
function located(
  path: string,
  file: ParsedFile<unknown>,
  { field, message, level, consequence }: FieldFinding,
  { unknown_fields, complete_front_matter }: Editorial,
): ContentProblem {
  const place = { file: path, line: file.lineOf(field), field: fieldName(field) };
  const isStrict = (field[0] === 'title' ? complete_front_matter : unknown_fields) === 'error';
  if (level !== 'warning' || isStrict) return { ...place, message, level: 'error' };
  return { ...place, message: consequence === undefined ? message : `${message}; ${consequence}`, level };
}

function fieldsOf(data: unknown): ReadonlySet<string> | undefined {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? new Set(Object.keys(data)) : undefined;
}

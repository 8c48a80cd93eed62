import type { Editorial } from '../schemas/editorial.ts';
import { fromMemory } from './build-cache.ts';
import { listContentFiles } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import type { TextDescription } from './defaults/complete-front-matter.ts';
import { fieldLines, type ParsedFile } from './front-matter.ts';
import { type FieldFinding, fieldName } from './front-matter-messages.ts';
import { bodyOf, type ReadingSources, readTextFiles } from './read-text-files.ts';
import { fieldsOf, type TextKind, type TextReading } from './text-reading.ts';

/** A file with a text, as an author wrote it. */
export interface TextFile<T> {
  readonly id: string;
  readonly path: string;
  readonly file: ParsedFile<T>;
  /** What the file says by itself. */
  readonly reading: TextReading;
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

/** What the files of a folder contain, and what is known of them. */
interface FolderForm<W, T> extends ReadingSources {
  readonly kind: Exclude<TextKind, 'frozen'>;
  /** Paths of subfolders to leave out, from the folder. */
  readonly skip?: readonly string[];
  readonly editorial: Editorial;
  /** Whether the texts are checked by the house rules. */
  readonly isChecked: boolean;
  /** Adds defaults to written front matter. */
  readonly complete: (
    written: W,
    path: string,
    id: string,
    text: () => TextDescription,
  ) => Promise<{ readonly data: T | undefined; readonly findings: readonly FieldFinding[] }>;
  /** Everything besides its file that the front matter of a text depends on. */
  readonly settings: string;
}

/** Reads the texts of a folder, with the defaults of their front matter. */
export async function readTexts<W, T>(root: string, folder: string, form: FolderForm<W, T>): Promise<TextFolder<T>> {
  const { kind, skip, editorial, isChecked, settings, memo } = form;
  const found = await listContentFiles(root, folder, skip);
  const paths = found.files.map(({ path }) => path);
  const read = await readTextFiles(root, paths, { kind, editorial, isChecked }, form);
  const problems = [...found.problems];
  const texts: TextFile<T>[] = [];
  const faulty: FaultyFile[] = [];
  const unread: string[] = [];
  for (const { path, id } of found.files) {
    const refused = read.refused.get(path);
    if (refused !== undefined) {
      problems.push(...refused);
      unread.push(id);
    }
    const text = read.texts.get(path);
    if (text === undefined) continue;
    const { raw, reading } = text;
    const one = await fromMemory(memo, 'text', path, [id, reading, settings], () => completeText(path, id, raw, reading, form));
    problems.push(...reading.problems, ...one.problems);
    if (one.text !== undefined) texts.push(one.text);
    else unread.push(id);
    if (one.faulty !== undefined) faulty.push(one.faulty);
  }
  return { texts, faulty, unread, problems };
}

/** A text, or what could be read of it, and mistakes in what its defaults are made from. */
interface CompletedText<T> {
  readonly text?: TextFile<T>;
  readonly faulty?: FaultyFile;
  readonly problems: readonly ContentProblem[];
}

async function completeText<W, T>(
  path: string,
  id: string,
  raw: string,
  reading: TextReading,
  { editorial, complete }: FolderForm<W, T>,
): Promise<CompletedText<T>> {
  const { frontMatter, bodyLine, description } = reading;
  if (frontMatter === undefined) return { problems: [] };
  const written = fieldsOf(frontMatter.data);
  const file: ParsedFile<unknown> = { data: frontMatter.data, body: bodyOf(reading, raw), bodyLine, lineOf: fieldLines(path, raw) };
  const unfinished = { id, path, file, reading, written };
  if (!frontMatter.isValid) return { problems: [], faulty: { ...unfinished, problems: reading.problems } };
  // Valid by the schema of `kind`, whose type is W.
  const { data, findings } = await complete(frontMatter.data as W, path, id, () => description);
  const problems = findings.map((finding) => located(path, file, finding, editorial));
  if (data !== undefined && problems.every(({ level }) => level === 'warning'))
    return { problems, text: { ...unfinished, file: { ...file, data } } };
  return { problems, faulty: { ...unfinished, problems } };
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

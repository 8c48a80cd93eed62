import { writeFile } from 'node:fs/promises';
import { isCollection, isNode, isPair, isSeq, parseDocument, stringify } from 'yaml';
import { UserError } from '../../publication/content-problem.ts';
import { readContentFolder } from '../../publication/read/content-files.ts';

export const CAPSULES_FOLDER = 'content/capsules';

export interface CapsuleFile {
  /** Path from the root, such as `content/capsules/http-caching.md`. */
  readonly path: string;
  readonly raw: string;
}

/** The file of a capsule, in the folder of capsules or below it; `undefined` if there is none. */
export async function findCapsuleFile(root: string, id: string): Promise<CapsuleFile | undefined> {
  return (await readContentFolder(root, CAPSULES_FOLDER, ['versions'])).find((candidate) => candidate.id === id);
}

/** The file of a capsule. @throws {UserError} If there is none. */
export async function requireCapsuleFile(root: string, id: string): Promise<CapsuleFile> {
  const file = await findCapsuleFile(root, id);
  if (file === undefined) throw new UserError(`there is no capsule ${CAPSULES_FOLDER}/${id}.md`);
  return file;
}

/** Writes a file that must not be there yet. @throws {UserError} With the message, if it is. */
export async function writeNewFile(path: string, content: string | Uint8Array, message: string, mode = 0o666): Promise<void> {
  await writeFile(path, content, { flag: 'wx', mode }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UserError(message) : error;
  });
}

const FRONT_MATTER = /^---[ \t]*\r?\n[\s\S]*?\n---[ \t]*(?=\r?\n|$)/;

export function splitFrontMatter(raw: string): { readonly frontMatter: string; readonly rest: string } {
  const frontMatter = FRONT_MATTER.exec(raw)?.[0] ?? '';
  return { frontMatter, rest: raw.slice(frontMatter.length) };
}

/** A field of the front matter of a content file as text; `undefined` without it. */
export function fieldOf(raw: string, name: string): string | undefined {
  const value = writtenFields(raw)[name];
  return value === undefined ? undefined : String(value);
}

/** A text with a field of its front matter on a line of its own: in its place if it has one, otherwise as the last one. */
export function withField(raw: string, name: string, value: string): string {
  const { frontMatter, rest } = splitFrontMatter(raw);
  if (frontMatter === '') return `---\n${name}: ${value}\n---\n\n${raw}`;
  const lines = frontMatter.split('\n');
  const present = lines.find((line) => line.startsWith(`${name}:`));
  if (present !== undefined) {
    lines[lines.indexOf(present)] = `${name}: ${value}${present.endsWith('\r') ? '\r' : ''}`;
    return lines.join('\n') + rest;
  }
  return frontMatter.replace(/(\r?\n)---[ \t]*$/, `$1${name}: ${value}$1---`) + rest;
}

/** The fields of front matter as they are written; none without front matter. */
export function writtenFields(raw: string): Readonly<Record<string, unknown>> {
  const yaml = splitFrontMatter(raw).frontMatter.replace(/^---|---\s*$/g, '');
  return (parseDocument(yaml, { logLevel: 'silent' }).toJS() ?? {}) as Readonly<Record<string, unknown>>;
}

/** The ids in a list of the front matter of a content file, such as `formerly`; none without it. */
export function idsIn(raw: string, field: string): string[] {
  const ids = writtenFields(raw)[field];
  return Array.isArray(ids) ? ids.map(String) : [];
}

/**
 * YAML with one more item at the end of a list, or one more field at the end of a map. Every other byte stays.
 *
 * @param block The lines of the item or field, where the others stand on lines of their own; `flow` where they stand in brackets.
 */
export function appendToYaml(text: string, collection: unknown, block: readonly string[], flow: string): string {
  if (!isCollection(collection) || !collection.range) return text;
  const [first] = collection.items;
  if (first === undefined) return `${text.slice(0, collection.range[0])}[${flow}]${text.slice(collection.range[1])}`;
  const start = rangeOf(isPair(first) ? first.key : first)?.[0];
  const end = rangeOf(lastValue(collection.items.at(-1)))?.[1];
  if (start === undefined || end === undefined) return text;
  if (collection.flow) return `${text.slice(0, end)}, ${flow}${text.slice(end)}`;
  const margin = text.slice(text.lastIndexOf('\n', start) + 1, start);
  const indent = ' '.repeat(margin.length);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = block.map((line, at) => (at === 0 && isSeq(collection) ? margin : indent) + line + lineBreak).join('');
  const next = text.indexOf('\n', end) + 1;
  return next === 0 ? text + lineBreak + lines : text.slice(0, next) + lines + text.slice(next);
}

const rangeOf = (node: unknown) => (isNode(node) ? node.range : undefined);

function lastValue(node: unknown): unknown {
  if (isPair(node)) return lastValue(node.value);
  return isCollection(node) && !node.flow ? lastValue(node.items.at(-1)) : node;
}

/** A text as a value of YAML on one line. */
export function yamlText(text: string): string {
  return stringify(text, { lineWidth: 0 }).trimEnd();
}

/** `Http caching` for the id `http-caching`. */
export function titleOfId(id: string): string {
  const words = id.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A content file with a list of ids in its front matter, on one line; without the field if the list is empty. */
export function withIds(raw: string, field: string, ids: readonly string[]): string {
  if (ids.join() === idsIn(raw, field).join()) return raw;
  const { frontMatter, rest } = splitFrontMatter(raw);
  const lines = frontMatter.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`${field}:`));
  const after = lines.findIndex((line, index) => index > at && !/^[ \t]*- /.test(line));
  const without = at === -1 ? raw : [...lines.slice(0, at), ...lines.slice(after)].join('\n') + rest;
  return ids.length === 0 ? without : withField(without, field, `[${ids.join(', ')}]`);
}

/** Texts of the publication by their paths; those that are capsules have an id. */
export async function contentTexts(root: string) {
  const texts = ['capsules', 'offers', 'pages'].map(async (folder) => {
    const files = await readContentFolder(root, `content/${folder}`, ['versions']);
    return files.map(({ path, raw, id }) => ({ path, raw, capsuleId: folder === 'capsules' ? id : undefined }));
  });
  return (await Promise.all(texts)).flat().sort((a, b) => (a.path < b.path ? -1 : 1));
}

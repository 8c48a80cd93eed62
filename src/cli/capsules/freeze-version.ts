import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import { UserError } from '../../build/user-error.ts';
import { fileDigest, VERSIONS_DIGESTS, VERSIONS_FOLDER } from '../../publication/capsules/frozen-versions.ts';
import { Author, type CapsuleFrontMatter } from '../../schemas/knowledge/capsule-front-matter.ts';
import { splitFrontMatter } from './capsule-file.ts';

/** Stands above the defaults in a frozen file; everything between it and the end of the front matter was not written by the author. */
const DEFAULTS_MARK = '# Defaults when this version was published, so that later settings do not change it:';

/** The fields whose defaults depend on settings, on the file or on the text. */
const FIELDS_WITH_DEFAULTS = [
  'title',
  'summary',
  'type',
  'version',
  'evidence',
  'language',
  'license',
  'created',
  'updated',
  'written_by',
] as const;

/** A version to freeze. */
interface FrozenText {
  readonly id: string;
  /** The current file of the capsule, for messages. */
  readonly file: string;
  readonly raw: string;
  /** Its front matter with all defaults. */
  readonly frontMatter: CapsuleFrontMatter;
  /** Identity of the publisher, who is the author of a text that names none. */
  readonly issuer: string;
}

/**
 * Writes a frozen version, with the defaults that its file leaves to settings, and its digest.
 *
 * @returns Its path from the root.
 * @throws {UserError} If the version is frozen already.
 */
export async function freezeVersion(root: string, { id, file, raw, frontMatter, issuer }: FrozenText): Promise<string> {
  const { version } = frontMatter;
  const name = `${id}/${version}.md`;
  const path = `${VERSIONS_FOLDER}/${name}`;
  const text = withDefaults(raw, frontMatter, issuer);
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new UserError(`version ${version} of "${id}" is frozen already; raise the version in ${file}`) : error;
  });
  await appendFile(join(root, VERSIONS_DIGESTS), `${fileDigest(text)}  ${name}\n`);
  return path;
}

function withDefaults(raw: string, frontMatter: CapsuleFrontMatter, issuer: string): string {
  const { frontMatter: written, rest } = splitFrontMatter(raw);
  const yaml = written.replace(/^---[ \t]*\r?\n|---[ \t]*$/g, '');
  const present = new Set(Object.keys((parseDocument(yaml, { logLevel: 'silent' }).toJS() ?? {}) as object));
  const publisher = Author.safeParse({ type: 'Organization', name: issuer }).data;
  const complete = { ...frontMatter, written_by: frontMatter.written_by ?? publisher };
  const missing = FIELDS_WITH_DEFAULTS.filter((field) => !present.has(field) && complete[field] !== undefined);
  if (missing.length === 0) return raw;
  const lines = stringify(Object.fromEntries(missing.map((field) => [field, complete[field]])), { lineWidth: 0 });
  const block = `${DEFAULTS_MARK}\n${lines}`;
  if (written === '') return `---\n${block}---\n\n${raw}`;
  const end = written.lastIndexOf('---');
  return written.slice(0, end) + block + written.slice(end) + rest;
}

/** A frozen file as its author wrote it. */
export function withoutDefaults(raw: string): string {
  const { frontMatter, rest } = splitFrontMatter(raw);
  const from = frontMatter.indexOf(DEFAULTS_MARK);
  if (from === -1) return raw;
  const written = frontMatter.slice(0, from) + frontMatter.slice(frontMatter.lastIndexOf('---'));
  return written === '---\n---' ? rest.replace(/^\n\n/, '') : written + rest;
}

/** Removes the digests of frozen versions whose name, `<id>/<version>.md`, is matched. */
export async function removeDigests(root: string, isGone: (name: string) => boolean): Promise<void> {
  const path = join(root, VERSIONS_DIGESTS);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const digestLength = fileDigest('').length + 2;
  await writeFile(
    path,
    text
      .split('\n')
      .filter((line) => line === '' || !isGone(line.slice(digestLength)))
      .join('\n'),
  );
}

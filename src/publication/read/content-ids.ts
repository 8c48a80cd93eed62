import { createHash } from 'node:crypto';
import slugify from '@sindresorhus/slugify';
import { LIMITS } from '../../schemas/limits.ts';
import { ID_PATTERN } from '../../schemas/primitives.ts';
import { type ContentProblem, fileProblem } from '../content-problem.ts';

const VALID_ID = new RegExp(ID_PATTERN);

/** Hexadecimal digits that keep shortened ids apart. */
const HASH_LENGTH = 8;

/**
 * The ids of texts by their files. A name that is an id is kept; others are transliterated: `Über uns.md` is `ueber-uns`. `index.md` and
 * `README.md` are named after their folder. Where files of several folders have one name, the one in the highest folder keeps it, if it is
 * alone there, and the others have the names of their folders before it.
 *
 * @param folder Folder of the texts, such as `content/capsules`.
 * @param paths Files below it, from the publication's root.
 * @returns Ids by file, and a problem for every file that still has the id of another.
 */
export function idsOfFiles(
  folder: string,
  paths: readonly string[],
): { readonly ids: ReadonlyMap<string, string>; readonly problems: ContentProblem[] } {
  const known = new Set(paths.map((path) => path.toLowerCase()));
  const names = new Map(paths.map((path) => [path, partsOf(folder, path, known)]));
  // Names that are ids come first: they keep theirs.
  const inOrder = [...names].sort(([, a], [, b]) => Number(isId(b)) - Number(isId(a)));
  const groups = Map.groupBy(inOrder, ([, parts]) => idOf(parts.slice(-1)));
  const ids = new Map<string, string>();
  const problems: ContentProblem[] = [];
  const owners = new Map<string, string>();
  const give = (path: string, id: string): void => {
    const owner = owners.get(id);
    if (owner === undefined) {
      owners.set(id, path);
      ids.set(path, id);
    } else problems.push(fileProblem(path, `has the same id "${id}" as ${owner}; rename one of them`));
  };
  const joined: string[] = [];
  for (const [id, members] of groups) {
    const depth = Math.min(...members.map(([, parts]) => parts.length));
    const highest = members.filter(([, parts]) => parts.length === depth);
    const owner = highest.length === 1 || depth === 1 ? highest[0]?.[0] : undefined;
    for (const [path, parts] of members) {
      if (path === owner || (depth === 1 && parts.length === 1)) give(path, id);
      else joined.push(path);
    }
  }
  for (const path of joined) give(path, idOf(names.get(path) ?? []));
  return { ids, problems };
}

function isId(parts: readonly string[]): boolean {
  return VALID_ID.test(parts.at(-1) ?? '');
}

/** The folders and the name that make the id of a file. An index stands for its folder, without one the README. */
function partsOf(folder: string, path: string, known: ReadonlySet<string>): readonly string[] {
  const parts = path.slice(folder.length + 1).split('/');
  const name = (parts.pop() ?? '').replace(/\.[^.]+$/, '');
  const index = [folder, ...parts, 'index.md'].join('/').toLowerCase();
  const isIndex = name.toLowerCase() === 'index' || (name.toLowerCase() === 'readme' && !known.has(index));
  return isIndex && parts.length > 0 ? parts : [...parts, name];
}

/** The id that folders and a name make: they are kept if they are one, transliterated, or shortened to one with a digest. */
export function idOf(parts: readonly string[]): string {
  const written = parts.join('-');
  const slug = VALID_ID.test(written) ? written : slugOf(written);
  if (slug !== '' && slug.length <= LIMITS.idMaxLength) return slug;
  const hash = digestOf(written.normalize('NFC'));
  const start = slug.slice(0, LIMITS.idMaxLength - HASH_LENGTH - 1).replace(/-[^-]*$/, '');
  return start === '' ? `text-${hash}` : `${start}-${hash}`;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH);
}

/** A text in the form of an id, of any length: `Über uns` is `ueber-uns`. Empty if it has no letter or digit with a Latin form. */
export function slugOf(text: string): string {
  return slugify(text.normalize('NFC'), { decamelize: false })
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** Letters that no transliteration here has: of Chinese, Japanese, Korean, Thai, Hindi, Hebrew and other scripts. */
const WITHOUT_LATIN_FORM =
  /[^\P{L}\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Common}]/u;

/**
 * A tag as an id, empty without a letter or digit. Symbols that tell names apart are spelled out: `C++` is `c-plus-plus`, `.NET` is `dot-net`.
 * Where letters have no Latin form, a digest of the tag stands for them: `AI倫理` is `ai-2c1b78f6`.
 */
export function tagIdOf(tag: string): string {
  const spelled = tag
    .replace(/(?<=[\p{L}\p{N}])\+\+(?!\+)/gu, '-plus-plus-')
    .replace(/(?<=\p{L})#(?![\p{L}\p{N}#])/gu, '-sharp')
    .replace(/(?<![^\s(/])\.(?=\p{L})/gu, 'dot-');
  const slug = slugOf(spelled);
  if (!WITHOUT_LATIN_FORM.test(tag)) return slug.slice(0, LIMITS.idMaxLength).replace(/-$/, '');
  const hash = digestOf(tag.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase());
  return `${slug.slice(0, LIMITS.idMaxLength - HASH_LENGTH - 1).replace(/-$/, '') || 'tag'}-${hash}`;
}

/** What a tag with a digest was before tags had one, its Latin letters alone; an empty list without any. Other tags stay as they are. */
export function formerTagIds(tag: string): string[] {
  const [latin, hash] = [tag.slice(0, -HASH_LENGTH - 1), tag.slice(-HASH_LENGTH - 1)];
  if (latin === '' || !/^-[0-9a-f]+$/.test(hash)) return [tag];
  return latin === 'tag' ? [] : [latin];
}

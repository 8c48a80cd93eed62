import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bitsOf, CHARACTER_BITS, commonForm, FILTER_CHARACTERS, isCorrectable } from '../search/format/spelling.ts';

/** Frequent English words, one or several a line. */
const ENGLISH = join(import.meta.dirname, 'common-words.txt');

export const FILTER_FILE = join(import.meta.dirname, '../search/format/common-words-filter.json');

/** Languages whose stop words are common words too, as `@orama/stopwords` names them. */
const FOREIGN = [
  ...['danish', 'dutch', 'finnish', 'french', 'german', 'greek', 'hungarian', 'indonesian', 'irish'],
  ...['italian', 'norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'turkish'],
];

/** One word in about fifty that is not in the list passes for one that is. */
const BITS_PER_WORD = 8;

/** Every common word that could be corrected otherwise, in the form in which they are compared. */
export async function commonWords(): Promise<Set<string>> {
  const english = (await readFile(ENGLISH, 'utf8')).split(/\s+/);
  const foreign: { readonly stopwords: string[] }[] = await Promise.all(
    FOREIGN.map((language) => import(/* @vite-ignore */ `@orama/stopwords/${language}`)),
  );
  return new Set([...english, ...foreign.flatMap(({ stopwords }) => stopwords)].map((word) => commonForm(word)).filter(isCorrectable));
}

/** The Bloom filter of `isCommonWord` as JSON, six bits a character; the same words give the same text. */
export async function filterSource(): Promise<string> {
  const words = await commonWords();
  const filter = new Uint8Array(Math.ceil((words.size * BITS_PER_WORD) / CHARACTER_BITS));
  const set = (bit: number): void => {
    const at = Math.floor(bit / CHARACTER_BITS);
    filter[at] = (filter[at] ?? 0) | (1 << (bit % CHARACTER_BITS));
  };
  for (const word of words) for (const bit of bitsOf(word, filter.length * CHARACTER_BITS)) set(bit);
  return `${JSON.stringify(Array.from(filter, (bits) => FILTER_CHARACTERS.charAt(bits)).join(''))}\n`;
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(FILTER_FILE, await filterSource());
  console.log(`${(await commonWords()).size} words`);
}

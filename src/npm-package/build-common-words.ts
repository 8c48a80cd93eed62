import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stopwords as danish } from '@orama/stopwords/danish';
import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as finnish } from '@orama/stopwords/finnish';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as greek } from '@orama/stopwords/greek';
import { stopwords as hungarian } from '@orama/stopwords/hungarian';
import { stopwords as indonesian } from '@orama/stopwords/indonesian';
import { stopwords as irish } from '@orama/stopwords/irish';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as norwegian } from '@orama/stopwords/norwegian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as romanian } from '@orama/stopwords/romanian';
import { stopwords as russian } from '@orama/stopwords/russian';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as swedish } from '@orama/stopwords/swedish';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { bitsOf, CHARACTER_BITS, commonForm, FILTER_CHARACTERS, isCorrectable } from '../search/format/spelling.ts';

/** Frequent English words, one or several a line. */
const ENGLISH = join(import.meta.dirname, 'common-words.txt');

export const FILTER_FILE = join(import.meta.dirname, '../search/format/common-words-filter.json');

const FOREIGN = [
  ...[danish, dutch, finnish, french, german, greek, hungarian, indonesian, irish],
  ...[italian, norwegian, portuguese, romanian, russian, spanish, swedish, turkish],
];

/** One word in about fifty that is not in the list passes for one that is. */
const BITS_PER_WORD = 8;

/** Every common word that could be corrected otherwise, in the form in which they are compared. */
export async function commonWords(): Promise<Set<string>> {
  const english = (await readFile(ENGLISH, 'utf8')).split(/\s+/);
  return new Set([...english, ...FOREIGN.flat()].map((word) => commonForm(word)).filter(isCorrectable));
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

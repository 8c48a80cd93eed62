import * as fc from 'fast-check';
import type { SearchDocument } from '../../../src/search/search-document.ts';
import { anyText } from '../../support/any-text.ts';
import { words } from '../../support/words.ts';

const WORDS = [
  'fetch fetchUser user users Index indexes indexing retrieval retreival os.path path the of is sha256 Café cafe capsule capsules lineage',
  'provenance provenence HTTPServer run_target agent agents buy offer offers offerS price x v2 C++ 100,000 dry run dryrun && indices 東京都に住む 知识 ภาษาไทย zürich ﱞ',
].flatMap((words) => words.split(' '));

const SPACES = [' ', ' ', ' ', ', ', '. ', '\n\n', '-', '\n'] as const;

/** Text of few words, so that random queries match random documents. */
export const plainText = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SPACES)), { maxLength: 25 })
  .map((pairs) => pairs.flat().join(''));

const MISSPELT =
  'retreval provenanse capsle cpasules linage zurich fetchUsre HTPServer run_trget os.pth indexs offerS ofers agnets pricey fetchUsera qwertz'.split(
    ' ',
  );

/** A query of the words of {@link plainText}, and of some that are nearly so. */
export const queryText = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...WORDS) }, { weight: 2, arbitrary: fc.constantFrom(...MISSPELT) }),
      fc.constantFrom(...SPACES),
    ),
    { maxLength: 20 },
  )
  .map((pairs) => pairs.flat().join(''));

/** Text that nobody writes: lone surrogates, marks, joiners, right-to-left, emoji, control characters, long words. */
export const hostileText = fc
  .array(
    fc.oneof(
      anyText({ maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
      fc.constantFrom(
        ...['\ud83d', '\udc00', '\u0000', '\u0301', '\u200d', '\u200c', '\u00ad', '\u202e', '\ufeff', '\u0600', 'e\u0301\u0302', ' ', '. '],
        ...'ﷺ ﱞ ½ İ 👩‍👩‍👧 🇩🇪 שָׁלוֹם مُحَمَّد ตัวอย่าง 漢字かな 가각 𝔘𝔫𝔦 ß ŉ ``` ~~~ _ . fetchUser'.split(' '),
        ...['100,000', '1 000', ',000', "'000", ...words`7 C++ c# .NET v5.3 .2 Node.js indices Index analysis news - &&`],
        ...['\n', '\n\n', '\r\n', '# ', '- ', '> ', '1. ', 'x'.repeat(300), 'aB'.repeat(60), '\u0301'.repeat(90), '𠀀'.repeat(70)],
      ),
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(''));

function documentOf(text: fc.Arbitrary<string>): fc.Arbitrary<SearchDocument> {
  return fc.record({
    id: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    language: fc.constantFrom('en', 'en', 'en-GB', 'de', 'ja'),
    title: text,
    headings: fc.array(text, { maxLength: 2 }),
    tags: fc.array(text, { maxLength: 2 }),
    summary: text,
    body: text,
  });
}

export function corpusOf(text: fc.Arbitrary<string>): fc.Arbitrary<SearchDocument[]> {
  return fc.uniqueArray(documentOf(text), { maxLength: 9, selector: ({ id }) => id });
}

/** Documents of few words, of several languages and tiers, with distinct ids. */
export function tieredCorpus(most: number, least = 0): fc.Arbitrary<SearchDocument[]> {
  const tier = fc.constantFrom(0, 0, 0, 1, 2);
  return fc
    .array(fc.tuple(documentOf(plainText), tier), { minLength: least, maxLength: most, size: 'max' })
    .map((documents) => documents.map(([document, tier], number) => ({ ...document, id: `document-${number}`, tier })));
}

export function capsule(id: string, body: string, more: Partial<SearchDocument> = {}): SearchDocument {
  return { id, language: 'en', title: '', headings: [], tags: [], summary: '', body, ...more };
}

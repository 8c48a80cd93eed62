import { loose, missingWords, wordTotal } from './conversion-losses.ts';
import { folderLanguage } from './front-matter.ts';
import { wordCount } from './html/theme-markup.ts';
import { type SourcePage, sharedFolders } from './import-source.ts';

/** The language of each page, and its original: the page with the same address but for the folder of a language. */
export function languagesIn(
  pages: readonly SourcePage[],
  { language, ownLanguage }: { readonly language?: string | undefined; readonly ownLanguage: string },
) {
  const languageAt = languageFolders(pages);
  const stated = new Set(pages.map((page) => page.language));
  const paths = new Set(pages.map(({ path }) => path));
  // A repository has its translations beside the original: README.de.md, README-zh-Hant.md; user-id.md is a text of its own.
  const besideOf = ({ path }: SourcePage) => {
    const [, name = '', sign, tag = '', ending = ''] = /^(.+?)([-_.])([a-z]{2,3}(?:[-_][a-z]{2,4})?)(\.\w+)$/i.exec(path) ?? [];
    const [language, original] = [folderLanguage(tag), name + ending];
    const isNamed = sign === '.' || /[-_][A-Z]/.test(tag) || /(?:^|\/)readme$/i.test(name);
    return isNamed && language !== undefined && paths.has(original) ? { language, original } : undefined;
  };
  const folderOf = (page: SourcePage): string | undefined =>
    besideOf(page)?.language ?? namedLanguage(page.path.split('/')[languageAt(page)] ?? '', page);
  const given = (page: SourcePage): string | undefined =>
    language ?? page.fields.language ?? (stated.size > 1 ? page.language : undefined) ?? folderOf(page) ?? page.language;
  const known = new Map<SourcePage, string | undefined>();
  const languageOf = (page: SourcePage): string | undefined => {
    if (!known.has(page))
      known.set(page, (language ?? page.fields.language) || writtenLanguage(page, given(page) ?? ownLanguage) || given(page));
    return known.get(page);
  };
  const main = (tag: string | undefined): string | undefined => tag?.split('-')[0];
  const [own = ownLanguage] = pages.some((page) => main(languageOf(page) ?? ownLanguage) === main(ownLanguage))
    ? []
    : pages.flatMap((page) => (folderOf(page) === undefined ? (languageOf(page) ?? []) : []));
  const isOwn = (page: SourcePage): boolean => main(languageOf(page) ?? own) === main(own);
  const isAbroad = (page: SourcePage, other = page): boolean => main(folderOf(page) ?? languageOf(other)) !== main(languageOf(other));
  const [originalOf, copies] = [new Map<SourcePage, SourcePage>(), new Map<SourcePage, SourcePage>()];
  const keyOf = (page: SourcePage): string =>
    besideOf(page)?.original ?? (folderOf(page) === undefined ? page.path : page.path.split('/').toSpliced(languageAt(page), 1).join('/'));
  for (const group of Map.groupBy(pages, keyOf).values()) {
    const atHome = group.filter((page) => isOwn(page) && !isAbroad(page));
    const original = atHome.find((page) => folderOf(page) === undefined) ?? atHome[0] ?? group.find(isOwn) ?? group[0];
    const seen = new Set([original && languageOf(original)]);
    for (const page of group) {
      const own = languageOf(page);
      if (original === undefined || page === original || original.fields.isHidden) continue;
      if (isAbroad(page, original) && isCopy(page, original)) copies.set(page, original);
      if (seen.has(own) || copies.has(page)) continue;
      seen.add(own);
      originalOf.set(page, original);
    }
  }
  return { languageOf, languageAt, originalOf, copies, isOwn };
}

/** Scripts in which one language is written, with the codes of all scripts that have its letters (ISO 15924). Words with kana are Japanese. */
const SCRIPTS: readonly (readonly [letter: RegExp, language: string, scripts: string])[] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja', 'Jpan'],
  [/\p{Script=Hangul}/u, 'ko', 'Kore'],
  [/\p{Script=Han}/u, 'zh', 'Hans Hant'],
  [/\p{Script=Thai}/u, 'th', 'Thai'],
  [/\p{Script=Greek}/u, 'el', 'Grek'],
  [/\p{Script=Hebrew}/u, 'he', 'Hebr'],
  [/\p{Script=Bengali}/u, 'bn', 'Beng'],
  [/\p{Script=Tamil}/u, 'ta', 'Taml'],
  [/\p{Script=Telugu}/u, 'te', 'Telu'],
  [/\p{Script=Georgian}/u, 'ka', 'Geor'],
  [/\p{Script=Armenian}/u, 'hy', 'Armn'],
  [/\p{Script=Khmer}/u, 'km', 'Khmr'],
  [/\p{Script=Lao}/u, 'lo', 'Laoo'],
  [/\p{Script=Myanmar}/u, 'my', 'Mymr'],
];

/** A Japanese text has so many words with kana for each that has none, or more. */
const KANA_MIN_SHARE = 0.25;

/** The language whose script most of a text is in, if `otherwise`, which a theme or a setting states, is not written in that. */
function writtenLanguage({ facts }: SourcePage, otherwise: string): string | undefined {
  const letters = new Map<string, number>();
  let total = 0;
  for (const [word, count] of facts.words) {
    const script = /[^\x00-\u024f]/.test(word) ? SCRIPTS.find(([letter]) => letter.test(word)) : undefined;
    total += word.length * count;
    if (script !== undefined) letters.set(script[1], (letters.get(script[1]) ?? 0) + word.length * count);
  }
  const [kana = 0, han = 0] = [letters.get('ja'), letters.get('zh')];
  if (kana > KANA_MIN_SHARE * han) letters.set('ja', kana + han).delete('zh');
  const [, written, scripts = ''] = SCRIPTS.find(([, language]) => (letters.get(language) ?? 0) * 2 > total) ?? [];
  return scripts.split(' ').some((script) => likely(otherwise).includes(`-${script}`)) ? undefined : written;
}

/** A language tag with the script and the region that most readers of it have: "ja" and "ja-JP" are one. */
export function likely(language: string): string {
  try {
    return new Intl.Locale(language).maximize().toString();
  } catch {
    // A tag of the right form may name nothing, as in the settings of a publication.
    return language;
  }
}

/** From so many texts on that folders such as `docs/en` and `docs/fr` have alike, their names are languages. */
const ALIKE_MIN = 2;

/**
 * Which part of a path is the folder of a language, or -1: the first below the folders that all share; or a deeper one, if texts beside it, or
 * in other such folders beside it, have the same names.
 */
function languageFolders(pages: readonly SourcePage[]): (page: SourcePage) => number {
  const shared = sharedFolders(pages);
  const candidates = (page: SourcePage) => {
    const parts = page.path.split('/');
    return parts.slice(0, -1).flatMap((part, at) => {
      const isDeeper = at > shared && namedLanguage(part, page) !== undefined;
      return isDeeper ? [{ at, parent: parts.slice(0, at).join('/'), rest: parts.slice(at + 1).join('/') }] : [];
    });
  };
  const paths = new Set(pages.map(({ path }) => path));
  const parents = new Set<string>();
  for (const [parent, texts] of Map.groupBy(pages.flatMap(candidates), (candidate) => candidate.parent)) {
    const alike = [...Map.groupBy(texts, ({ rest }) => rest)].filter(([, same]) => same.length > 1);
    if (alike.length >= ALIKE_MIN || texts.some(({ rest }) => paths.has(`${parent}/${rest}`))) parents.add(parent);
  }
  return (page) => {
    const first = page.path.split('/').slice(0, -1)[shared] ?? '';
    if (namedLanguage(first, page) !== undefined) return shared;
    return candidates(page).find(({ parent }) => parents.has(parent))?.at ?? -1;
  };
}

/** The language that a folder names: a usual one, or that of its text. */
function namedLanguage(folder: string, { fields: { language = '' } }: SourcePage): string | undefined {
  const isStated = language !== '' && language.split('-')[0] === folder.toLowerCase().split(/[-_]/)[0];
  return folderLanguage(folder) ?? (isStated ? language : undefined);
}

/** Most words that a page has more than the original that it shows: a notice that it is not translated. */
const NOTICE_WORDS_MAX = 40;

/** Share of the words beside code, which stay in translations, by which such pages may differ: labels of boxes, each counted once. */
const COPY_DIFFERENCE_MAX = 0.02;

function isCopy(page: SourcePage, original: SourcePage): boolean {
  const differing = (wordTotal(original.facts) - wordCount(original.facts.code.join('\n'))) * COPY_DIFFERENCE_MAX;
  return (
    loose(page.title) === loose(original.title) &&
    page.headings.length === original.headings.length &&
    new Set(missingWords(original.facts, page.facts)).size <= differing &&
    new Set(missingWords(page.facts, original.facts)).size <= differing + NOTICE_WORDS_MAX
  );
}

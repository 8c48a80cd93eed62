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
  const languageOf = (page: SourcePage): string | undefined =>
    language ?? page.fields.language ?? (stated.size > 1 ? page.language : undefined) ?? folderOf(page) ?? page.language;
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
    const known = new Set([original && languageOf(original)]);
    for (const page of group) {
      const own = languageOf(page);
      if (original === undefined || page === original || original.fields.isHidden) continue;
      if (isAbroad(page, original) && isCopy(page, original)) copies.set(page, original);
      if (known.has(own) || copies.has(page)) continue;
      known.add(own);
      originalOf.set(page, original);
    }
  }
  return { languageOf, languageAt, originalOf, copies, isOwn };
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

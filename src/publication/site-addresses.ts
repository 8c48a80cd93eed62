import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY_PAGES } from '../schemas/deployment.ts';
import { draftEditorial, type Editorial, type RangeRule } from '../schemas/editorial.ts';
import { buyPath, capsulePath, docPath, GUIDE_IDS, PATHS } from '../schemas/paths.ts';
import { HOME_PAGE_ID } from '../schemas/site-links.ts';
import { validFields } from './capsules/check-capsules.ts';
import type { ParsedFile } from './front-matter.ts';
import type { TextAddresses } from './links/resolve-link.ts';
import type { TextFile, TextFolder } from './read-texts.ts';

/** A text to check, with its place on the site. */
export interface CheckedText {
  readonly path: string;
  readonly file: ParsedFile<unknown>;
  /** Root-relative address, also of a draft. */
  readonly address: string;
  /** Bounds of its length. */
  readonly words: RangeRule;
  /** Keys of its sources; `undefined` if they are unknown. */
  readonly sourceKeys: readonly string[] | undefined;
  /** Whether house rules are warnings, as in a draft. */
  readonly isDraft: boolean;
  /** Whether it may link to paid texts, which are not published without payments. */
  readonly isPaid: boolean;
}

/** Where the texts of a publication are on its site. */
export interface SiteAddresses {
  /** Files and addresses of texts that everybody can read, and of those that are sold. */
  readonly open: TextAddresses;
  readonly paid: TextAddresses;
  /** Files of texts that are not published yet. */
  readonly drafts: ReadonlySet<string>;
  /**
   * Whether a page or a file has this root-relative address.
   *
   * @param isPaid Whether pages of paid texts count, which are missing without payments.
   */
  readonly exists: (path: string, isPaid: boolean) => boolean;
}

/** Prefixes of addresses that are not pages themselves, and pages that exist only if the publisher writes them. */
const NOT_PAGES: readonly string[] = [
  ...POLICY_PAGES.map((page) => PATHS[page]),
  PATHS.gateway,
  PATHS.capsulesApi,
  PATHS.publicCapsules,
  PATHS.acp,
  PATHS.data,
  PATHS.media,
  PATHS.mirror,
];

/** Address of a page of the publisher. */
export function pagePath(id: string): string {
  return id === HOME_PAGE_ID ? PATHS.home : `/${id}`;
}

/** All texts of a publication, also drafts and those whose front matter has mistakes, as they are checked. */
export function checkedTexts(
  { capsules, pages, offers }: Readonly<Record<'capsules' | 'pages' | 'offers', TextFolder<unknown>>>,
  editorial: Editorial,
): CheckedText[] {
  const ofDrafts = draftEditorial(editorial);
  const textsOf = (
    folder: TextFolder<unknown>,
    rule: 'words' | 'page_words' | 'offer_words',
    addressOf: (id: string) => string,
  ): CheckedText[] =>
    [...folder.texts, ...folder.faulty].map(({ id, path, file }) => ({
      path,
      file,
      address: addressOf(id),
      words: (isDraft(file.data) ? ofDrafts : editorial)[rule],
      sourceKeys: [],
      isDraft: isDraft(file.data),
      isPaid: false,
    }));
  const ofCapsule = (text: TextFile<unknown>): Partial<CheckedText> => ({
    sourceKeys: sourceKeys(text, editorial),
    isPaid: validFields(text.file.data).access !== 'public',
  });
  const files = new Map([...capsules.texts, ...capsules.faulty].map((text) => [text.path, text]));
  return [
    ...textsOf(capsules, 'words', capsulePath).map((text) => {
      const file = files.get(text.path);
      return file ? { ...text, ...ofCapsule(file) } : text;
    }),
    ...textsOf(pages, 'page_words', pagePath),
    ...textsOf(offers, 'offer_words', buyPath),
  ];
}

function isDraft(frontMatter: unknown): boolean {
  return typeof frontMatter === 'object' && frontMatter !== null && 'draft' in frontMatter && frontMatter.draft === true;
}

/** Keys of the sources of a capsule; `undefined` if they are unknown, because they must be written and are not. */
function sourceKeys({ file, written }: TextFile<unknown>, { complete_front_matter }: Editorial): readonly string[] | undefined {
  if (file.data === undefined || (complete_front_matter !== 'off' && written?.has('sources') !== true)) return undefined;
  return (validFields(file.data).sources ?? []).map(({ key }) => key);
}

/**
 * The addresses of a publication.
 *
 * @param parts Files that are published, those of them that are sold, and further addresses, such as aliases of offers.
 */
export function siteAddresses(
  root: string,
  texts: readonly Pick<CheckedText, 'path' | 'address'>[],
  { shown, paid, others }: { readonly shown: ReadonlySet<string>; readonly paid: ReadonlySet<string>; readonly others: readonly string[] },
): SiteAddresses {
  const addressOf = (isWanted: (path: string) => boolean): Map<string, string> =>
    new Map(texts.filter(({ path }) => shown.has(path) && isWanted(path)).map(({ path, address }) => [path, address]));
  const open = addressOf((path) => !paid.has(path));
  const sold = addressOf((path) => paid.has(path));
  const soldAddresses = new Set(sold.values());
  const pages = new Set<string>([
    ...Object.values(PATHS).filter((path) => !NOT_PAGES.includes(path)),
    ...GUIDE_IDS.map(docPath),
    ...open.values(),
    ...others,
  ]);
  return {
    open,
    paid: sold,
    drafts: new Set(texts.map(({ path }) => path).filter((path) => !shown.has(path))),
    exists: (path, isPaid) =>
      pages.has(path) ||
      (isPaid && soldAddresses.has(path)) ||
      path.startsWith(`${PATHS.api}/`) ||
      path.startsWith(`${PATHS.problems}/`) ||
      isPublicFile(root, path),
  };
}

/** Whether a root-relative address is a file below public/. */
function isPublicFile(root: string, path: string): boolean {
  const name = URL.canParse(path, 'https://site.invalid') ? decodedName(path) : '';
  return name.length > 1 && !name.includes('..') && !name.endsWith('/') && !name.includes('\\') && existsSync(join(root, 'public', name));
}

function decodedName(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

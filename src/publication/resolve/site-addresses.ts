import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY_PAGES } from '../../schemas/deployment.ts';
import { buyPath, capsulePath, docPath, GUIDE_IDS, HOME_PAGE_ID, isAtBase, PATHS } from '../../schemas/paths.ts';
import { decoded, type TextAddresses } from '../../text/markdown/resolve-links.ts';
import { isDraft, type TextReading, validFields } from '../read/read-text-file.ts';
import type { TextFolder } from '../read/read-text-folder.ts';

export interface CheckedText {
  readonly path: string;
  /** Root-relative address, also of a draft. */
  readonly address: string;
  readonly bodyLine: number;
  readonly reading: TextReading;
  readonly isDraft: boolean;
  /** Whether it may link to paid texts, which are not published without payments. */
  readonly isPaid: boolean;
}

export type SiteAddresses = Readonly<ReturnType<typeof siteAddresses>>;

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
  PATHS.texts,
  PATHS.llmsSubjects,
  PATHS.openApiSlices,
  PATHS.sitemapParts,
];

/** Pages of the engine that show a text of the publisher, if there is one. */
export const EXTENDED_PAGES: readonly string[] = [PATHS.checkout, PATHS.invoice, PATHS.contact];

/** Ids that pages of the publisher cannot have, because other pages and operations have their addresses. */
export const RESERVED_PAGE_IDS: readonly string[] = [
  ...['index', '404'],
  ...Object.values(PATHS)
    .filter((path) => /^\/[^./]+$/.test(path) && !NOT_PAGES.includes(path) && !EXTENDED_PAGES.includes(path))
    .map((path) => path.slice(1)),
];

export function pagePath(id: string): string {
  return id === HOME_PAGE_ID ? PATHS.home : `/${id}`;
}

export function checkedTexts(texts: Readonly<Record<'capsules' | 'pages' | 'offers', TextFolder<unknown>>>): CheckedText[] {
  const { capsules, pages, offers } = texts;
  const textsOf = ({ texts, invalid }: TextFolder<unknown>, addressOf: (id: string) => string): CheckedText[] =>
    [...texts, ...invalid].map(({ id, path, file, reading }) => ({
      path,
      address: addressOf(id),
      bodyLine: file.bodyLine,
      reading,
      isDraft: isDraft(file.data),
      isPaid: false,
    }));
  const paid = new Set(
    [...capsules.texts, ...capsules.invalid].filter(({ file }) => accessOf(file.data) !== 'public').map(({ path }) => path),
  );
  return [
    ...textsOf(capsules, capsulePath).map((text) => (paid.has(text.path) ? { ...text, isPaid: true } : text)),
    ...textsOf(pages, pagePath),
    ...textsOf(offers, buyPath),
  ];
}

/** Access of a capsule; `undefined` if its front matter does not say it in a valid way. */
function accessOf(frontMatter: unknown): unknown {
  return typeof frontMatter === 'object' && frontMatter !== null && 'access' in frontMatter
    ? frontMatter.access
    : validFields(frontMatter).access;
}

interface PublishedFiles {
  readonly shown: ReadonlySet<string>;
  /** Those that are sold. */
  readonly paid: ReadonlySet<string>;
  /** Further addresses, such as aliases of offers. */
  readonly others: readonly string[];
  readonly baseUrl: string | undefined;
}

export function siteAddresses(
  root: string,
  texts: readonly Pick<CheckedText, 'path' | 'address'>[],
  { shown, paid, others, baseUrl }: PublishedFiles,
) {
  const addressOf = (isWanted: (path: string) => boolean): TextAddresses =>
    new Map(texts.filter(({ path }) => shown.has(path) && isWanted(path)).map(({ path, address }) => [path, address]));
  const open = addressOf((path) => !paid.has(path));
  const sold = addressOf((path) => paid.has(path));
  const soldAddresses = new Set(sold.values());
  const pages = new Set<string>([
    ...Object.values(PATHS).filter((path) => !NOT_PAGES.includes(path) && (baseUrl === undefined || isAtBase(path, baseUrl))),
    ...GUIDE_IDS.map(docPath),
    ...open.values(),
    ...others,
  ]);
  return {
    /** Files and addresses of texts that everybody can read, and of those that are sold. */
    open,
    paid: sold,
    drafts: new Set(texts.map(({ path }) => path).filter((path) => !shown.has(path))) as ReadonlySet<string>,
    /** @param isPaid Whether pages of paid texts count, which are missing without payments. */
    exists: (path: string, isPaid: boolean): boolean =>
      pages.has(path) ||
      (isPaid && soldAddresses.has(path)) ||
      path.startsWith(`${PATHS.api}/`) ||
      path.startsWith(`${PATHS.problems}/`) ||
      isPublicFile(root, path) ||
      hasAstroPage(join(root, ASTRO_PAGES), path.split('/').slice(1)),
  };
}

const ASTRO_PAGES = 'src/pages';

function hasAstroPage(folder: string, [segment = '', ...rest]: readonly string[]): boolean {
  if (!existsSync(folder)) return false;
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    if (entry.name.startsWith('_')) return false;
    if (entry.isDirectory())
      return (
        (entry.name === segment || entry.name.startsWith('[')) && hasAstroPage(join(folder, entry.name), rest.length === 0 ? [''] : rest)
      );
    const name = /^(.+)\.(?:astro|mdx?|html|[jt]s)$/.exec(entry.name)?.[1];
    if (name === undefined) return false;
    return name.startsWith('[...') || (rest.length === 0 && (name.startsWith('[') || name === (segment === '' ? 'index' : segment)));
  });
}

function isPublicFile(root: string, path: string): boolean {
  const name = URL.canParse(path, 'https://site.invalid') ? decoded(path) : '';
  return name.length > 1 && !name.includes('..') && !name.endsWith('/') && !name.includes('\\') && existsSync(join(root, 'public', name));
}

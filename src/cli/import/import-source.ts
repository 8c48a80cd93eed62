import type { Grade, TextFacts } from './conversion-losses.ts';
import type { MappedFields } from './front-matter.ts';
import type { ConvertedHeading } from './html/html-to-markdown.ts';

/** What a tree of texts was written for. */
export const GENERATORS = ['html', 'obsidian', 'notion', 'plain'] as const;
export type Generator = (typeof GENERATORS)[number];

export const TEXT_MAX_BYTES = 1_048_576;

/** Largest image that is copied, and largest document that is read, in bytes. */
export const FILE_MAX_BYTES = 30_000_000;

/** Something that an import could not carry over, or that a person should look at. */
export interface ImportNote {
  readonly path: string;
  readonly line: number;
  readonly message: string;
  /** How bad it is; something to look at by default. */
  readonly grade?: Grade;
}

export interface NavigationEntry {
  readonly url: string;
  readonly label: string;
  /** Names of the groups that it stands in, the outermost first. */
  readonly path: readonly string[];
}

/** What a page shows of the navigation of its site: one list of links, and the menu above the page, which may be the same. */
export interface PageNavigation {
  readonly list: readonly NavigationEntry[];
  readonly isMenu: boolean;
  readonly menu: readonly NavigationEntry[];
}

/** A page of a source as markdown of this engine, but with the links of its source. */
export interface SourcePage {
  /** Unique path of the page in its source, with slashes, such as `docs/guides/install.mdx`. */
  readonly path: string;
  /** The page as it was, and the line of its file where that begins, to find the lines of notes in. */
  readonly source: string;
  readonly line: number;
  readonly fields: MappedFields;
  readonly title: string;
  readonly headTitle?: string | undefined;
  readonly text: string;
  readonly headings: readonly ConvertedHeading[];
  readonly topAnchors: readonly string[];
  readonly questions?: readonly string[];
  /** Ids of elements in the HTML of the text, which links may name as they are. */
  readonly ids: readonly string[];
  readonly facts: TextFacts;
  readonly notes: readonly ImportNote[];
  /** Addresses on the site of the source, without a slash at the end; links to them lead to this page. */
  readonly routes: readonly string[];
  /** Addresses from the root of the site at which readers know it, as hosts answer them. */
  readonly addresses?: readonly string[] | undefined;
  readonly url?: string | undefined;
  /** Language of the folder that the page is in, as a BCP 47 tag. */
  readonly language?: string | undefined;
  /** First and last commit of the file, `YYYY-MM-DD`. */
  readonly created?: string | undefined;
  readonly updated?: string | undefined;
  readonly sha256: string;
}

/** A file of a source: its bytes, or why it is not read. `undefined` if there is no such file. */
export type OpenedFile = { readonly bytes: Buffer } | { readonly refused: string } | undefined;

export interface SourceFile {
  readonly path: string;
  readonly read: () => OpenedFile;
}

export interface OpenOptions {
  readonly generator?: Generator | undefined;
  /** Address of the site of a folder. */
  readonly site?: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  readonly root: string;
  readonly by: 'tag' | 'operation';
  readonly requestsPerSecond: number;
  readonly pagesMax: number;
  readonly copiesRemoteImages: boolean;
  readonly onProgress: (step: string, done: number, total?: number) => void;
}

/** Everything that an import reads, whatever it comes from. */
export interface Source {
  readonly generator: Generator | 'word' | 'llms.txt' | 'sitemap' | 'site' | 'export' | 'openapi';
  /** What identifies the source in later imports: the address of its repository or site, or the name of its folder. */
  readonly from: string;
  /** The folder that it is in, if that alone names it. */
  readonly folder?: string | undefined;
  readonly pages: readonly SourcePage[];
  /** Finds the file behind a path that a page names, such as `../images/a.png` or `/img/a.png`; without it, pages refer to no files. */
  readonly findFile?: (fromPath: string, target: string) => SourceFile | undefined;
  readonly remoteImages?: ReadonlyMap<string, SourceFile>;
  readonly copiesRemoteImages?: boolean;
  readonly imageBytes?: number;
  /** Whether the source no longer has a page that an earlier import found. */
  readonly isGone: (path: string) => boolean;
  readonly navigation?: readonly NavigationEntry[];
  /** Origin and base path of the site of the source, such as `https://docs.example.com/v2`, without a slash at the end. */
  readonly site?: string | undefined;
  /** Whether the site was built for its author's machine, so that its addresses lead nowhere for others. */
  readonly isPreview?: boolean;
  /** Where the files of its repository are shown, with a slash at the end. */
  readonly filesUrl?: string | undefined;
  /** SPDX identifier of the licence that it states, and the path of its file from the imported folder, such as `../LICENSE`. */
  readonly license?: { readonly id: string; readonly file: string } | undefined;
  /** Files and pages that were not read or not converted, with the reason; grows as the import goes on. */
  readonly skipped: ImportNote[];
}

export function commonFolders(path: string, other: string): number {
  const [a, b] = [path.split('/').slice(0, -1), other.split('/')];
  const end = a.findIndex((folder, index) => folder !== b[index]);
  return end === -1 ? a.length : end;
}

export const NOT_CONVERTED = 'cannot be converted';

/** What is made of one page; `undefined`, with a note, if that fails, whatever it makes fail: the other pages are imported. */
export function attempt<T>(make: () => T, path: string, skipped: ImportNote[]): T | undefined {
  try {
    return make();
  } catch (error) {
    const isDeep = error instanceof RangeError && error.message.includes('call stack');
    const reason = `, and is left out: ${error instanceof Error ? error.message : String(error)}`;
    const message = NOT_CONVERTED + (isDeep ? ', because it nests elements too deeply, and is left out' : reason);
    return void skipped.push({ path, line: 1, message });
  }
}

/** Number of folders that all pages have in common. */
export function sharedFolders(pages: readonly Pick<SourcePage, 'path'>[]): number {
  return Math.min(...pages.map(({ path }) => commonFolders(pages[0]?.path ?? '', path)));
}

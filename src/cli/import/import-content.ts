import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path';
import { UserError } from '../../publication/content-problem.ts';
import { replaceFile } from '../../publication/read/content-files.ts';
import { SECTIONS_FILE } from '../../publication/resolve/sections-subjects-incidents.ts';
import type { ImportOrigin } from '../../schemas/knowledge/capsule-front-matter.ts';
import { plainText, walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { factsOfMarkdown, joinFacts, loose, missingWords, wordTotal } from './conversion-losses.ts';
import { fetchRemoteImages } from './fetch-remote-images.ts';
import { type FinishedImport, type ImportOutcome, REPORT_FILE, reportMarkdown } from './import-report.ts';
import { attempt, FILE_MAX_BYTES, type OpenOptions, type Source, type SourcePage } from './import-source.ts';
import { capsuleFile, type ExistingFiles, fieldsDigest, originKey, readExisting, sha256 } from './imported-capsules.ts';
import { type ImportPlan, type PlanOptions, planImport, wordsIn } from './plan-import.ts';
import { linkResolver } from './rewrite-links.ts';
import { isExport, readExport } from './sources/read-export.ts';
import { readExportFolder } from './sources/read-export-folder.ts';
import { readFolder } from './sources/read-folder.ts';
import { isHtmlFolder, readHtmlFolder } from './sources/read-html-folder.ts';
import { isOpenApi, readOpenApi } from './sources/read-openapi.ts';
import { isSitemap, openSite, readLlmsTxt, readSite, readSitemap } from './sources/read-site.ts';
import { readWordFiles, WORD_FILE, wordFilesIn } from './sources/read-word.ts';

const UNREADABLE: readonly (readonly [RegExp, string])[] = [
  [
    /^https:\/\/(?:github|gitlab|bitbucket|codeberg)\.(?:com|org)\/[^/]+\/[^/]+\/?(?:(?:-\/)?tree\/.*)?$/i,
    'is a repository; clone it, and import its folder',
  ],
  [/\.(?:zip|7z|rar|tar|t?gz)$/i, 'is an archive; unpack it, and import its folder'],
  [
    /\.(?:doc|odt|rtf|epub)$/i,
    'is not read; save it as a file of Word (.docx) or as HTML, or convert it ("pandoc -t gfm --extract-media=. -o text.md …"), and import the folder of the result',
  ],
  [
    /\.pdf$/i,
    'has pages, but no headings and paragraphs; import what it was made from, or open it in Word or Google Docs, and save that as .docx',
  ],
  [/\.(?:canvas|base)$/i, 'is shown by Obsidian alone; write what it says as a note, and import the folder of that'],
  [/(?:^|[\\/])entities\.xml$/i, 'is an export of Confluence in XML; export the space as HTML, unpack that, and import its folder'],
];

/** Reads whatever the user named: a site, a folder, or a document of a known kind. @throws {UserError} If it is nothing that can be imported. */
export async function openSource(given: string, options: OpenOptions): Promise<Source> {
  const source = await readSource(given, options);
  return options.copiesRemoteImages ? await fetchRemoteImages(source, given, options) : source;
}

async function readSource(given: string, options: OpenOptions): Promise<Source> {
  for (const [pattern, remedy] of UNREADABLE) if (pattern.test(given)) throw new UserError(`${given} ${remedy}`);
  if (/^https?:\/\//i.test(given)) {
    if (!URL.canParse(given)) throw new UserError(`${given} is not a valid address`);
    const site = await openSite(new URL(given).origin, options.requestsPerSecond);
    const fetched = await site.fetchPage(new URL(given).href);
    if ('problem' in fetched) throw new UserError(`${given} ${fetched.problem}`);
    const isHtml = (/html/.test(fetched.mediaType) && !isSitemap(fetched.text)) || /^\s*<(?:!doctype html|html)/i.test(fetched.text);
    return isHtml ? await readSite(fetched, site, options) : await readDocument(given, fetched.text, options);
  }
  if (!existsSync(given)) throw new UserError(`${given} does not exist; name a folder, a file or an https address`);
  const stats = lstatSync(given);
  if (stats.isSymbolicLink()) throw new UserError(`${given} is a symbolic link, which an import does not follow; name what it points to`);
  const exported = stats.isDirectory() ? readExportFolder(resolve(given), options) : undefined;
  if (exported !== undefined) return exported;
  const files = stats.isDirectory() && options.generator === undefined ? wordFilesIn(resolve(given)) : [];
  if (files.length > 0) return await readWordFiles(resolve(given), files, options);
  if (stats.isDirectory())
    return options.generator === 'html' || (options.generator === undefined && isHtmlFolder(resolve(given)))
      ? readHtmlFolder(resolve(given), options)
      : await readFolder(given, options);
  if (WORD_FILE.test(given)) return await readWordFiles(dirname(resolve(given)), [basename(given)], options);
  if (stats.size > FILE_MAX_BYTES) throw new UserError(`${given} has more than 30 MB; import a part of it`);
  return await readDocument(given, readFileSync(given, 'utf8'), options);
}

async function readDocument(given: string, text: string, options: OpenOptions): Promise<Source> {
  if (isExport(text)) return readExport(given, text, options);
  if (isSitemap(text)) return await readSitemap(given, text, options);
  if (/<(?:rss|feed)[\s>]/.test(text.slice(0, 2_000)))
    throw new UserError(`${given} is a feed, which has the newest texts alone; import its site by its address`);
  if (/"articles"\s*:\s*\[[\s\S]{0,2000}"section_id"/.test(text.slice(0, 5_000)))
    throw new UserError(
      `${given} is an export of Zendesk; import its help center by its address, such as https://support.example.com/hc/en-us`,
    );
  if (/\.(?:json|ya?ml)$/i.test(given.replace(/[?#].*$/, '')) || isOpenApi(text)) return readOpenApi(given, text, options);
  if (/llms[\w-]{0,60}\.(?:txt|md)$/i.test(given.replace(/[?#].*$/, ''))) return await readLlmsTxt(given, text, options);
  if (/\.x?html?$/i.test(given)) throw new UserError(`${given} is one page of a site; name its folder, or the address of the site`);
  throw new UserError(
    `${given} is neither a page of a site, a folder, an llms.txt, a sitemap, an OpenAPI document nor an export of WordPress, Ghost, Substack or Medium; name one of these`,
  );
}

export interface ImportOptions extends PlanOptions, Pick<OpenOptions, 'root'> {
  readonly isForced: boolean;
  readonly isDryRun: boolean;
  readonly nowMs: () => number;
}

/** Imports a source that was read: compares it with what is there, writes, and reports. */
export async function importContent(given: Source, options: ImportOptions): Promise<FinishedImport> {
  const startMs = options.nowMs();
  const texts = withoutLists(given);
  const existing = withMoved(await readExisting(options.root, options.to, given.from), texts);
  const source = options.isForced ? texts : withoutDeleted(texts, existing);
  const plan = planImport(source, existing, options);
  if (!options.isForced) refuseOtherSource(source, plan, existing, options.root);
  const outcome = await writeImport(plan, source, existing, options);
  const { license, isDryRun, ownLanguage } = options;
  const isLanguageGiven = options.language !== undefined;
  const done: FinishedImport = {
    source,
    plan,
    license,
    ownLanguage,
    isLanguageGiven,
    outcome,
    durationMs: options.nowMs() - startMs,
    isDryRun,
  };
  if (!isDryRun) await replaceFile(join(options.root, REPORT_FILE), reportMarkdown(done));
  return done;
}

const LIST = 'lists other texts and says nothing of its own, and is left out';

/** Texts from which on a page of their titles is a list, and its words before the first of these: more is an introduction. */
const LISTED_MIN = 3;
const WORDS_BEFORE_LIST_MAX = 20;
/** Words and pictures that each has beside its title and excerpt, such as its day and the face of its author. */
const WORDS_OF_ENTRY_MAX = 8;
/** Words of these between two marks: more is a sentence that the page itself says. */
const WORDS_OF_CLAUSE_MAX = 6;
const CLAUSE_END = /[^\p{L}\p{N}\p{M}\s'’-]+|\s[-–—]\s/u;
const PICTURES_OF_ENTRY_MAX = 2;

/** A site without its lists of posts: pages whose headings and links name or lead to texts with a day, which have their other words too. */
function withoutLists(source: Source): Source {
  if (!['html', 'site', 'sitemap'].includes(source.generator)) return source;
  const isPost = ({ fields }: SourcePage): boolean => fields.created !== undefined;
  const posts = new Map(source.pages.filter(isPost).map((page) => [loose(page.title), page]));
  const resolve = linkResolver(source.pages, source);
  // A text that cannot be parsed is reported when it is placed.
  const isList = (page: SourcePage, least: number): boolean => attempt(() => lists(page, least), page.path, []) === true;
  const wordsOf = new Map<SourcePage, readonly string[]>();
  const lists = (page: SourcePage, least: number): boolean => {
    const { text, facts } = page;
    const root = parseText(text);
    const names: { readonly post?: SourcePage | undefined; readonly led?: SourcePage | undefined; to: string; at: number }[] = [];
    walk(root, (node) => {
      const isHeading = node.type === 'heading' && !node.children.some(({ type }) => type === 'link');
      if (node.type !== 'link' && !isHeading) return;
      const [words, target] = [plainText(node), node.type === 'link' ? resolve(page, node.url) : undefined];
      const led = target?.kind === 'page' ? target.page : undefined;
      const post = led && isPost(led) ? led : posts.get(loose(words));
      names.push({ post, led, to: node.type === 'link' ? node.url : words, at: node.position?.start.offset ?? 0 });
    });
    const listed = [...new Set(names.flatMap(({ post }) => post ?? []))];
    const entries = names.slice(names.findIndex(({ post }) => post !== undefined));
    const before = text.slice(0, entries[0]?.at);
    // Other pages of the site are lists as well, and excerpts have links and headings of their posts.
    const isOther = ({ post, led, to }: (typeof names)[number]): boolean =>
      post === undefined && led === undefined && !listed.some((one) => one.text.includes(to));
    const others = new Set(entries.filter(isOther).map(({ to }) => to)).size;
    if (listed.length < least || others > listed.length * 0.25) return false;
    const joined = joinFacts(listed.map((post) => post.facts));
    const isShown = facts.images > joined.images + PICTURES_OF_ENTRY_MAX * listed.length;
    if (facts.code.some((code) => !joined.code.includes(code)) || facts.tables > joined.tables || isShown) return false;
    if (wordsIn(before).length > WORDS_BEFORE_LIST_MAX) return false;
    for (const post of listed) {
      const said = [post.title, post.fields.summary, post.text].join('\n');
      wordsOf.set(post, wordsOf.get(post) ?? wordsIn(said.toLowerCase()));
    }
    const titles = new Set(listed.flatMap(({ title }) => wordsIn(title.toLowerCase())));
    const phrases = new Set(listed.flatMap((post) => phrasesOf(wordsOf.get(post) ?? [])));
    const lines = plainText(root).toLowerCase().split('\n');
    const own = lines.flatMap((line) => clausesOutside(phrases, line)).map((words) => words.filter((word) => !titles.has(word)));
    return own.every(({ length }) => length <= WORDS_OF_CLAUSE_MAX) && new Set(own.flat()).size <= WORDS_OF_ENTRY_MAX * listed.length;
  };
  const others = posts.size === 0 ? [] : source.pages.filter((page) => !isPost(page));
  const long = others.filter((page) => isList(page, LISTED_MIN));
  // Of a subject with one post, the list stands beside those of others.
  const beside = new Set(long.map(folderOf).filter((folder) => folder !== ''));
  const found = new Set([...long, ...others.filter((page) => beside.has(folderOf(page)) && isList(page, 1))]);
  source.skipped.push(...[...found].map(({ path }) => ({ path, line: 1, message: LIST })));
  return { ...source, pages: source.pages.filter((page) => !found.has(page)) };
}

/** Three words in a row: an excerpt has those of its text, and a text about it has at most the same words. */
function phrasesOf(words: readonly string[]): string[] {
  return words.map((_, at) => words.slice(at, at + 3).join(' '));
}

/** The words of each clause of a line that are in no known phrase. */
function clausesOutside(known: ReadonlySet<string>, line: string): string[][] {
  const clauses = line.split(CLAUSE_END).map(wordsIn);
  const isKnown = phrasesOf(clauses.flat()).map((phrase) => known.has(phrase));
  let at = 0;
  return clauses.map((words) => words.filter(() => !isKnown.slice(Math.max(0, at - 2), ++at).includes(true)));
}

/** The folder of a page, whose file may have one of its own: `tags/` of `tags/rain.html` and `tags/rain/index.html`. */
function folderOf({ path }: SourcePage): string {
  return path.replace(/[^/]+(?:\/index)?(?:\.\w+)?$/, '');
}

/** The capsules of an earlier import, by where the source has their texts now: a new page with the words of one that is gone is that page. */
function withMoved(existing: ExistingFiles, { pages, isGone }: Source): ExistingFiles {
  const imported = new Map(existing.imported);
  const known = new Set([...imported.values()].map(({ origin }) => origin.path));
  const gone = [...imported].filter(([, { origin }]) => isGone(origin.path));
  for (const page of pages.filter(({ path }) => !known.has(path))) {
    const parts = gone.filter(([, { origin }]) => origin.sha256 === page.sha256);
    if (new Set(parts.map(([, { origin }]) => origin.path)).size !== 1 || !parts.every(([key]) => imported.delete(key))) continue;
    for (const [, capsule] of parts) imported.set(originKey(page.path, capsule.origin.part), capsule);
  }
  return { ...existing, imported };
}

/** A source without the texts that an earlier import took from it, and that the publisher deleted; where all are, the import begins anew. */
function withoutDeleted(source: Source, { imported, texts }: ExistingFiles): Source {
  const before = new Set(imported.size === 0 ? [] : texts.bySource[source.from]?.texts);
  const there = new Set([...imported.values()].map(({ origin }) => origin.path));
  const isDeleted = ({ path }: SourcePage): boolean => before.has(path) && !there.has(path);
  const deleted = source.pages.filter(isDeleted);
  source.skipped.push(...deleted.map(({ path }) => ({ path, line: 1, message: 'was deleted here, and stays so; --force brings it back' })));
  return { ...source, pages: source.pages.filter((page) => !isDeleted(page)) };
}

/** Texts of another folder with the same name would replace those of an earlier import. @throws {UserError} */
function refuseOtherSource({ from, folder }: Source, { capsules }: ImportPlan, { imported, texts }: ExistingFiles, root: string): void {
  if (/^https?:/.test(from)) return;
  const known = capsules.flatMap(({ page, part, fields, text }) => {
    const there = imported.get(originKey(page.path, part));
    // One that was edited here is not replaced.
    if (there === undefined || sha256(there.text) !== there.origin.text_sha256) return [];
    const [title, before] = [fields['title'], there.fields['title']];
    const isSame = text === there.text || isAlike(`${title}\n\n${text}`, `${before}\n\n${there.text}`);
    return [{ file: there.file, isSame, isTitled: title === before }];
  });
  const unlike = known.filter(({ isSame }) => !isSame);
  // Most sources have an "Introduction" in the same place: a title says that one text was written anew, not that many were.
  const others = unlike.length > 1 ? unlike : unlike.filter(({ isTitled }) => !isTitled);
  if (others.length * 2 > known.length)
    throw new UserError(
      `${others.length} of ${known.length} texts that an earlier import took from "${from}" are others here, such as ${others[0]?.file}; if this is another source, rename its folder, and if not, --force replaces them`,
    );
  const before = texts.bySource[from]?.folder;
  if (folder !== undefined && before !== undefined && resolve(root, before) !== folder && existsSync(join(root, before)))
    throw new UserError(
      `an earlier import took "${from}" from ${before}, which is still there, so ${relative(root, folder)} is taken for another source: rename its folder; or if it is the newer form of that one, delete or rename ${before}, and import again`,
    );
}

function isAlike(text: string, other: string): boolean {
  const [facts, others] = [factsOfMarkdown(text), factsOfMarkdown(other)];
  return missingWords(others, facts).length * 2 <= wordTotal(others);
}

type Write = (file: string, content: string | Uint8Array) => Promise<void>;
type Read = (file: string) => Promise<Buffer | undefined>;

async function writeImport(plan: ImportPlan, source: Source, existing: ExistingFiles, options: ImportOptions): Promise<ImportOutcome> {
  const { root, isDryRun } = options;
  const write: Write = async (file, content) => {
    if (!isDryRun) await replaceFile(join(root, file), content);
  };
  const read: Read = async (file) => await readFile(join(root, file)).catch(() => undefined);
  const files: Omit<ImportOutcome, 'sections'> = { created: [], updated: [], unchanged: [], kept: [], conflicts: [], gone: [], copied: [] };
  for (const capsule of plan.capsules) {
    const key = originKey(capsule.page.path, capsule.part);
    const { outcome, content } = contentOfCapsule(capsule, existing.imported.get(key), source.from, options.isForced);
    files[outcome].push(capsule.file);
    if (content !== undefined) await write(capsule.file, content);
  }
  const lists = source.skipped.flatMap(({ path, message }) => (message === LIST ? path : []));
  const withoutText = new Set([...source.pages.flatMap(({ path, text }) => (text === '' ? path : [])), ...lists]);
  const isWithoutCapsule = (path: string): boolean => source.isGone(path) || withoutText.has(path) || plan.copies.includes(path);
  const planned = new Set(plan.capsules.flatMap(({ page: { path }, part }) => [originKey(path, part), path]));
  const pages = new Set(plan.capsules.map(({ page }) => page.path));
  const others = [...existing.imported].filter(([key]) => !planned.has(key));
  for (const [, { file, origin }] of others) if (pages.has(origin.path) || isWithoutCapsule(origin.path)) files.gone.push(file);

  // An import of a part says nothing about the rest.
  const isWhole = others.length === files.gone.length;
  const sections = await writeSections(plan.sections, source, isWhole, options, read, write);
  const { copied, conflicts } = await writeImages(plan.images, source.from, existing, options, read, write);
  files.copied.push(...copied);
  files.conflicts.push(...conflicts);
  const { texts } = existing;
  // What lost its text, or is a copy or a list now, may be deleted here and come back.
  const paths = [...(texts.bySource[source.from]?.texts ?? []), ...pages].filter((path) => !isWithoutCapsule(path));
  const folder = source.folder && relative(root, source.folder).split(sep).join('/');
  texts.bySource[source.from] = { folder, texts: [...new Set(paths)].sort() };
  const written = sortedJson(texts.bySource);
  if (written !== texts.written) await write(texts.file, written);
  return { ...files, sections };
}

/** What becomes of the file of a capsule, and what is written there. @param known What an earlier import wrote, as it is now. */
function contentOfCapsule(
  { page, part, fields, text }: ImportPlan['capsules'][number],
  known: ReturnType<ExistingFiles['imported']['get']>,
  from: string,
  isForced: boolean,
): { readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept' | 'conflicts'; readonly content?: string } {
  const origin: ImportOrigin = {
    from,
    path: page.path,
    ...(part === undefined ? {} : { part }),
    ...(page.url === undefined ? {} : { url: page.url }),
    ...{ sha256: page.sha256, text_sha256: sha256(text), fields_sha256: fieldsDigest(fields) },
  };
  if (known === undefined) return { outcome: 'created', content: capsuleFile(fields, origin, text) };
  const { text_sha256, fields_sha256, path } = known.origin;
  const isTextEdited = sha256(known.text) !== text_sha256;
  const areFieldsEdited = fieldsDigest(known.fields) !== fields_sha256;
  const isTextChanged = origin.text_sha256 !== text_sha256;
  const isMoved = origin.path !== path;
  const isSourceChanged = isTextChanged || origin.fields_sha256 !== fields_sha256 || isMoved;
  const takesSource = isForced && (isTextEdited || areFieldsEdited || isSourceChanged);
  if (!takesSource && !isSourceChanged) return { outcome: isTextEdited || areFieldsEdited ? 'kept' : 'unchanged' };
  // Front matter that was edited here, such as a removed "draft", stays, but for the addresses of a new place.
  const stays = areFieldsEdited && !takesSource;
  const own = !stays ? fields : isMoved ? { ...known.fields, path: fields['path'] ?? known.fields['path'] } : known.fields;
  const written = { ...origin, ...(stays ? { fields_sha256 } : {}) };
  if (takesSource || !isTextEdited) return { outcome: 'updated', content: capsuleFile(own, written, text) };
  const outcome = isTextChanged ? 'conflicts' : 'kept';
  return isMoved ? { outcome, content: capsuleFile(own, { ...written, text_sha256 }, known.text) } : { outcome };
}

async function writeSections(
  planned: string | undefined,
  { from, navigation = [] }: Source,
  isWhole: boolean,
  { root, isForced, isDryRun }: ImportOptions,
  read: Read,
  write: Write,
): Promise<ImportOutcome['sections']> {
  // Git may check it out with other line ends.
  const there = (await read(SECTIONS_FILE))?.toString('utf8').replaceAll('\r\n', '\n');
  const mark = (text: string): string =>
    `# Imported from ${from} as ${sha256(text).slice(0, 16)}. An import replaces this file until it is edited.\n`;
  const [head = '', rest = ''] = there?.split(/(?<=^#.*\n)/) ?? [];
  const isOwn = there === undefined || (isWhole && (head === mark(rest) || there === planned));
  if (planned === undefined) {
    if (there === undefined || !isOwn || navigation.length > 0) return 'none';
    if (!isDryRun) await rm(join(root, SECTIONS_FILE));
    return 'removed';
  }
  const text = mark(planned) + planned;
  if (there === text) return 'unchanged';
  if (!isOwn && !isForced) return 'kept';
  await write(SECTIONS_FILE, text);
  return 'written';
}

async function writeImages(
  images: ImportPlan['images'],
  from: string,
  { ledger, ledgerFile }: ExistingFiles,
  { to, isForced }: ImportOptions,
  read: Read,
  write: Write,
): Promise<Pick<ImportOutcome, 'copied' | 'conflicts'>> {
  const copied: string[] = [];
  const conflicts: string[] = [];
  for (const { file, source: image } of images) {
    const opened = image.read();
    if (opened === undefined || 'refused' in opened) continue;
    const name = posix.relative(`${to}/images`, file);
    const there = await read(file);
    const [digest, current] = [sha256(opened.bytes), there && sha256(there)];
    if (current !== undefined && current !== digest && current !== ledger[name]?.slice(0, 64) && !isForced) conflicts.push(file);
    else {
      ledger[name] = `${digest} ${from}`;
      if (current === digest) continue;
      copied.push(file);
      await write(file, opened.bytes);
    }
  }
  if (images.length > 0) await write(ledgerFile, sortedJson(ledger));
  return { copied, conflicts };
}

function sortedJson(record: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`;
}

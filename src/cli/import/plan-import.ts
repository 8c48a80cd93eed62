import { posix } from 'node:path';
import type { Nodes } from 'mdast';
import { QUESTION_MARK } from '../../gateway/knowledge/capsule-markdown.ts';
import { slugOf } from '../../publication/read/content-ids.ts';
import { isMediaFile } from '../../publication/read/media-file.ts';
import { FRONT_MATTER_MAX } from '../../schemas/knowledge/capsule-fields.ts';
import { FURTHER_PATHS_MAX, FurtherPath } from '../../schemas/knowledge/capsule-front-matter.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { findHiddenCharacters } from '../../text/check/hidden-characters.ts';
import { bodyText, countWords, plainText, walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { compareTexts, factsOfMarkdown, factsOfTree, joinFacts, loose, type TextFacts } from './conversion-losses.ts';
import { lineOf } from './convert-page.ts';
import { languagesIn, likely } from './find-translations.ts';
import { plainLine } from './front-matter.ts';
import type { ImportNote, OpenOptions, Source, SourceFile, SourcePage } from './import-source.ts';
import { attempt, sharedFolders } from './import-source.ts';
import { type ExistingFiles, originKey, sha256 } from './imported-capsules.ts';
import { escapeText, outsideCode, tidyBlankLines, withRaisedHeadings } from './markdown/markdown-syntax.ts';
import { folderNavigation, freeName, NOTION_ID, sectionsYaml, VERSION } from './plan-sections.ts';
import { headingAnchors, linkResolver, type Placement, rewriteLinks } from './rewrite-links.ts';
import { routeOf } from './sources/read-html-folder.ts';

export interface PlannedCapsule {
  readonly file: string;
  readonly page: SourcePage;
  readonly part: string | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Everything that an import would write, before it is compared with what is there. */
export interface ImportPlan {
  readonly capsules: readonly PlannedCapsule[];
  readonly images: readonly { readonly file: string; readonly source: SourceFile }[];
  readonly notes: readonly ImportNote[];
  /** Order of the capsules as the navigation of the source has it: the text of `content/sections.yaml`. */
  readonly sections: string | undefined;
  /** Paths of pages that are not translated: their addresses lead to their originals. */
  readonly copies: readonly string[];
}

export interface PlanOptions {
  readonly to: string;
  /** Pages of more words are split at their second-level headings; `undefined` keeps all whole. */
  readonly splitOver?: number | undefined;
  readonly prefix?: string | undefined;
  readonly license?: string | undefined;
  readonly language?: string | undefined;
  /** Language of the publication, which capsules need not state. */
  readonly ownLanguage: string;
  readonly isPublished: boolean;
  readonly onProgress: OpenOptions['onProgress'];
}

/** Pages from which on a title or a summary that they share is one of the site. */
const SHARED_MIN = 3;

/** Share of the pages that a navigation has from which on it is the order of a site. */
const ORDERED_SHARE_MIN = 0.2;

/** Gives every page its id, file and links. Pages that were imported before keep their files. */
export function planImport(given: Source, existing: ExistingFiles, options: PlanOptions): ImportPlan {
  const source = { ...given, pages: withOwnTitles(given.pages) };
  const withText = source.pages.filter(({ text }) => text !== '');
  const { languageOf, languageAt, originalOf, copies, isOwn } = languagesIn(withText, options);
  const pages = withText.filter((page) => !copies.has(page));
  const notes: ImportNote[] = source.pages.flatMap((page) => (copies.has(page) ? [] : page.notes));
  const note = ({ path }: SourcePage, message: string): void => void notes.push({ path, line: 1, message });
  for (const page of source.pages) if (page.text === '') note(page, 'has no text of its own, and is left out');
  const placed = placeParts(pages, existing, options, source.skipped);
  const images = new Map<string, ImportPlan['images'][number]>();
  const imageFiles = new Set(existing.imagesOfOthers);
  const imageOf = (image: SourceFile, page: SourcePage): string | undefined => {
    const known = images.get(image.path);
    if (known !== undefined || !isMediaFile(image.path.toLowerCase())) return known?.file;
    const opened = image.read();
    if (opened === undefined || 'refused' in opened)
      return void note(page, `shows ${image.path}, which ${opened?.refused ?? 'cannot be read'}`);
    const file = freeName(`${options.to}/images/${imageName(image.path)}`, imageFiles, { ending: posix.extname(image.path).toLowerCase() });
    images.set(image.path, { file, source: image });
    return file;
  };
  const bySummary = Map.groupBy(pages, ({ fields }) => fields.summary);
  // Docusaurus describes a page by its first line without code: a heading says nothing, and of a paragraph the build makes the summary itself.
  const summaryOf = ({ fields: { summary }, title, headings, text }: SourcePage): string | undefined => {
    if (summary === undefined || (bySummary.get(summary) ?? []).length >= SHARED_MIN) return undefined;
    const blocks = parseText(text).children;
    const at = blocks.findIndex(({ type }) => type === 'paragraph');
    const first = at === -1 ? '' : plainText({ type: 'root', children: blocks.slice(at, at + 1) });
    const own = loose(summary);
    // Pages show no summary above a text that begins with it.
    const isSaid = (loose(first) !== own || at > 0) && hasWordsInOrder(first, summary);
    // Hugo begins it with the heading of the page, and the sign that leads to that; themes of Jekyll cut it out of the markdown.
    const isCut = (summary.startsWith(title) && /^\s*[#¶]/.test(summary.slice(title.length))) || /\]\(/.test(summary);
    const isNamed = [title, ...headings.map((heading) => heading.text)].map(loose).includes(own);
    return isSaid || isCut || isNamed ? undefined : summary;
  };
  const resolve = linkResolver(source.pages, source);
  const copiesOf = Map.groupBy(copies.keys(), (copy) => copies.get(copy));
  const present = new Set(source.pages.flatMap(({ addresses }) => addresses ?? []));
  /** Addresses that an earlier import gave its capsule, and that no page has now. */
  const formerOf = ({ path }: SourcePage): string[] => {
    const written = [existing.imported.get(originKey(path, undefined))?.fields['path']].flat();
    return written.filter((address) => typeof address === 'string').filter((address) => !present.has(address));
  };
  const capsules: PlannedCapsule[] = [];
  const plan = (page: SourcePage, parts: readonly PlacedPart[]): void => {
    const results: TextFacts[] = [];
    const summary = summaryOf(page);
    let reported = 0;
    for (const part of parts) {
      const { file } = part;
      const fromHere = (target: string): string => posix.relative(posix.dirname(file), target);
      const linked = rewriteLinks(page, part.text, resolve, {
        fileOf: (target, heading) => {
          const place = placeOf(placed.get(copies.get(target) ?? target) ?? [], heading);
          return { ...place, file: place.file === file ? '' : fromHere(place.file) };
        },
        imageOf: (image) => {
          const planned = imageOf(image, page);
          return planned === undefined ? undefined : fromHere(planned);
        },
      });
      notes.push(...linked.notes);
      reported += linked.dropped;
      const shown = withoutHidden(linked.text);
      const text = bodyText(tidyBlankLines(shown + partLinks(part, parts, page.title, fromHere)));
      const say = (message: string): void => note(page, message);
      const [original] = (part.heading === undefined && placed.get(originalOf.get(page) ?? page)) || [];
      const own = {
        heading: part.heading,
        isTaken: existing.isTaken,
        questions: questionsOf(page, part, parts.length === 1, say),
        summary,
        language: languageOf(page),
        original: originalOf.has(page) ? original?.id : undefined,
        license: options.license ?? source.license?.id,
        addresses: [page, ...(copiesOf.get(page) ?? [])].flatMap(({ addresses }) => addresses ?? []).concat(formerOf(page)),
      };
      const fields = fieldsOf(page, own, options, say);
      capsules.push({ file, page, part: part.heading, fields, text });
      // Where addresses alone are others, a reader sees what was there before.
      const isSame = linked.dropped === 0 && parts.length === 1 && shown === linked.text;
      results.push(factsOfMarkdown(String(fields['title'])), isSame ? factsOfTree(linked.root) : factsOfMarkdown(text));
    }
    for (const { needle, ...difference } of compareTexts(page.facts, joinFacts(results), reported))
      notes.push({ path: page.path, line: lineOf(page, needle), ...difference });
  };
  const failed = new Set<SourcePage>();
  for (const [index, page] of pages.entries()) {
    if (index % 100 === 0) options.onProgress('Linking', index, pages.length);
    if (attempt(() => plan(page, placed.get(page) ?? []) ?? true, page.path, source.skipped) === undefined) failed.add(page);
  }
  // A text that cannot be parsed is no page: links of others lead to its old address.
  if (failed.size > 0) return planImport({ ...source, pages: source.pages.filter((page) => !failed.has(page)) }, existing, options);
  const versionOf = ({ path }: SourcePage): string | undefined => path.split('/').find((part) => VERSION.test(part));
  const byTitle = Map.groupBy(capsules, ({ fields, page }) => [fields['language'], versionOf(page), fields['title']].join(' '));
  // Two may be a page and its print; more are a heading of the site that was taken for one of the page.
  for (const [first, ...others] of byTitle.values())
    if (first !== undefined && others.length + 1 >= SHARED_MIN)
      note(first.page, `has the title "${String(first.fields['title'])}", as ${others.length} others have; give each one of its own`);
  const unique = new Map(notes.map((one) => [`${one.path}:${one.line} ${one.message}`, one]));
  const places = new Map(
    [...placed].flatMap(([page, [first]]) => {
      const place = first && { id: first.id, language: isOwn(page) ? undefined : languageOf(page) };
      return place === undefined ? [] : [`/${page.path}`, ...page.routes].map((address) => [address, place] as const);
    }),
  );
  const ofNotion = pages.filter(({ path }) => NOTION_ID.test(path.replace(/\.html$/, '')));
  const isOfNotes = ['obsidian', 'notion', 'plain', 'word'].includes(source.generator) && source.navigation === undefined;
  const isOfFolders = isOfNotes || ofNotion.length * 2 > pages.length;
  const navigation = isOfFolders ? folderNavigation(pages, sharedFolders(pages), languageAt) : (source.navigation ?? []);
  const placeAt = (url: string) => places.get(url) ?? places.get(routeOf(url));
  // The menu of a blog leads to few of its texts, which need no order.
  const named = new Set(navigation.map(({ url }) => placeAt(url)));
  const sections = named.size < pages.length * ORDERED_SHARE_MIN ? undefined : sectionsYaml(navigation, placeAt, existing.sections);
  const untranslated = [...copies.keys()].map(({ path }) => path);
  return { capsules, images: [...images.values()], notes: [...unique.values()], sections, copies: untranslated };
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words in any script. */
export function wordsIn(text: string): string[] {
  return [...SEGMENTER.segment(text)].flatMap(({ isWordLike, segment }) => (isWordLike ? segment : []));
}

function hasWordsInOrder(text: string, wanted: string): boolean {
  const rest = wordsIn(wanted.toLowerCase());
  for (const word of wordsIn(text.toLowerCase())) if (word === rest[0]) rest.shift();
  return rest.length === 0;
}

/** Gives pages that share one heading, as parts of a site do, the titles that their heads state, or these behind the heading. */
function withOwnTitles(pages: readonly SourcePage[]): SourcePage[] {
  const groups = Map.groupBy(pages, ({ title, language }) => `${language} ${title}`);
  return pages.map((page) => {
    const { title, language, headTitle: head } = page;
    const heads = (groups.get(`${language} ${title}`) ?? []).map(({ headTitle }) => headTitle);
    const isOwn = head !== undefined && head !== title && heads.filter((other) => other === head).length === 1;
    if (heads.length < SHARED_MIN || !isOwn) return page;
    return { ...page, title: loose(head).includes(loose(title)) ? head : `${title}: ${head}` };
  });
}

function imageName(path: string): string {
  const parts = path.slice(0, -posix.extname(path).length).split('/').slice(-4);
  return parts.map((part) => slugOf(part.replace(NOTION_ID, '')) || 'image').join('/');
}

interface PlacedPart extends PagePart {
  readonly file: string;
  readonly id: string;
  /** Ids that its headings get; `undefined` for the one that begins it. */
  readonly anchors: readonly (string | undefined)[];
}

/** The day of a post as folders, or its month: `2024/05/01/` before `rain.html`; the list of the posts of a day keeps it. */
const FOLDERS_OF_DAY = /(?<=^|\/)(?:19|20)\d{2}\/(?:0[1-9]|1[0-2])\/(?:[0-3]\d\/)?(?!(?:[0-3]\d\/)?(?:index|readme)\.\w+$)/i;

function placeParts(pages: readonly SourcePage[], existing: ExistingFiles, { to, splitOver, prefix }: PlanOptions, skipped: ImportNote[]) {
  const ids = capsuleIds(existing.ids, prefix);
  const undated = pages.map(({ path }) => ({ path: path.replace(FOLDERS_OF_DAY, '') }));
  const shared = sharedFolders(undated);
  return new Map(
    pages.map((page, index): [SourcePage, PlacedPart[]] => {
      const parts: PlacedPart[] = [];
      for (const part of attempt(() => splitPage(page, splitOver), page.path, skipped) ?? []) {
        const known = existing.imported.get(originKey(page.path, part.heading));
        const path = (undated[index]?.path ?? '').split('/').slice(shared).join('/');
        const newId = (): string =>
          parts[0] === undefined
            ? ids.forPath(path, page.title, page.source.includes('id="title-heading"'))
            : ids.forPart(parts[0].id, part.heading ?? '');
        const id = known?.id ?? newId();
        const within = part.headings.slice(part.heading === undefined ? 0 : 1).map((number) => page.headings[number] ?? { text: '' });
        const anchors = [...(part.heading === undefined ? [] : [undefined]), ...headingAnchors(within)];
        parts.push({ ...part, id, file: known?.file ?? `${to}/${id}.md`, anchors });
      }
      return [page, parts];
    }),
  );
}

function placeOf(parts: readonly PlacedPart[], heading: number | undefined): ReturnType<Placement['fileOf']> {
  const part = parts.find(({ headings }) => heading !== undefined && headings.includes(heading)) ?? parts[0];
  return { file: part?.file ?? '', anchor: part?.anchors[part.headings.indexOf(heading ?? -1)] };
}

function partLinks(part: PlacedPart, [first, ...rest]: readonly PlacedPart[], title: string, fromHere: (file: string) => string): string {
  if (first === undefined || rest.length === 0) return '';
  if (part !== first) return `\n\nPart of [${escapeText(title)}](${fromHere(first.file)}).\n`;
  return `\n\n${rest.map(({ heading = '', file }) => `- [${escapeText(heading)}](${fromHere(file)})`).join('\n')}\n`;
}

function questionsOf(page: SourcePage, { headings, text }: PagePart, isWhole: boolean, say: (message: string) => void): string[] {
  const asked = headings.flatMap((number) => page.headings[number]?.text ?? []).filter((heading) => QUESTION_MARK.test(heading.trim()));
  const stated = (page.questions ?? []).filter((question) => isWhole || text.includes(question));
  // Other names of a note, which readers look for; addresses are in `aliases`, too.
  const names = isWhole ? page.fields.aliases.filter((name) => !name.includes('/') && loose(name) !== loose(page.title)) : [];
  const lines = [...new Set([...asked, ...stated, ...names].flatMap((question) => plainLine(withoutHidden(question), 100_000) ?? []))];
  const { question: longest, questions: most } = FRONT_MATTER_MAX;
  const kept = lines.filter(({ length }) => length > 2 && length <= longest).slice(0, most);
  const bounds = `at most ${most}, of 3 to ${longest} characters each`;
  if (kept.length < lines.length) say(`keeps ${kept.length} of ${lines.length} questions and other names in "questions": ${bounds}`);
  return kept;
}

type OwnFields = Readonly<Record<'heading' | 'summary' | 'language' | 'original' | 'license', string | undefined>> &
  Readonly<Record<'questions' | 'addresses', readonly string[]>> &
  Pick<ExistingFiles, 'isTaken'>;

function fieldsOf(page: SourcePage, own: OwnFields, options: PlanOptions, say: (message: string) => void): Record<string, unknown> {
  const { heading, questions, summary, language, original, license } = own;
  const { fields, title } = page;
  const [created, updated] = [fields.created ?? page.created, fields.updated ?? page.updated ?? fields.created];
  const former = [...new Set(own.addresses)].filter((address) => FurtherPath.safeParse(address).success);
  const taken = former.filter(own.isTaken);
  const addresses = former.filter((address) => !taken.includes(address));
  if (heading === undefined && taken.length > 0) say(`loses ${taken.join(', ')}, where this site has another page`);
  if (heading === undefined && addresses.length > FURTHER_PATHS_MAX)
    say(`has ${addresses.length} addresses; the first ${FURTHER_PATHS_MAX} still lead to it`);
  return {
    title: withoutHidden(plainLine(heading === undefined ? title : `${title}: ${heading}`) ?? page.path),
    ...(heading === undefined && summary !== undefined ? { summary: withoutHidden(summary) } : {}),
    ...(fields.tags.length > 0 ? { tags: fields.tags } : {}),
    ...(questions.length > 0 ? { questions } : {}),
    ...(language !== undefined && likely(language) !== likely(options.ownLanguage) ? { language } : {}),
    ...(original === undefined ? {} : { translation_of: original }),
    ...(license === undefined ? {} : { license }),
    ...(created === undefined ? {} : { created: updated !== undefined && updated < created ? updated : created }),
    ...(updated === undefined ? {} : { updated }),
    ...(!options.isPublished || fields.isHidden ? { draft: true } : {}),
    ...(heading === undefined && addresses.length > 0 ? { path: addresses.slice(0, FURTHER_PATHS_MAX) } : {}),
    ...(fields.author === undefined ? {} : { written_by: { type: 'Person', name: fields.author } }),
  };
}

/** Characters that join letters and emoji, choose their form or their direction: texts in many scripts need them. */
const JOINERS = /^(?:\u200c|\u200d|\u200e|\u200f|\ufe0e|\ufe0f|\u180b|\u180c|\u180d)$/;

function withoutHidden(text: string): string {
  let result = outsideCode(text, (prose) => prose.replace(/&(?:shy|ZeroWidthSpace|#8203|#x200b|#173|#xad);/gi, ''));
  for (const { character } of findHiddenCharacters(text)) if (!JOINERS.test(character)) result = result.replaceAll(character, '');
  return result;
}

interface PagePart {
  /** Heading that begins it; `undefined` for the page itself, or its beginning. */
  readonly heading: string | undefined;
  readonly text: string;
  /** Numbers of the page's headings that begin it and are in the text, in order. */
  readonly headings: readonly number[];
}

function splitPage(page: SourcePage, overWords: number | undefined): PagePart[] {
  const numbers = page.headings.map((_, index) => index);
  const whole: PagePart = { heading: undefined, text: page.text, headings: numbers };
  if (overWords === undefined) return [whole];
  const root = parseText(page.text);
  if (countWords(root) <= overWords) return [whole];
  const cuts = [{ offset: 0, end: 0, number: -1 }];
  let number = -1;
  /** How many `<details>` are open, which a cut would leave without their end. */
  let open = 0;
  walk(root, (node) => {
    if (node.type === 'html') open += node.value.split(/<details\b/i).length - node.value.split(/<\/details>/i).length;
    if (node.type !== 'heading') return;
    number += 1;
    if (node.depth === 2 && open === 0 && root.children.includes(node))
      cuts.push({ offset: offsetOf(node), end: node.position?.end.offset ?? 0, number });
  });
  if (cuts.length < 3) return [whole];
  const definitions = root.children.filter((node) => node.type === 'definition' || node.type === 'footnoteDefinition');
  const sliceOf = (node: Nodes): string => page.text.slice(offsetOf(node), node.position?.end.offset);
  const withDefinitions = (text: string): string => {
    const missing = definitions.filter((node) => {
      const reference = node.type === 'footnoteDefinition' ? `[^${node.label}]` : `[${node.label}]`;
      return !text.includes(sliceOf(node)) && text.includes(reference);
    });
    return tidyBlankLines([text, ...missing.map(sliceOf)].join('\n\n'));
  };
  return cuts.flatMap(({ end, number: at }, index): PagePart[] => {
    const next = cuts[index + 1];
    const own = page.text.slice(end, next?.offset);
    const text = withDefinitions(at === -1 ? own : withRaisedHeadings(own, 3));
    const headings = numbers.filter((heading) => heading >= at && (next === undefined || heading < next.number));
    return at !== -1 && text === '' ? [] : [{ heading: at === -1 ? undefined : (page.headings[at]?.text ?? ''), text, headings }];
  });
}

function offsetOf(node: Nodes): number {
  return node.position?.start.offset ?? 0;
}

/** The day at the beginning of the name of a post, or a version such as `1.x`: numbers that name something. */
const NAMED_NUMBER = /^(?:\d{4}-\d{2}-\d{2}\b|\d+(?:\.(?:\d+|x))+$)/;

/** Confluence ends names with the number of the page; where a title is not Latin, that is the name. */
const CONFLUENCE_ID = /(?:_|(?<=^|\/))((?!(?:19|20)\d{6}\.)\d{5,})\.html$/;

/** Ids for pages from their paths, each given once: `docs/01-install.mdx` becomes `docs-install`. Folders of a path that is too long go first. */
export function capsuleIds(given: Iterable<string>, givenPrefix = '') {
  const taken = new Set(given);
  const prefix = givenPrefix === '' ? '' : `${givenPrefix}-`;
  const room = LIMITS.idMaxLength - prefix.length;
  const free = (words: readonly string[]): string => {
    // A capsule named "index" would have the address of the list of capsules.
    let parts = words.length === 0 || words.join() === 'index' ? ['home'] : [...words];
    while (parts.length > 1 && parts.join('-').length > room) parts = parts.slice(1);
    return freeName(parts.join('-'), taken, { prefix, room });
  };
  // The number that orders a file is easier to say than a digest.
  const opaqueId = (text: string): string => `page-${/(?:^|\/)(\d+)[^/]*$/.exec(text)?.[1] ?? sha256(text).slice(0, 8)}`;
  return {
    forPath: (path: string, title = '', isOfConfluence = false): string => {
      const parts = (isOfConfluence ? path.replace(CONFLUENCE_ID, '') : path)
        .replace(/\.(?:html?|xhtml|mdx?|markdown|docx|txt)$/i, '')
        .split('/')
        // Numbers before words order files; those of a day or of a version name them.
        .map((part) => (NAMED_NUMBER.test(part) ? part : part.replace(/^\d+[-_.]\s*(?=[^\s\d])/, '')).replace(NOTION_ID, ''));
      if (parts.length > 1 && /^_?(?:index|readme)$/i.test(parts.at(-1) ?? '')) parts.pop();
      const words = parts.map(slugOf).filter((part, index, all) => part !== '' && part !== all[index - 1]);
      const named = slugOf(title) || slugOf(CONFLUENCE_ID.exec(path)?.[1] ?? '') || opaqueId(path);
      return free(slugOf(parts.at(-1) ?? '') !== '' ? words : [...words, named]);
    },
    forPart: (id: string, heading: string): string => free([id.slice(prefix.length), slugOf(heading) || opaqueId(heading)]),
  };
}

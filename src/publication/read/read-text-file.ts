import type { Nodes, Root } from 'mdast';
import * as z from 'zod';
import { WrittenOffer } from '../../schemas/commerce/offers.ts';
import { draftEditorial, type Editorial } from '../../schemas/editorial-rules.ts';
import { CapsuleFrontMatter, WrittenCapsule, writtenSources } from '../../schemas/knowledge/capsule-front-matter.ts';
import { ContentDate, Id } from '../../schemas/primitives.ts';
import { WrittenPage } from '../../schemas/publisher.ts';
import { levelOf, readText, type TextFinding, type TextLink } from '../../text/check/check-text.ts';
import { anchorsOf, type SectionAnchor, sectionAnchors } from '../../text/markdown/heading-anchors.ts';
import { countWords, headingsOf, plainText, walk, withFootnotes } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { ComplexMarkup } from '../../text/markdown/parsing-limits.ts';
import { findReferences, type ReferringLink } from '../../text/markdown/resolve-links.ts';
import { describeText, type TextDescription, titleInText } from '../../text/markdown/title-and-summary.ts';
import { type BuildCache, type CachedResults, digestOf } from '../build-cache.ts';
import type { ContentProblem } from '../content-problem.ts';
import { hiddenCharacterProblems } from './content-files.ts';
import { parseContentFile } from './front-matter.ts';
import { findUnfilledTemplate } from './page-templates.ts';

/** A current text of one of the folders, or a frozen version of a capsule. */
export type TextKind = 'capsule' | 'offer' | 'page' | 'frozen';

export interface ReadingRules {
  readonly kind: TextKind;
  readonly editorial: Editorial;
}

export interface RawText {
  readonly path: string;
  readonly raw: string;
}

/** One file by itself, without the files around it. Plain data, for threads and the cache. */
export interface TextReading {
  readonly problems: readonly ContentProblem[];
  /** Parts of a template that the author left: a gap of a page, an error elsewhere. */
  readonly unfilled: readonly ContentProblem[];
  /** The written front matter, valid or as far as it could be read; `undefined` if the file could not be divided into its parts. */
  readonly frontMatter: { readonly isValid: boolean; readonly data: unknown } | undefined;
  /** Where the text is in the file, if it is there as it is published; otherwise the text. */
  readonly body: string | { readonly start: number; readonly end: number };
  readonly bodyLine: number;
  readonly description: TextDescription;
  readonly words: number;
  /** Relative links and images; none of a frozen version. */
  readonly references: readonly ReferringLink[];
  /** Markup that is too complex to be parsed; nothing else is known of the text then. */
  readonly tooComplex?: { readonly line: number; readonly message: string };
  readonly findings: readonly TextFinding[];
  readonly links: readonly TextLink[];
  /** Intended links that are text, because their target has a blank. */
  readonly blankTargets: readonly TextLink[];
  readonly anchors: readonly string[];
  /** Sections of a capsule's text, for the addresses of its passages; absent without any. */
  readonly sections?: readonly SectionAnchor[];
}

/** A reading, and for a capsule that everybody can read, its part of the search index. */
export interface ReadText {
  readonly reading: TextReading;
  readonly indexed?: { readonly sourceKeys: readonly string[]; readonly text: IndexedText };
}

const SCHEMAS = { capsule: WrittenCapsule, offer: WrittenOffer, page: WrittenPage, frozen: WrittenCapsule } as const;

const WORD_RULES = { capsule: 'words', offer: 'offer_words', page: 'page_words', frozen: 'words' } as const;

const NOTHING_READ = {
  unfilled: [],
  description: { title: undefined, summary: undefined },
  words: 0,
  findings: [],
  links: [],
  blankTargets: [],
  anchors: [],
  references: [],
} as const;

export function readTextFile({ path, raw }: RawText, rules: ReadingRules): ReadText {
  const { kind, editorial } = rules;
  const inCharacters = hiddenCharacterProblems(path, raw, levelOf(editorial.hidden_characters));
  const outcome = parseContentFile<unknown>(path, raw, SCHEMAS[kind], {
    unknownFields: kind === 'frozen' ? 'off' : kind === 'offer' ? 'error' : editorial.unknown_fields,
    hiddenCharacters: kind === 'frozen' ? 'off' : editorial.hidden_characters,
  });
  const problems = [...inCharacters, ...('file' in outcome ? outcome.warnings : outcome.problems)];
  const parsed = 'file' in outcome ? outcome.file : outcome.unchecked;
  if (parsed === undefined) return { reading: { ...NOTHING_READ, problems, frontMatter: undefined, body: '', bodyLine: 1 } };
  const { data, body, bodyLine } = parsed;
  const read = {
    problems,
    frontMatter: { isValid: 'file' in outcome, data },
    body: placeOf(body, raw),
    bodyLine,
    unfilled: kind === 'frozen' ? [] : findUnfilledTemplate(path, raw, kind === 'page' ? 'gap' : 'error'),
  };
  const root = parseBounded(body);
  if ('message' in root) {
    // Its title is known all the same, and is not reported as missing.
    const heading = parseBounded(/^# [^\n]{1,500}/m.exec(body)?.[0] ?? '');
    const description = 'message' in heading ? NOTHING_READ.description : describeText(heading);
    return { reading: { ...NOTHING_READ, ...read, description, tooComplex: root } };
  }
  const described = { ...read, description: describeText(root), words: countWords(root) };
  if (kind === 'frozen') return { reading: { ...NOTHING_READ, ...described } };
  const fields = kind === 'capsule' ? fieldsOfCapsule(read.frontMatter) : {};
  const sourceKeys = kind === 'capsule' ? sourceKeysOf(data, fields.sources, editorial) : [];
  const withSources = parseWithSources(body, sourceKeys ?? []);
  const sections = kind === 'capsule' ? sectionAnchors(withSources, fields.title ?? titleInText(described.description)) : [];
  const reading = { ...described, references: findReferences(body), ...(sections.length === 0 ? {} : { sections }) };
  const isIndexed = kind === 'capsule' && fields.access === 'public';
  return {
    reading: { ...reading, ...check(body, rules, data, sourceKeys) },
    ...(isIndexed ? { indexed: { sourceKeys: sourceKeys ?? [], text: indexText(withSources) } } : {}),
  };
}

function parseBounded(body: string): Root | NonNullable<TextReading['tooComplex']> {
  try {
    return parseText(body);
  } catch (error) {
    if (!(error instanceof ComplexMarkup)) throw error;
    return { line: error.line, message: error.message };
  }
}

function check(body: string, { kind, editorial }: ReadingRules, data: unknown, sourceKeys: readonly string[] | undefined) {
  const levels = isDraft(data) ? draftEditorial(editorial) : editorial;
  const rules = { levels, words: levels[WORD_RULES[kind]], sourceKeys, parse: parseText };
  const { findings, links, blankTargets, root } = readText(body, rules);
  return { findings, links, blankTargets, anchors: [...anchorsOf(root)] };
}

function fieldsOfCapsule({ isValid, data }: NonNullable<TextReading['frontMatter']>): {
  readonly title?: string | undefined;
  readonly access?: unknown;
  readonly sources?: readonly { readonly key: string }[] | undefined;
} {
  // Valid by `WrittenCapsule`.
  return isValid ? (data as WrittenCapsule) : validFields(data);
}

/** Whether front matter says that its text is a draft, whatever else is wrong with it. */
export function isDraft(frontMatter: unknown): boolean {
  return typeof frontMatter === 'object' && frontMatter !== null && 'draft' in frontMatter && frontMatter.draft === true;
}

export function fieldsOf(data: unknown): ReadonlySet<string> | undefined {
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? new Set(Object.keys(data)) : undefined;
}

function sourceKeysOf(data: unknown, sources: readonly { readonly key: string }[] | undefined, { complete_front_matter }: Editorial) {
  if (data === undefined || (complete_front_matter !== 'off' && fieldsOf(data)?.has('sources') !== true)) return undefined;
  return (sources ?? []).map(({ key }) => key);
}

function placeOf(body: string, raw: string): TextReading['body'] {
  const start = body === '' ? -1 : raw.lastIndexOf(body);
  return start === -1 ? body : { start, end: start + body.length };
}

/** Sources with other mistakes can be checked too. */
const SourceList = writtenSources(
  z.array(z.object({ key: Id, retrieved: ContentDate.optional().catch(undefined), quote: z.string().optional().catch(undefined) })),
);

export type CheckedFields = Partial<Omit<CapsuleFrontMatter, 'sources'> & { readonly sources: z.infer<typeof SourceList> }>;

/** The valid fields of front matter that has mistakes; none if it is not an object. */
export function validFields(frontMatter: unknown): CheckedFields {
  if (typeof frontMatter !== 'object' || frontMatter === null || Array.isArray(frontMatter)) return {};
  return Object.fromEntries(
    Object.entries({ ...CapsuleFrontMatter.shape, sources: SourceList }).flatMap(([name, schema]) => {
      const { success, data } = schema.safeParse((frontMatter as Readonly<Record<string, unknown>>)[name]);
      return success ? [[name, data]] : [];
    }),
  );
}

export interface IndexedText extends DefinedNames {
  readonly headings: readonly string[];
  readonly plain: string;
}

/** The tree of a text in which references to its sources are footnotes. */
export function parseWithSources(markdown: string, sourceKeys: readonly string[]): Root {
  const notes = sourceKeys.map((key) => ({ key, markdown: 'source' }));
  return parseText(withFootnotes(markdown, notes));
}

export function indexText(root: Root): IndexedText {
  return { headings: headingsOf(root).map(({ text }) => text), plain: plainText(root), ...definedNames(root) };
}

export type IndexedTextCache = Pick<CachedResults<IndexedText>, 'get' | 'set'>;

export function indexedTextCache(cache: BuildCache): IndexedTextCache {
  return cache.results<IndexedText>('indexed-texts');
}

/** Everything that the {@link IndexedText} of a text is made from. */
export function indexedTextKey(markdown: string, sourceKeys: readonly string[]): string {
  return digestOf(markdown, ...sourceKeys);
}

interface DefinedNames {
  /** Terms of definition lists, bold words, and code that a paragraph, item or row begins with. */
  readonly names: readonly string[];
  /** Its other inline code, and the header fields of its HTTP messages. */
  readonly codes: readonly string[];
}

/** Longer text is a sentence or a program. */
const NAME_MAX_LENGTH = 64;

const HEADER_FIELD = /^([A-Za-z][A-Za-z0-9-]*):(?: |$)/gm;

function definedNames(root: Root): DefinedNames {
  const names = new Set<string>();
  const codes = new Set<string>();
  const add = (to: Set<string>, text: string): void => {
    const name = text.trim();
    if (name !== '' && name.length <= NAME_MAX_LENGTH && !name.includes('\n')) to.add(name);
  };
  walk(root, (node) => {
    if (node.type === 'defListTerm' || node.type === 'strong') add(names, plainText(node));
    else if (node.type === 'inlineCode') add(codes, node.value);
    else if (node.type === 'code' && node.lang === 'http')
      for (const [, field = ''] of node.value.matchAll(HEADER_FIELD)) add(codes, field);
    else {
      const opening = openingNode(node);
      if (opening?.type === 'inlineCode') add(names, opening.value);
    }
  });
  for (const name of names) codes.delete(name);
  return { names: [...names], codes: [...codes] };
}

function openingNode(node: Nodes): Nodes | undefined {
  if (node.type === 'tableRow') return node.children[0]?.children[0];
  return node.type === 'paragraph' ? node.children[0] : undefined;
}

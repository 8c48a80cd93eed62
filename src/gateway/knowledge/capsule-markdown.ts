import { contentSignal } from '../../schemas/content-usage.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
import type { CapsuleSource } from '../../schemas/knowledge/capsule-fields.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { capsuleFilePath, capsulePath, capsuleVersionPath, lineageFilePath, PATHS } from '../../schemas/paths.ts';
import {
  changeOutsideCode,
  frontMatter,
  linkDestination,
  markdownLink,
  plainMarkdown,
  withAbsoluteLinks,
} from '../../text/markdown/write-markup.ts';
import { languageName } from '../../text/strings/message-format.ts';
import { ok, type Result } from '../result.ts';
import { replacedBy, statedSummary, statedTitle, stateReason } from './capsule-status-sentences.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { BlockBrokenError } from './load-block.ts';
import { soldText, unknownIn } from './read-capsule.ts';
import { type CapsulePage, successorOf } from './read-capsule-page.ts';
import type { Generation } from './read-generation.ts';

interface MarkdownCapsule extends Pick<CapsulePage, 'successor'> {
  readonly metadata: CapsuleMetadata;
  /** The text below its title, with root-relative addresses. */
  readonly text: string;
  readonly earlier?: StoredVersion['earlier'];
}

/** A capsule's page as markdown (RFC 7763). The hashed bytes are at the address of the version, not here. */
export function capsuleMarkdown(capsule: MarkdownCapsule, { baseUrl, usage }: Pick<Deployment, 'baseUrl' | 'usage'>): string {
  const { metadata, text, successor, earlier } = capsule;
  const numbered = withNumberedSources(readingText(text, baseUrl), metadata.sources);
  const parts = [
    frontMatter({
      title: statedTitle(metadata),
      description: statedSummary(metadata),
      doc_version: metadata.version,
      canonical_url: baseUrl + capsulePath(metadata.capsule_id),
      last_updated: metadata.updated,
      license: metadata.license,
      usage: contentSignal(usage),
      status: metadata.status,
    }),
    `> For AI agents: the documentation index is at ${baseUrl}${PATHS.llmsTxt}`,
    `# ${plainMarkdown(statedTitle(metadata))}`,
    statusNotice(metadata, successor, baseUrl),
    versionNotice(earlier, baseUrl),
    translationsLine(metadata, baseUrl),
    plainMarkdown(metadata.summary),
    numbered.text,
    answersSection(metadata),
    numbered.list === '' ? '' : `## Sources\n\n${numbered.list}`,
    sitemapSection(metadata, baseUrl),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Reads a capsule's page as markdown from the newest complete generation. A text that is sold has none. */
export function readCapsuleMarkdown(
  id: string,
  corpus: Corpus,
  deployment: Pick<Deployment, 'baseUrl' | 'usage'>,
  onFallback: () => void,
): Promise<Result<string>> {
  const read = async (generation: Generation): Promise<Result<string>> => {
    const [stored, article] = await Promise.all([generation.capsule(id), generation.article(id)]);
    if (stored === undefined) return unknownIn(generation, corpus);
    const { metadata, markdown, earlier } = stored;
    if (markdown === undefined) return soldText(metadata);
    if (article === undefined) throw new BlockBrokenError('the generation lacks the article of a capsule');
    const successor = await successorOf(metadata, generation);
    return ok(capsuleMarkdown({ metadata, text: article.markdown ?? markdown, successor, earlier }, deployment));
  };
  return withCorpus(corpus, () => corpus.read(undefined, read, onFallback));
}

function sitemapSection({ capsule_id: id, version }: CapsuleMetadata, baseUrl: string): string {
  const links: readonly (readonly [string, string])[] = [
    ['Page of this capsule', capsulePath(id)],
    [`Exact text of version ${version}`, capsuleVersionPath(id, version)],
    ['This capsule as JSON', capsuleFilePath(id)],
    ['Lineage of this capsule', lineageFilePath(id)],
    ['All pages', PATHS.sitemapMd],
    ['Index for agents', PATHS.llmsTxt],
  ];
  return ['## Sitemap', '', ...links.map(([text, path]) => `- ${markdownLink(text, baseUrl + path)}`)].join('\n');
}

export function statusNotice(metadata: CapsuleMetadata, successor: CapsuleMetadata | undefined, baseUrl: string): string {
  if (metadata.status === 'current') return '';
  const advice = metadata.status === 'retracted' ? ' This capsule should no longer be relied on.' : '';
  const link = successor && markdownLink(statedTitle(successor), baseUrl + capsulePath(successor.capsule_id));
  return `> **${plainMarkdown(stateReason(metadata))}**${advice}${link === undefined ? '' : ` ${replacedBy(link)}`}`;
}

function versionNotice(earlier: StoredVersion['earlier'], baseUrl: string): string {
  if (earlier === undefined) return '';
  const current = markdownLink(earlier.current, baseUrl + earlier.path);
  return `> This is about version ${plainMarkdown(earlier.title)}. The current version is ${current}.`;
}

function translationsLine({ translations = [] }: CapsuleMetadata, baseUrl: string): string {
  if (translations.length === 0) return '';
  const links = translations.map(({ capsule_id, language }) => markdownLink(languageName(language), baseUrl + capsulePath(capsule_id)));
  return `Also in: ${links.join(' · ')}`;
}

/** The mark at the end of a question, before what closes a quotation or a bracket. */
export const QUESTION_MARK = /[?\uff1f\u061f][!"'\u2019\u201c\u201d\u00bb)\]]*$/;

/** Questions in these languages often have no mark, or another one: Japanese, Khmer, Lao, Burmese, Thai, Chinese; Greek, Armenian. */
const WITHOUT_MARK = /^(?:ja|km|lo|my|th|zh|el|hy)\b/;

/** What pages show as answered: other names of a text, which readers search for, are no questions. */
export function shownQuestions({ questions = [], status, language }: CapsuleMetadata): string[] {
  if (status === 'retracted') return [];
  return WITHOUT_MARK.test(language) ? questions : questions.filter((question) => QUESTION_MARK.test(question.trim()));
}

function answersSection(metadata: CapsuleMetadata): string {
  const questions = shownQuestions(metadata);
  if (questions.length === 0) return '';
  return ['## Answers', '', ...questions.map((question) => `- ${plainMarkdown(question)}`)].join('\n');
}

/** A text below its title with absolute addresses of links and images, without white space around it. */
export function readingText(text: string, baseUrl: string): string {
  return withAbsoluteLinks(text, baseUrl).trim();
}

interface NumberedText {
  readonly text: string;
  /** The sources as an ordered list in markdown, with the definitions of the links to them; empty without sources. */
  readonly list: string;
}

const REFERENCES = /(?<!\\)(?:\[\^[^\][\s]+\])+/g;
export const REFERENCE = /\[\^([^\][\s]+)\]/g;
/** Words in brackets. A link reference definition with that label would make them a link, or be a second one (CommonMark 0.31.2, sections 4.7 and 6.3). */
const BRACKETED = /\[([^\][\s^]+)\]/g;

/**
 * The text with numbered links in place of references to its sources, such as `[^key]`; other references are kept. Link references are
 * CommonMark; footnotes are an extension, which not every reader has.
 */
export function withNumberedSources(text: string, sources: readonly CapsuleSource[]): NumberedText {
  const byKey = new Map(sources.map((source) => [source.key.toLowerCase(), source]));
  const taken = new Set([...text.matchAll(BRACKETED)].map(([, label = '']) => label.toLowerCase()));
  const isTaken = ({ key }: CapsuleSource): boolean => taken.has(key.toLowerCase());
  const linkTo = (source: CapsuleSource, words: string): string =>
    isTaken(source) ? markdownLink(words, source.url) : `[${plainMarkdown(words)}][${source.key}]`;
  const numbers = new Map<CapsuleSource, number>();
  const numberOf = (source: CapsuleSource): string => {
    const number = numbers.get(source) ?? numbers.size + 1;
    numbers.set(source, number);
    return String(number);
  };
  const linked = changeOutsideCode(text, (part) =>
    part.replace(REFERENCES, (references) => {
      const found = [...references.matchAll(REFERENCE)].map(([reference, key = '']) => ({
        reference,
        source: byKey.get(key.toLowerCase()),
      }));
      if (found.every(({ source }) => source === undefined)) return references;
      return found.map(({ reference, source }) => (source === undefined ? reference : linkTo(source, numberOf(source)))).join(', ');
    }),
  );
  const ordered = [...new Set([...numbers.keys(), ...sources])];
  const items = ordered.map((source, at) => `${at + 1}. ${linkTo(source, source.title)}${detailsOf(source)}`);
  const definitions = ordered.filter((source) => !isTaken(source)).map(({ key, url }) => `[${key}]: ${linkDestination(url)}`);
  return { text: linked, list: [items.join('\n'), definitions.join('\n')].join('\n\n').trim() };
}

export function sourceLine(source: CapsuleSource): string {
  return `${markdownLink(source.title, source.url)}${detailsOf(source)}`;
}

function detailsOf({ publisher, retrieved, locator, quote }: CapsuleSource): string {
  const place = locator === undefined ? '' : ` ${plainMarkdown(locator)}${quote === undefined ? '.' : ':'}`;
  const words = quote === undefined ? '' : ` “${plainMarkdown(quote)}”`;
  return `. ${plainMarkdown(publisher)}.${place}${words}${retrieved === undefined ? '' : ` Read on ${retrieved}.`}`;
}

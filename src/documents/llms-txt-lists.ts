import { statedSummary, statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import { remembered } from '../gateway/memory-caches.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { subjectName } from '../schemas/knowledge/sections.ts';
import { capsuleFilePath, capsuleMarkdownPath, PATHS, pageMarkdownPath, subjectListPath } from '../schemas/paths.ts';
import { markdownLink, plainMarkdown } from '../text/markdown/write-markup.ts';
import { type DocumentFile, type DocumentPage, type FreeCapsule, type Publication, priceNote } from '../text/publication-model.ts';

/** Pages that functions make with what a reader sends, so that they have no markdown. */
const WITHOUT_MARKDOWN: readonly string[] = [PATHS.invoice, PATHS.buyInvoice];

export function pageLine({ title, path, description }: DocumentPage, deployment: Deployment, withDescription = true): string {
  const isMade = deployment.mode === 'edge' && WITHOUT_MARKDOWN.includes(path);
  return indexLine(title, deployment.baseUrl + (isMade ? path : pageMarkdownPath(path)), withDescription ? description : '');
}

const isBelow = ({ path }: DocumentPage, parent: string): boolean => path.startsWith(`${parent}/`);

export function documentationPages(pages: readonly DocumentPage[]): DocumentPage[] {
  return pages.filter((page) => (page.path === PATHS.docs || isBelow(page, PATHS.docs)) && !isBelow(page, PATHS.api));
}

/** With every operation and every error (llmstxt.org allows an index in a subfolder). */
export function docsLlmsTxt({ pages, publisher, deployment }: Publication): Omit<DocumentFile, 'path'> {
  const linesOf = (listed: readonly DocumentPage[], withDescription: boolean): string[] =>
    listed.map((page) => pageLine(page, deployment, withDescription));
  const below = (parent: string): DocumentPage[] => pages.filter((page) => isBelow(page, parent));
  const parts = [
    `# ${publisher.name}: documentation`,
    `> How to read and verify ${publisher.name}. The index of the whole site is at ${deployment.baseUrl}${PATHS.llmsTxt}`,
    section('Guides', linesOf(documentationPages(pages), true)),
    section('Operations', linesOf(below(PATHS.api), false)),
    section('Errors', linesOf(below(PATHS.problems), false)),
  ].filter((part) => part !== '');
  return { contentType: 'text/plain; charset=utf-8', body: `${parts.join('\n\n')}\n` };
}

/** Most subjects with a list of their own; capsules of rarer ones are in the list {@link OTHER}. */
const SUBJECTS_MAX = 100;

/** Of capsules without a tag, or with a rare one. */
const OTHER = 'other';

/** Largest part of a list, in characters: checkers of agents' documents fail larger ones, because readers cut them off. */
const PART_MAX_CHARACTERS = 100_000;

/** Most parts that all lists together may have with summaries; beyond, they have titles alone. */
const PARTS_WITH_SUMMARIES_MAX = 100;

interface Subject {
  readonly name: string;
  readonly capsules: readonly FreeCapsule[];
}

function groupBySubject(capsules: readonly FreeCapsule[]): Subject[] {
  const byTag = Map.groupBy(capsules, ({ metadata }) => metadata.tags[0] ?? OTHER);
  byTag.delete(OTHER);
  const common = new Set(
    [...byTag]
      .sort(([, a], [, b]) => b.length - a.length)
      .slice(0, SUBJECTS_MAX)
      .map(([tag]) => tag),
  );
  return [...Map.groupBy(capsules, ({ metadata }) => metadata.tags.slice(0, 1).find((tag) => common.has(tag)) ?? OTHER)]
    .sort(([a], [b]) => Number(a === OTHER) - Number(b === OTHER) || (a < b ? -1 : 1))
    .map(([name, members]) => ({ name, capsules: members.toSorted(byStateAndTitle) }));
}

const grouped = new WeakMap<readonly FreeCapsule[], readonly Subject[]>();

function subjectsOf(capsules: readonly FreeCapsule[]): readonly Subject[] {
  return remembered(grouped, capsules, () => groupBySubject(capsules));
}

const countOf = ({ length }: readonly FreeCapsule[]): string => (length === 1 ? '1 capsule' : `${length} capsules`);

export function subjectLines({ capsules, deployment }: Pick<Publication, 'capsules' | 'deployment'>): string[] {
  return subjectsOf(capsules).map(({ name, capsules: members }) =>
    linkLine(subjectName(name, deployment.subjects), deployment.baseUrl + subjectListPath(name, 1), countOf(members)),
  );
}

export function subjectLists({ capsules, deployment, publisher }: Publication): DocumentFile[] {
  const { baseUrl } = deployment;
  const subjects = subjectsOf(capsules);
  const partsWith = (withSummary: boolean): string[][][] =>
    subjects.map((subject) => inParts(subject.capsules.map((capsule) => capsuleLine(capsule, baseUrl, withSummary))));
  const withSummaries = partsWith(true);
  const all = withSummaries.flat().length <= PARTS_WITH_SUMMARIES_MAX ? withSummaries : partsWith(false);
  return subjects.flatMap(({ name, capsules: members }, subject) => {
    const parts = all[subject] ?? [];
    return parts.map((lines, at) => {
      const place = parts.length === 1 ? '' : `, part ${at + 1} of ${parts.length}`;
      const texts = [
        `# ${publisher.name}: ${subjectName(name, deployment.subjects)}`,
        `> ${countOf(members)}${place}. Index of the site: ${baseUrl}${PATHS.llmsTxt}`,
        lines.join('\n'),
        ...(at + 1 < parts.length ? [`Next part: ${baseUrl}${subjectListPath(name, at + 2)}`] : []),
      ];
      return { path: subjectListPath(name, at + 1), contentType: 'text/plain; charset=utf-8', body: `${texts.join('\n\n')}\n` };
    });
  });
}

function inParts(lines: readonly string[]): string[][] {
  const parts: string[][] = [];
  let length = 0;
  for (const line of lines) {
    const last = parts.at(-1);
    length += line.length + 1;
    if (last !== undefined && length <= PART_MAX_CHARACTERS - FRAME_CHARACTERS) last.push(line);
    else {
      parts.push([line]);
      length = line.length + 1;
    }
  }
  return parts;
}

/** Room for heading, note and the address of the next part, in characters. */
const FRAME_CHARACTERS = 2_000;

function byStateAndTitle({ metadata: a }: FreeCapsule, { metadata: b }: FreeCapsule): number {
  const state = Number(a.status !== 'current') - Number(b.status !== 'current');
  if (state !== 0) return state;
  return a.title === b.title ? (a.capsule_id < b.capsule_id ? -1 : 1) : a.title < b.title ? -1 : 1;
}

/** A link as a line of a list in markdown, with a note unless that is empty. */
export function linkLine(title: string, address: string, note: string): string {
  return `- ${markdownLink(title, address)}${noteText(note)}`;
}

export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`## ${title}`, '', ...lines].join('\n');
}

const noteText = (note: string): string => (note === '' ? '' : `: ${plainMarkdown(note)}`);

const TEXT_ADDRESS = /\.(?:md|txt)$/;

/**
 * A link if the document is text, or else its address as code: programs that expand an index load what it links to (llmstxt.org,
 * `llms_txt2ctx`), and JSON would crowd out the texts.
 */
export function indexLine(title: string, address: string, note: string): string {
  if (TEXT_ADDRESS.test(address)) return linkLine(title, address, note);
  return `- ${plainMarkdown(title)}, \`${address}\`${noteText(note)}`;
}

/** A capsule as a line of an index: its markdown, or its metadata if the text is paid, and its summary if that is wanted. */
export function capsuleLine({ id, metadata }: FreeCapsule, baseUrl: string, withSummary: boolean): string {
  const path = metadata.access === 'public' ? capsuleMarkdownPath(id) : capsuleFilePath(id);
  return indexLine(statedTitle(metadata), baseUrl + path, (priceNote(metadata) + (withSummary ? statedSummary(metadata) : '')).trim());
}

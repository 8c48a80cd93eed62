import { site } from 'virtual:site';
import { capsules as strings, terms } from 'virtual:strings';
import { statedSummary, statedTitle } from '../gateway/knowledge/capsule-state.ts';
import type { ListPage, SubjectsPage } from '../gateway/knowledge/lists/read-list.ts';
import { plainMarkdown } from '../publication/markdown/write-markup.ts';
import { CapsuleType } from '../schemas/knowledge/capsule-front-matter.ts';
import { type ListedCapsule, listPath } from '../schemas/knowledge/capsule-lists.ts';
import { capsuleMarkdownPath, capsulePath, subjectPath, subjectsPath } from '../schemas/paths.ts';
import { STATE_WORDS } from './capsule-state.ts';
import { PAGES } from './engine-pages.ts';
import { formatDay } from './format.ts';
import { describeList } from './list-text.ts';
import { pageTwin } from './page-twin.ts';
import { text } from './strings.ts';

/** The markdown twin of a page of a list of capsules, the same as a file and on demand. */
export function capsuleListMarkdown(list: ListPage): string {
  const { request, capsules, subjects, pages, isOverview } = list;
  const { title, description, lead } = describeList(list);
  const pathOf = (page: number): string => listPath({ ...request, page });
  const groups = isOverview ? groupsByType(capsules) : [{ heading: undefined, members: capsules }];
  const parts = [
    `# ${plainMarkdown(title)}`,
    lead === undefined ? '' : plainMarkdown(lead),
    ...groups.flatMap(({ heading, members }) => [heading === undefined ? '' : `## ${heading}`, members.map(capsuleItem).join('\n')]),
    pageLinks(request.page, pages, pathOf),
    ...(subjects.total === 0 ? [] : [`## ${strings.tags}`, subjectItems(subjects.common)]),
  ];
  return pageTwin({ title, description, updated: newestDay(capsules), url: absolute(pathOf(request.page)) }, joined(parts));
}

/** The markdown twin of a page of the list of subjects. */
export function subjectsMarkdown({ subjects, page, pages, total }: SubjectsPage): string {
  const { title, description } = PAGES.subjects;
  const parts = [
    `# ${title}`,
    `${description} ${text(strings.countedSubjects, { count: total })}.`,
    subjectItems(subjects),
    pageLinks(page, pages, subjectsPath),
  ];
  return pageTwin({ title, description, updated: undefined, url: absolute(subjectsPath(page)) }, joined(parts));
}

const absolute = (path: string): string => site.publisher.base_url + path;

/** Paragraphs, without empty ones. */
function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

function groupsByType(capsules: readonly ListedCapsule[]): { readonly heading: string; readonly members: readonly ListedCapsule[] }[] {
  return CapsuleType.options
    .map((type) => ({ heading: terms[`type_${type}`], members: capsules.filter(({ metadata }) => metadata.type === type) }))
    .filter(({ members }) => members.length > 0);
}

/** A capsule as an item of a list, with the facts that the page shows. A text that is sold has no markdown. */
function capsuleItem({ id, metadata }: ListedCapsule): string {
  const { status, evidence, price, updated } = metadata;
  const path = price === undefined ? capsuleMarkdownPath(id) : capsulePath(id);
  const facts = [
    ...(status === 'current' ? [] : [terms[`status_${status}`]]),
    ...(status === 'retracted' ? [] : [terms[`evidence_${evidence}`]]),
    ...(price === undefined ? [] : [`${price.amount} ${price.currency}`]),
    formatDay(updated),
  ];
  return `- [${plainMarkdown(statedTitle(metadata, STATE_WORDS))}](${absolute(path)}): ${plainMarkdown(statedSummary(metadata, STATE_WORDS))} (${facts.join(', ')})`;
}

function subjectItems(subjects: readonly (readonly [string, number])[]): string {
  return subjects.map(([tag, count]) => `- [${plainMarkdown(tag)}](${absolute(subjectPath(tag))}) ${count}`).join('\n');
}

function pageLinks(page: number, pages: number, pathOf: (page: number) => string): string {
  const links = [
    ...(page > 1 ? [`[${strings.previousPage}](${absolute(pathOf(page - 1))})`] : []),
    ...(page < pages ? [`[${strings.nextPage}](${absolute(pathOf(page + 1))})`] : []),
  ];
  return links.join(' · ');
}

function newestDay(capsules: readonly ListedCapsule[]): string | undefined {
  return capsules
    .map(({ metadata }) => metadata.updated)
    .sort()
    .at(-1);
}

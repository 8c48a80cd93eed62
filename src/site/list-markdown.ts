import { capsules as strings, terms } from 'virtual:strings';
import { statedSummary, statedTitle } from '../gateway/knowledge/capsule-state.ts';
import type { ListPage, SubjectsPage } from '../gateway/knowledge/lists/read-list.ts';
import { plainMarkdown } from '../publication/markdown/write-markup.ts';
import { CapsuleType } from '../schemas/knowledge/capsule-front-matter.ts';
import { type ListedCapsule, listPath } from '../schemas/knowledge/capsule-lists.ts';
import { capsuleMarkdownPath, capsulePath, subjectPath, subjectsPath } from '../schemas/paths.ts';
import { STATE_WORDS } from './capsule-state.ts';
import { formatDay } from './format.ts';
import { describeList } from './list-text.ts';
import { pageTwin } from './page-twin.ts';
import { text } from './strings.ts';

/** What these twins show besides their list. */
type ListLocals = Pick<App.Locals, 'site' | 'enginePages'>;

/** The address of a path. */
type Absolute = (path: string) => string;

/** The markdown twin of a page of a list of capsules, the same as a file and on demand. */
export function capsuleListMarkdown(list: ListPage, { site, enginePages }: ListLocals): string {
  const absolute: Absolute = (path) => site.publisher.base_url + path;
  const { request, capsules, subjects, pages, isOverview } = list;
  const { title, description, lead } = describeList(list, enginePages);
  const pathOf = (page: number): string => listPath({ ...request, page });
  const groups = isOverview ? groupsByType(capsules) : [{ heading: undefined, members: capsules }];
  const parts = [
    `# ${plainMarkdown(title)}`,
    lead === undefined ? '' : plainMarkdown(lead),
    ...groups.flatMap(({ heading, members }) => [
      heading === undefined ? '' : `## ${heading}`,
      members.map((capsule) => capsuleItem(capsule, absolute)).join('\n'),
    ]),
    pageLinks(request.page, pages, (other) => absolute(pathOf(other))),
    ...(subjects.total === 0 ? [] : [`## ${strings.tags}`, subjectItems(subjects.common, absolute)]),
  ];
  return pageTwin({ title, description, updated: newestDay(capsules), url: absolute(pathOf(request.page)) }, joined(parts));
}

/** The markdown twin of a page of the list of subjects. */
export function subjectsMarkdown({ subjects, page, pages, total }: SubjectsPage, { site, enginePages }: ListLocals): string {
  const absolute: Absolute = (path) => site.publisher.base_url + path;
  const { title, description } = enginePages.subjects;
  const parts = [
    `# ${title}`,
    `${description} ${text(strings.countedSubjects, { count: total })}.`,
    subjectItems(subjects, absolute),
    pageLinks(page, pages, (other) => absolute(subjectsPath(other))),
  ];
  return pageTwin({ title, description, updated: undefined, url: absolute(subjectsPath(page)) }, joined(parts));
}

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
function capsuleItem({ id, metadata }: ListedCapsule, absolute: Absolute): string {
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

function subjectItems(subjects: readonly (readonly [string, number])[], absolute: Absolute): string {
  return subjects.map(([tag, count]) => `- [${plainMarkdown(tag)}](${absolute(subjectPath(tag))}) ${count}`).join('\n');
}

function pageLinks(page: number, pages: number, addressOf: (page: number) => string): string {
  const links = [
    ...(page > 1 ? [`[${strings.previousPage}](${addressOf(page - 1)})`] : []),
    ...(page < pages ? [`[${strings.nextPage}](${addressOf(page + 1)})`] : []),
  ];
  return links.join(' · ');
}

function newestDay(capsules: readonly ListedCapsule[]): string | undefined {
  return capsules
    .map(({ metadata }) => metadata.updated)
    .sort()
    .at(-1);
}

import { language, capsules as strings, terms } from 'virtual:strings';
import type { EnginePages } from '../documents/page-registry.ts';
import type { ListPage, ShownList, SubjectsPage } from '../gateway/knowledge/capsule-lists/read-list.ts';
import { statedSummary, statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import { CapsuleType, type Evidence } from '../schemas/knowledge/capsule-fields.ts';
import { type ConditionName, type ListedCapsule, listPath, setConditions } from '../schemas/knowledge/capsule-lists.ts';
import {
  allSections,
  capsulesOf,
  ownCapsules,
  type Section,
  type Subjects,
  subjectOf,
  subjectTitle,
  titleInPlace,
} from '../schemas/knowledge/sections.ts';
import { capsuleMarkdownPath, capsulePath, subjectPath, subjectsPath } from '../schemas/paths.ts';
import { markdownPage, plainMarkdown } from '../text/markdown/write-markup.ts';
import { dateLocale } from '../text/strings/message-format.ts';
import type { Site } from './collection-entries.ts';
import { formatDay, formatList, formatPrices, latestDay, STATE_WORDS, text } from './format-strings.ts';

const LANGUAGE_NAMES = new Intl.DisplayNames(language, { type: 'language' });
const MONTHS = new Intl.DateTimeFormat(dateLocale(language), { year: 'numeric', month: 'long', timeZone: 'UTC' });

export function conditionLabel(name: ConditionName): string {
  return name === 'tag' ? strings.subject : strings[name];
}

/** A value of a condition for readers: `Concept`, `German`, `November 2026`. @param subjects Those that the publication describes. */
export function valueLabel(name: ConditionName, value: string, subjects?: Subjects): string {
  if (name === 'type') return terms[`type_${value as CapsuleType}`];
  if (name === 'evidence') return terms[`evidence_${value as Evidence}`];
  if (name === 'language') return LANGUAGE_NAMES.of(value) ?? value;
  if (name === 'tag') return subjectTitle(value, subjects);
  return value.length === 'YYYY'.length ? value : MONTHS.format(new Date(`${value}-01T00:00:00Z`));
}

/** A condition for readers: `Type: Concept`. */
export function conditionText(name: ConditionName, value: string, subjects?: Subjects): string {
  return text(strings.filter, { facet: conditionLabel(name), value: valueLabel(name, value, subjects) });
}

export function describeList(
  { request: { conditions, sort }, total, counts }: Pick<ListPage, 'request' | 'total' | 'counts'>,
  enginePages: EnginePages,
  subjects?: Subjects,
) {
  const set = setConditions(conditions);
  const above = [{ name: enginePages.capsules.title, path: enginePages.capsules.path }];
  const [only, ...others] = set;
  if (only === undefined)
    return sort === 'newest'
      ? { title: strings.newest, description: strings.newestDescription, lead: undefined, above }
      : { title: enginePages.capsules.title, description: enginePages.capsules.description, lead: basisOf(counts), above: [] };
  const matching = text(strings.countedCapsules, { count: total });
  const lead = text(strings.share, { matching: total, capsules: text(strings.countedCapsules, { count: counts.capsules }) });
  const filter = set.map(([name, value]) => conditionText(name, value, subjects)).join('; ');
  const filtered = { description: text(strings.listDescription, { filter }), lead, above };
  if (others.length > 0) return { title: set.map(([name, value]) => valueLabel(name, value, subjects)).join(', '), ...filtered };
  const [name, value] = only;
  const { introduction, items = [] } = (name === 'tag' ? subjectOf(value, subjects) : undefined) ?? {};
  const title = valueLabel(name, value, subjects);
  const order = items.length > 1 ? text(strings.readFirst, { count: items.length }) : '';
  return name === 'tag'
    ? {
        title,
        description: introduction ?? text(strings.subjectDescription, { subject: title }),
        lead: introduction === undefined && order === '' ? matching : [introduction, `${matching}.`, order].filter(Boolean).join(' '),
        above: [...above, { name: enginePages.subjects.title, path: enginePages.subjects.path }],
      }
    : { title: conditionText(name, value), ...filtered };
}

/** What there is: `62 capsules and 84 sources; 2 superseded, marked and still readable.` */
function basisOf({ capsules, sources, superseded, retracted }: ListPage['counts']): string {
  if (capsules === 0) return strings.noneYet;
  const counted = {
    capsules: text(strings.countedCapsules, { count: capsules }),
    sources: text(strings.countedSources, { count: sources }),
  };
  const exceptions = [
    ...(superseded === 0 ? [] : [text(strings.countedSuperseded, { count: superseded })]),
    ...(retracted === 0 ? [] : [text(strings.countedRetracted, { count: retracted })]),
  ];
  if (exceptions.length > 0) {
    const form = sources === 0 ? strings.exceptionsWithoutSources : strings.basisWithExceptions;
    return text(form, { ...counted, exceptions: formatList(exceptions) });
  }
  return sources === 0 ? counted.capsules : text(strings.basis, counted);
}

type ListLocals = Pick<App.Locals, 'site' | 'enginePages'>;

/** A page of a list as markdown, the same as a file and on demand. */
export function listMarkdown({ list, subjects }: ShownList, locals: ListLocals): string | undefined {
  return list ? capsuleListMarkdown(list, locals) : subjects && subjectsMarkdown(subjects, locals);
}

function capsuleListMarkdown(list: ListPage, { site, enginePages }: ListLocals): string {
  const { base_url: baseUrl } = site.publisher;
  const { request, capsules, subjects, pages, isOverview } = list;
  const { title, description, lead } = describeList(list, enginePages, site.subjects);
  const addressOf = (page: number): string => baseUrl + listPath({ ...request, page });
  const groups: readonly Partial<ReturnType<typeof overviewGroups>[number]>[] = isOverview
    ? overviewGroups(capsules, site.sections?.tree)
    : [{ members: capsules }];
  return markdownPage(
    {
      title,
      description,
      updated: latestDay(capsules.map(({ metadata }) => metadata)),
      url: addressOf(request.page),
      baseUrl,
    },
    joined([
      `# ${plainMarkdown(title)}`,
      lead === undefined ? '' : plainMarkdown(lead),
      ...groups.flatMap(({ heading, note, members = [] }) => [
        heading === undefined ? '' : `## ${heading}`,
        note === undefined ? '' : plainMarkdown(note),
        members.map((capsule) => capsuleItem(capsule, site.publisher)).join('\n'),
      ]),
      pageLinks(request.page, pages, addressOf),
      ...(subjects.total === 0 ? [] : [`## ${strings.tags}`, subjectItems(subjects.common, site)]),
    ]),
  );
}

function subjectsMarkdown({ subjects, page, pages, total }: SubjectsPage, { site, enginePages }: ListLocals): string {
  const { base_url: baseUrl } = site.publisher;
  const { title, description } = enginePages.subjects;
  const addressOf = (page: number): string => baseUrl + subjectsPath(page);
  return markdownPage(
    { title, description, updated: undefined, url: addressOf(page), baseUrl },
    joined([
      `# ${title}`,
      `${description} ${text(strings.countedSubjects, { count: total })}.`,
      subjectItems(subjects, site),
      pageLinks(page, pages, addressOf),
    ]),
  );
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}

interface CapsuleGroup {
  /** Id of its heading, the same in every language. */
  readonly id: string;
  readonly heading: string;
  readonly note?: string | undefined;
  readonly members: readonly ListedCapsule[];
}

/** All capsules of an overview: by section, in the order in which they are read, or else by kind. */
export function overviewGroups(capsules: readonly ListedCapsule[], sections: readonly Section[] | undefined): CapsuleGroup[] {
  const groups: CapsuleGroup[] =
    sections === undefined
      ? CapsuleType.options.map((type) => ({
          id: type,
          heading: terms[`type_${type}`],
          members: capsules.filter(({ metadata }) => metadata.type === type),
        }))
      : groupsBySection(capsules, sections);
  return groups.filter(({ members }) => members.length > 0);
}

function groupsBySection(capsules: readonly ListedCapsule[], sections: readonly Section[]): CapsuleGroup[] {
  const byId = new Map(capsules.map((capsule) => [capsule.id, capsule]));
  const named = new Set(sections.flatMap(capsulesOf));
  return [
    ...allSections(sections).map((place) => ({
      id: `section-${place.section.id}`,
      heading: titleInPlace(place),
      note: place.section.introduction,
      members: ownCapsules(place.section).flatMap((id) => byId.get(id) ?? []),
    })),
    { id: 'further', heading: strings.otherCapsules, members: capsules.filter(({ id }) => !named.has(id)) },
  ];
}

function capsuleItem({ id, metadata }: ListedCapsule, { base_url: baseUrl, display_currency: currency }: Site['publisher']): string {
  const { status, evidence, price, updated } = metadata;
  const path = price === undefined ? capsuleMarkdownPath(id) : capsulePath(id);
  const facts = [
    ...(status === 'current' ? [] : [terms[`status_${status}`]]),
    ...(status === 'retracted' ? [] : [terms[`evidence_${evidence}`]]),
    ...(price === undefined ? [] : [formatPrices(metadata, currency)]),
    formatDay(updated),
  ];
  return `- [${plainMarkdown(statedTitle(metadata, STATE_WORDS))}](${baseUrl}${path}): ${plainMarkdown(statedSummary(metadata, STATE_WORDS))} (${facts.join(', ')})`;
}

function subjectItems(subjects: readonly (readonly [string, number])[], { publisher, subjects: described }: Site): string {
  const items = subjects.map(([tag, count]) => {
    const introduction = subjectOf(tag, described)?.introduction;
    const said = introduction === undefined ? '' : `: ${plainMarkdown(introduction)}`;
    return `- [${plainMarkdown(subjectTitle(tag, described))}](${publisher.base_url}${subjectPath(tag)}) ${count}${said}`;
  });
  return items.join('\n');
}

function pageLinks(page: number, pages: number, addressOf: (page: number) => string): string {
  return [
    ...(page > 1 ? [`[${strings.previousPage}](${addressOf(page - 1)})`] : []),
    ...(page < pages ? [`[${strings.nextPage}](${addressOf(page + 1)})`] : []),
  ].join(' · ');
}

import { language, capsules as strings, terms } from 'virtual:strings';
import type { EnginePages } from '../documents/page-registry.ts';
import type { ListPage } from '../gateway/knowledge/lists/read-list.ts';
import { dateLocale } from '../publication/strings/message.ts';
import type { CapsuleType, Evidence } from '../schemas/knowledge/capsule-front-matter.ts';
import { type ConditionName, type ListConditions, setConditions } from '../schemas/knowledge/capsule-lists.ts';
import { formatList } from './format.ts';
import { text } from './strings.ts';

const LANGUAGE_NAMES = new Intl.DisplayNames(language, { type: 'language' });
const MONTHS = new Intl.DateTimeFormat(dateLocale(language), { year: 'numeric', month: 'long', timeZone: 'UTC' });

const LABELS: Readonly<Record<ConditionName, string>> = {
  tag: strings.subject,
  type: strings.type,
  evidence: strings.evidence,
  language: strings.language,
  changed: strings.changed,
};

/** The name of what a condition is about: `Type`. */
export function conditionLabel(name: ConditionName): string {
  return LABELS[name];
}

/** A value of a condition for readers: `Concept`, `German`, `November 2026`. */
export function valueLabel(name: ConditionName, value: string): string {
  switch (name) {
    case 'type':
      return terms[`type_${value as CapsuleType}`];
    case 'evidence':
      return terms[`evidence_${value as Evidence}`];
    case 'language':
      return LANGUAGE_NAMES.of(value) ?? value;
    case 'changed':
      return value.length === 'YYYY'.length ? value : MONTHS.format(new Date(`${value}-01T00:00:00Z`));
    case 'tag':
      return value;
  }
}

/** A condition for readers: `Type: Concept`. */
export function conditionText(name: ConditionName, value: string): string {
  return text(strings.filter, { facet: LABELS[name], value: valueLabel(name, value) });
}

/** Title, description for search engines, lead and breadcrumbs of a list. */
export function describeList(
  { request: { conditions, sort }, total, counts }: Pick<ListPage, 'request' | 'total' | 'counts'>,
  enginePages: EnginePages,
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
  if (others.length > 0) return { title: valuesText(conditions), description: filteredDescription(conditions), lead, above };
  const [name, value] = only;
  return name === 'tag'
    ? {
        title: value,
        description: text(strings.subjectDescription, { subject: value }),
        lead: matching,
        above: [...above, { name: enginePages.subjects.title, path: enginePages.subjects.path }],
      }
    : { title: conditionText(name, value), description: filteredDescription(conditions), lead, above };
}

function valuesText(conditions: ListConditions): string {
  return setConditions(conditions)
    .map(([name, value]) => valueLabel(name, value))
    .join(', ');
}

function filteredDescription(conditions: ListConditions): string {
  const filter = setConditions(conditions)
    .map(([name, value]) => conditionText(name, value))
    .join('; ');
  return text(strings.listDescription, { filter });
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

import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type Incident, WrittenIncidents } from '../../schemas/incidents.ts';
import {
  capsulesOf,
  SECTION_DEPTH_MAX,
  type Section,
  type Subjects,
  sectionsShowing,
  subjectTitle,
  type WrittenItem,
  WrittenSections,
  WrittenSubjects,
} from '../../schemas/knowledge/sections.ts';
import { Id } from '../../schemas/primitives.ts';
import { describeIssue } from '../../schemas/zod-issue-messages.ts';
import { suggestName } from '../../search/did-you-mean.ts';
import { type ContentProblem, fieldProblem, fileProblem } from '../content-problem.ts';
import { readOptionalFile } from '../read/content-files.ts';
import { formerTagIds, slugOf, tagIdOf } from '../read/content-ids.ts';
import { parseContentFile, parseJson } from '../read/front-matter.ts';

export const SECTIONS_FILE = 'content/sections.yaml';
export const SUBJECTS_FILE = 'content/subjects.yaml';

interface KnownCapsules {
  /** Ids of all files, also of drafts and of those with mistakes. */
  readonly known: ReadonlySet<string>;
  readonly shown: readonly string[];
  readonly presentIdOf: ReadonlyMap<string, string>;
}

/** The sections of a publication, without capsules that have no page; none without the file. Adds mistakes to `problems`. */
export async function readSections(root: string, capsules: KnownCapsules, problems: ContentProblem[]): Promise<readonly Section[]> {
  const written = await readWritten(root, SECTIONS_FILE, WrittenSections, problems);
  if (written === undefined) return [];
  const { data, report } = written;
  checkItems(data.sections, ['sections'], capsules, { report, sections: new Set(), capsules: new Map() });
  const sections = data.sections.flatMap(sectionOf);
  const named = new Set(sections.flatMap(capsulesOf));
  const others = capsules.shown.filter((id) => !named.has(id));
  if (others.length > 0)
    problems.push(
      fileProblem(
        SECTIONS_FILE,
        `does not name ${others.length === 1 ? `the capsule "${others[0]}", which lists have` : `${others.length} capsules, which lists have`} after all sections: ${others.slice(0, 5).join(', ')}${others.length > 5 ? ' …' : ''}`,
        'warning',
      ),
    );
  return sectionsShowing(sections, new Set(capsules.shown));
}

/** Names of tags as authors write them, where the tag alone would be read as another: `C++`, `MCP`, `Räder`. Of several spellings, the first. */
export function namesOfTags(written: readonly string[]): Subjects {
  const names: Record<string, Subjects[string]> = {};
  for (const tag of written) {
    const [id, spelled] = [tagIdOf(tag), tag.trim().replace(/\s+/g, ' ')];
    const title = spelled === spelled.toLowerCase() ? spelled.charAt(0).toUpperCase() + spelled.slice(1) : spelled;
    // Other tags may have the same id where a letter is lost, such as the Serbian "ђ"; a digest keeps all letters.
    const isWhole = formerTagIds(id)[0] !== id || [...spelled].every((sign) => !/[^\P{L}a-z]/iu.test(sign) || slugOf(sign) !== '');
    if (id !== '' && spelled !== id && isWhole && title !== subjectTitle(id)) names[id] ??= { title };
  }
  return names;
}

/** The subjects that a publication describes, without capsules that have no page; none without the file. @param tagsOf Also of drafts. */
export async function readSubjects(
  root: string,
  capsules: KnownCapsules,
  tagsOf: ReadonlyMap<string, readonly string[]>,
  problems: ContentProblem[],
): Promise<Subjects> {
  const written = await readWritten(root, SUBJECTS_FILE, WrittenSubjects, problems);
  if (written === undefined) return {};
  const tags = new Set([...tagsOf.values()].flat());
  const shown = new Set(capsules.shown);
  const subjects: Record<string, Subjects[string]> = {};
  for (const [at, { id, items = [], ...described }] of written.data.subjects.entries()) {
    const place = ['subjects', at];
    const near = suggestName(id, [...tags]);
    if (Object.hasOwn(subjects, id)) written.report([...place, 'id'], `names the subject "${id}" again; describe each subject once`);
    else if (!tags.has(id))
      written.report(
        [...place, 'id'],
        `names the subject "${id}", which no capsule has among its tags${near === undefined ? '; delete it, or add the tag to a capsule' : `. Did you mean "${near}"?`}`,
      );
    for (const [number, capsule] of items.entries()) {
      const problem = capsuleProblem(capsule, capsules);
      if (problem !== undefined) written.report([...place, 'items', number], problem);
      else if (items.indexOf(capsule) < number)
        written.report([...place, 'items', number], `names the capsule "${capsule}" again; name it once`);
      else if (tagsOf.get(capsule)?.includes(id) === false)
        written.report(
          [...place, 'items', number],
          `names the capsule "${capsule}", which has not the tag "${id}"; add it to the tags of content/capsules/${capsule}.md, or delete this line`,
        );
    }
    const read = items.filter((capsule) => shown.has(capsule));
    subjects[id] = { ...described, ...(read.length === 0 ? {} : { items: read }) };
  }
  return subjects;
}

function capsuleProblem(capsule: string, { known, presentIdOf }: KnownCapsules): string | undefined {
  const present = presentIdOf.get(capsule);
  if (present !== undefined) return `names "${capsule}", which is "${present}" now; write that`;
  if (known.has(capsule)) return undefined;
  const near = suggestName(capsule, [...known]);
  return `names the capsule "${capsule}", which does not exist${near === undefined ? `; delete it, or write content/capsules/${capsule}.md` : `. Did you mean "${near}"?`}`;
}

interface Found {
  readonly report: (path: readonly PropertyKey[], message: string) => void;
  readonly sections: Set<string>;
  /** Capsules that a section has named, with the titles of those. */
  readonly capsules: Map<string, string>;
}

function checkItems(items: readonly WrittenItem[], path: readonly PropertyKey[], capsules: KnownCapsules, found: Found, title = ''): void {
  const depth = (path.length + 1) / 2;
  for (const [at, { capsule, id = '', items: below, title: own, versions }] of items.entries()) {
    const place = [...path, at];
    if (capsule === undefined) {
      if (found.sections.has(id)) found.report([...place, 'id'], `names the section "${id}" again; give each section its own id`);
      found.sections.add(id);
      if (depth > SECTION_DEPTH_MAX) found.report(place, `is ${depth} sections deep, and the most are ${SECTION_DEPTH_MAX}; move it up`);
      const loose = versions === undefined ? -1 : (below ?? []).findIndex((item) => item.capsule !== undefined);
      if (loose !== -1) found.report([...place, 'items', loose], 'is a capsule among versions; write it into the section of its version');
      checkItems(below ?? [], [...place, 'items'], capsules, found, own);
      continue;
    }
    const problem = capsuleProblem(capsule, capsules);
    const before = found.capsules.get(capsule);
    if (title === '') found.report(place, `names the capsule "${capsule}" outside of a section; write it below the "items" of one`);
    else if (before !== undefined) found.report(place, `names the capsule "${capsule}", which is in "${before}" already; name it once`);
    else if (problem !== undefined) found.report(place, problem);
    found.capsules.set(capsule, title);
  }
}

function sectionOf({ capsule, id = '', title = '', introduction, versions, items = [] }: WrittenItem): Section[] {
  if (capsule !== undefined) return [];
  return [
    {
      id,
      title,
      ...(introduction === undefined ? {} : { introduction }),
      ...(versions === undefined ? {} : { versions }),
      items: items.flatMap((item): readonly (string | Section)[] => (item.capsule === undefined ? sectionOf(item) : [item.capsule])),
    },
  ];
}

const INCIDENTS_FILE = 'content/incidents.yaml';

/** The incidents that a publication reports, newest first; none without the file. Adds mistakes to `problems`. */
export async function readIncidents(root: string, today: string, problems: ContentProblem[]): Promise<readonly Incident[]> {
  const written = await readWritten(root, INCIDENTS_FILE, WrittenIncidents, problems);
  if (written === undefined) return [];
  const { incidents } = written.data;
  for (const [at, { date }] of incidents.entries()) if (date > today) written.report(['incidents', at, 'date'], `is after today, ${today}`);
  return incidents.toSorted((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : 0));
}

const EXPANSIONS_FILE = 'content/expansions.jsonl';

/** Bounds of that file: what an index of 20,000 capsules takes in a build of a minute. */
const EXPANSIONS_MAX = { bytes: 64 * 1024 * 1024, terms: 200, termLength: 80, weight: 10 } as const;

const WrittenExpansion = z.strictObject({
  capsule: Id,
  terms: z
    .record(
      z.string().min(1, 'must not be empty').max(EXPANSIONS_MAX.termLength, `must have at most ${EXPANSIONS_MAX.termLength} characters`),
      z.number().gt(0, 'must be above 0; leave out terms without weight').max(EXPANSIONS_MAX.weight),
    )
    .refine(
      (terms) => Object.keys(terms).length <= EXPANSIONS_MAX.terms,
      `must have at most ${EXPANSIONS_MAX.terms} terms; keep those of the greatest weights`,
    ),
});

/** The further words of capsules that a model has written, by id; none without the file. Adds mistakes to `problems`. */
export async function readExpansions(
  root: string,
  capsules: KnownCapsules,
  problems: ContentProblem[],
): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const found = new Map<string, Readonly<Record<string, number>>>();
  const path = join(root, EXPANSIONS_FILE);
  const size = (await stat(path).catch(() => undefined))?.size ?? 0;
  if (size > EXPANSIONS_MAX.bytes) {
    problems.push(
      fileProblem(
        EXPANSIONS_FILE,
        `has ${(size / 2 ** 20).toFixed(0)} MiB, and may have ${EXPANSIONS_MAX.bytes / 2 ** 20}; keep fewer terms of each capsule`,
      ),
    );
    return found;
  }
  const lines = size === 0 ? [] : (await readFile(path, 'utf8')).split(/\r?\n/);
  for (const [at, line] of lines.entries()) {
    const report = (field: readonly PropertyKey[], message: string): void =>
      void problems.push(fieldProblem(EXPANSIONS_FILE, () => at + 1, { path: field, message }));
    if (line.trim() === '') continue;
    const value = parseJson(line);
    if (value === undefined) {
      report([], 'is not JSON; each line is an object such as {"capsule": "bm25", "terms": {"relevance": 1.5}}');
      continue;
    }
    const { data, error } = WrittenExpansion.safeParse(value);
    for (const issue of error?.issues ?? []) report(issue.path, describeIssue(issue));
    if (data === undefined) continue;
    const problem = capsuleProblem(data.capsule, capsules);
    if (problem !== undefined) report(['capsule'], problem);
    else if (found.has(data.capsule)) report(['capsule'], `names the capsule "${data.capsule}" again; write its terms on one line`);
    found.set(data.capsule, data.terms);
  }
  return found;
}

/** A file of `content/` that a publication may lack; `undefined` without it, or with mistakes in its form. */
export async function readWritten<T>(root: string, path: string, schema: z.ZodType<T>, problems: ContentProblem[]) {
  const raw = await readOptionalFile(root, path, problems);
  if (raw === undefined) return undefined;
  const outcome = parseContentFile(path, raw, schema);
  if ('problems' in outcome) {
    problems.push(...outcome.problems);
    return undefined;
  }
  const { data, lineOf } = outcome.file;
  const report = (at: readonly PropertyKey[], message: string): void =>
    void problems.push(fieldProblem(path, lineOf, { path: [...at], message }));
  return { data, report };
}

import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { BrowseItem, BrowseResponse, SectionedBrowseParameters } from '../../schemas/knowledge/corpus-responses.ts';
import type { QueryFilters } from '../../schemas/knowledge/query.ts';
import { capsulesOf, findSection, type Section } from '../../schemas/knowledge/sections.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { capsuleFilePath } from '../../schemas/paths.ts';
import type { Columns } from '../../search/format/columns.ts';
import { remembered } from '../memory-caches.ts';
import { ok, type Result } from '../result.ts';
import { conditionsOf, every } from './capsule-filters.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';
import { type Corpus, withCorpus } from './corpus.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { Generation } from './read-generation.ts';

/** One page of the list of capsules, newest change first. A cursor belongs to the generation that it was made from. */
export function browseCapsules(
  parameters: SectionedBrowseParameters,
  corpus: Corpus,
  baseUrl: string,
  onFallback?: () => void,
  sections: readonly Section[] = [],
): Promise<Result<BrowseResponse>> {
  return withCorpus(corpus, async () => {
    const { cursor, limit, ...conditions } = parameters;
    const position = cursor === undefined ? undefined : decodeCursor(cursor, conditions, 'filters');
    if (position && !position.ok) return position;
    const { tag, section, ...filters } = conditions;
    const members = section === undefined ? undefined : capsulesOf({ items: [findSection(section, sections) ?? []].flat() });
    const queryFilters: QueryFilters = { ...filters, ...(tag === undefined ? {} : { tags: [tag] }) };
    const start = position?.value.offset ?? 0;
    const size = Math.min(limit ?? LIMITS.browseLimitDefault, LIMITS.browseLimitMax);
    const end = start + size;
    const read = async (generation: Generation): Promise<Result<BrowseResponse>> => {
      const matching = browsedNumbers(await (await generation.index()).columns(), queryFilters, members);
      const hasMore = end < matching.length;
      return ok({
        corpus_version: generation.version,
        items: (await generation.capsules(matching.slice(start, end))).map(({ metadata }) => browseItem(summaryOf(metadata), baseUrl)),
        limit: size,
        page: {
          total: matching.length,
          total_is_exact: true,
          has_more: hasMore,
          next_cursor: hasMore ? encodeCursor({ corpusVersion: generation.version, offset: end }, conditions) : null,
        },
      });
    };
    return corpus.read(position?.value.corpusVersion, read, onFallback);
  });
}

export function browseItem(capsule: CapsuleSummary, baseUrl: string): BrowseItem {
  return { ...capsule, ...capsuleAddresses(capsule, baseUrl), json_url: baseUrl + capsuleFilePath(capsule.capsule_id) };
}

export function sortForBrowsing(capsules: readonly CapsuleSummary[]): CapsuleSummary[] {
  return [...capsules].sort((a, b) => (a.updated === b.updated ? (a.capsule_id < b.capsule_id ? -1 : 1) : a.updated > b.updated ? -1 : 1));
}

/** Numbers of all documents in the order of {@link sortForBrowsing}, by the columns of their index, since making it reads them all. */
const orders = new WeakMap<Columns, readonly number[]>();

function browsedNumbers(columns: Columns, filters: QueryFilters, ids?: readonly string[]): readonly number[] {
  const order = remembered(orders, columns, () => {
    // By day, because a large corpus has many capsules and few days.
    const byDay = Map.groupBy(Array(columns.documents).keys(), (number) => columns.number('updated', number));
    return [...byDay].sort(([a], [b]) => b - a).flatMap(([, ofDay]) => ofDay);
  });
  const conditions = [...conditionsOf(filters, columns).values()];
  const among = ids && columns.documentNumbers(ids);
  if (among !== undefined) conditions.push((number) => among.has(number));
  return conditions.length === 0 ? order : order.filter(every(conditions));
}

import { EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import type { BrowseItem } from '../../../src/schemas/knowledge/corpus-lists.ts';
import { capsuleApiPath, lineageApiPath, PATHS } from '../../../src/schemas/paths.ts';
import { below, type Random, seededRandom } from '../../eval/random.ts';
import { addTypo } from '../../eval/typos.ts';
import type { LoadCorpus } from './load-corpus.ts';
import { type LoadRequest, type RequestParts, rawRequest } from './raw-request.ts';

/** Shares of the mix in percent. */
const SHARES = { query: 80, capsule: 10, lineage: 5, register: 5 } as const;

/** What the requests of a mix count as. */
export type MixRoute = keyof typeof SHARES;

export const MIX_ROUTES = Object.keys(SHARES) as MixRoute[];

/** The mix in words, for reports. */
export const MIX_TEXT = MIX_ROUTES.map((route) => `${SHARES[route]} % ${route}`).join(', ');

/** Who asks, and where. */
export interface Asker {
  /** For the header Host. */
  readonly host: string;
  readonly key: string;
}

/** Networks that requests come from. */
const NETWORKS = 200;

/**
 * Requests of the mix, the same for the same seed and corpus: questions made of the titles and sentences of the corpus, some
 * misspelt, pinned, with filters, facets, or a cursor; capsules in both forms; lineages; registrations, some with a key that repeats.
 *
 * @param routes Only these, in their shares.
 */
export function mixedRequests(
  corpus: LoadCorpus,
  asker: Asker,
  count: number,
  seed: number,
  routes: readonly MixRoute[] = MIX_ROUTES,
): LoadRequest[] {
  const random = seededRandom(seed);
  const wheel = routes.flatMap((route) => Array<MixRoute>(SHARES[route]).fill(route));
  return Array.from({ length: count }, (_, turn) => {
    const route = oneOf(random, wheel);
    const { headers, ...parts } = partsOf(route, corpus, asker, random, turn);
    const bytes = rawRequest(asker.host, { ...parts, headers: { 'CF-Connecting-IP': addressOf(below(random, NETWORKS)), ...headers } });
    return { route, bytes, statuses: [route === 'register' ? 201 : 200] };
  });
}

/** An address of a network, by its number. */
export function addressOf(network: number): string {
  return `10.${network >> 8}.${network & 255}.1`;
}

function partsOf(route: MixRoute, corpus: LoadCorpus, { key }: Asker, random: Random, turn: number): RequestParts {
  const { capsule_id: id } = oneOf(random, corpus.capsules);
  switch (route) {
    case 'query':
      return {
        method: 'POST',
        path: `${PATHS.gateway}/query`,
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify(queryOf(corpus, random)),
      };
    case 'capsule':
      return { method: 'GET', path: capsuleApiPath(id), headers: { Accept: random() < 0.5 ? 'application/json' : 'text/markdown' } };
    case 'lineage':
      return { method: 'GET', path: lineageApiPath(id) };
    case 'register':
      return {
        method: 'POST',
        path: `${PATHS.gateway}/register`,
        // A fifth may be repeated: such a registration is kept in the database.
        ...(random() < 0.2 ? { headers: { 'Idempotency-Key': `load-${String(turn).padStart(24, '0')}` } } : {}),
        body: JSON.stringify({ agent_name: `load ${turn}`, platform: 'bench:load' }),
      };
  }
}

function queryOf({ capsules, corpusVersion, continued }: LoadCorpus, random: Random): object {
  const next = continued[below(random, Math.max(1, continued.length))];
  if (next !== undefined && random() < 0.1) return next;
  const capsule = oneOf(random, capsules);
  return {
    query: questionOf(capsule, capsules, random),
    max_results: oneOf(random, [3, 5, 5, 10, 10, 20]),
    ...(random() < 0.2 ? { corpus_version: corpusVersion } : {}),
    ...(random() < 0.2 ? { filters: filtersOf(capsule, random) } : {}),
    ...(random() < 0.05 ? { facets: ['type', 'tags'] } : {}),
  };
}

/** A title, a sentence, a few words of several capsules, or a title with an error of typing. */
function questionOf({ title, summary }: BrowseItem, capsules: readonly BrowseItem[], random: Random): string {
  const kind = random();
  if (kind < 0.3) return title;
  if (kind < 0.6) return summary.slice(0, 240);
  if (kind < 0.9) return Array.from({ length: 2 + below(random, 4) }, () => oneOf(random, wordsOf(oneOf(random, capsules)))).join(' ');
  return addTypo(title, random);
}

function filtersOf({ type, tags, evidence }: BrowseItem, random: Random): object {
  const [tag] = tags;
  const kinds: object[] = [
    { type },
    { min_evidence: oneOf(random, EVIDENCE_LEVELS.slice(0, EVIDENCE_LEVELS.indexOf(evidence) + 1)) },
    { language: 'en' },
    ...(tag === undefined ? [] : [{ tags: [tag] }, { tags_any: tags.slice(0, 3) }]),
  ];
  return oneOf(random, kinds);
}

function wordsOf({ title, summary }: BrowseItem): string[] {
  return `${title} ${summary}`.match(/[\p{L}\p{N}-]{3,}/gu) ?? [title];
}

function oneOf<T>(random: Random, values: readonly T[]): T {
  const value = values[below(random, values.length)];
  if (value === undefined) throw new RangeError('there is nothing to choose from');
  return value;
}

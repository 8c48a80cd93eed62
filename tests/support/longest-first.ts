import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { words } from './words.ts';

/** Rooms in the order in which they begin: what waits for other programs first, what is quick and fills the end last. */
const ROOMS = ['e2e', 'edge', 'conformance', 'unit', 'house'];

/** Files that take longer than their size tells, the longest first: begun last, they would run on while all other cores wait. */
const LONGEST = words`
    e2e/deploy e2e/package e2e/dev e2e/start e2e/hostile-content e2e/publishers-claims e2e/pages e2e/search e2e/capsule-state e2e/offer-terms
    e2e/places e2e/publisher-commands e2e/on-demand-pages
    conformance/payment-clients conformance/payment-checkers edge/every-route/fuzz edge/every-route/shared-refusals
    edge/documents/site-verification edge/every-route/addresses edge/every-route/refusals
    unit/build/sign-publication unit/paid/secrecy unit/build/kv/publish-blocks house/patterns unit/search/query/search
    unit/cli/commands/fresh-clone unit/build/corpus-blocks/render-articles unit/search/scoring-wasm/kernel unit/build/corpus-blocks/page-lists
    `;

/** Runs the rooms in their order, and of each the longest files first, then the others as vitest would: by duration or size. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => roomOf(a) - roomOf(b) || rank(a) - rank(b));
  }
}

const roomOf = ({ moduleId }: TestSpecification): number => ROOMS.indexOf(/\/tests\/(\w+)\//.exec(moduleId)?.[1] ?? '');

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/tests/${file}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

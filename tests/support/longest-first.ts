import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { words } from './words.ts';

/** Projects in the order in which they begin: what waits for other programs first, what is quick and fills the end last. */
const PROJECTS = ['e2e', 'edge', 'unit'];

/** Files that take longer than their size tells, the longest first: begun last, they would run on while all other cores wait. */
const LONGEST = words`
    e2e/start e2e/package e2e/hostile-content e2e/publishers-claims e2e/dev e2e/publisher-commands e2e/pages
    edge/every-route/fuzz edge/every-route/challenges edge/every-route/shared-refusals edge/callMcp/official-client
    conformance/payment-clients edge/documents/site-verification edge/every-route/scopes edge/openCheckout/checkout
    unit/build/publication/sign-publication unit/paid/secrecy house/patterns unit/faults/damaged-blocks unit/build/signed-site
    unit/documents/off-means-off unit/build/kv/publish-blocks unit/build/restore-command
  `;

/** Runs the projects in their order, and of each the longest files first, then the others as vitest would: by duration or size. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => PROJECTS.indexOf(a.project.name) - PROJECTS.indexOf(b.project.name) || rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/tests/${file}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

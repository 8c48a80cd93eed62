import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Files that take longer than their size tells, the longest first: begun last, they would run on while all other cores wait. */
const LONGEST = [
  'e2e/start',
  'e2e/hostile-content',
  'e2e/pages',
  'e2e/agents-command',
  'e2e/intake-command',
  'edge/every-route/challenges',
  'edge/every-route/fuzz',
  'unit/faults/matrix',
  'unit/build/generation/build-search-index',
  'unit/build/publishing/publish-blocks',
  'unit/build/content/signing-key',
  'house/patterns',
  'unit/build/verify-command',
  'unit/search/kernel-build',
  'unit/build/companion',
];

/** Puts the longest files of each project first, then the others as vitest would: by their last duration, or by their size. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => sorted.filter((file) => file.project === project).sort((a, b) => rank(a) - rank(b)));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(`/tests/${file}.test.ts`));
  return place < 0 ? LONGEST.length : place;
}

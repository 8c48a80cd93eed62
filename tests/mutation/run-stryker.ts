import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../../src/build/run-process.ts';
import type { StrykerReport } from './mutation-report.ts';

const PACKAGES = join(import.meta.dirname, 'node_modules/@stryker-mutator');

/** Ends a property at its first failure: nobody reads the smallest example of a change that was noticed. */
const SETUP = 'vitest.mutation.setup.ts';

/** A part of the code whose tests are tested, by paths from the folder of the project. */
export interface MutationArea {
  /** Files, and folders whose TypeScript files all belong to it. */
  readonly sources: readonly string[];
  /** Patterns of the unit tests that are run. */
  readonly tests: readonly string[];
}

/**
 * Changes the files of an area in a copy of the project, one change at a time, and runs its tests.
 *
 * @param folder The copy, which is changed in place.
 * @param mutate Files to change, each with a range of lines after a colon if not whole.
 * @throws {Error} With what Stryker said, if its first run without a change fails.
 */
export async function runStryker(folder: string, { tests }: MutationArea, mutate: readonly string[]): Promise<StrykerReport> {
  writeFileSync(join(folder, SETUP), "import { configureGlobal } from 'fast-check';\nconfigureGlobal({ endOnFailure: true });\n");
  const vitest = {
    test: { include: tests.map(testFiles), setupFiles: [SETUP], testTimeout: 60_000, hookTimeout: 60_000, isolate: false },
  };
  writeFileSync(join(folder, 'vitest.mutation.config.ts'), `export default ${JSON.stringify(vitest)};\n`);
  const settings = {
    testRunner: 'vitest',
    plugins: [join(PACKAGES, 'vitest-runner/dist/src/index.js')],
    vitest: { configFile: 'vitest.mutation.config.ts' },
    mutate,
    inPlace: true,
    coverageAnalysis: 'perTest',
    concurrency: availableParallelism(),
    disableTypeChecks: false,
    reporters: ['json'],
    jsonReporter: { fileName: 'mutation.json' },
    // Bundles and documents do not change with the code here.
    ignorePatterns: ['/public', '/docs'],
  };
  writeFileSync(join(folder, 'stryker.config.json'), JSON.stringify(settings));
  const { exitCode, output } = await runNode([join(PACKAGES, 'core/bin/stryker.js'), 'run', 'stryker.config.json'], { cwd: folder });
  if (exitCode !== 0) throw new Error(output.slice(-4_000));
  return JSON.parse(readFileSync(join(folder, 'mutation.json'), 'utf8')) as StrykerReport;
}

function testFiles(pattern: string): string {
  return pattern.endsWith('.test.ts') ? pattern : pattern.endsWith('/**') ? `${pattern}/*.test.ts` : `${pattern}.test.ts`;
}

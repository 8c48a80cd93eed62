import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig, type Plugin } from 'vitest/config';
import LongestFirst from './tests/support/longest-first.ts';

// Programs that tests start find the code of wrangler and of our commands compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/node');

/** Temporary files lie in memory where there is room: the databases of tests wait for a disk after each write, half of the time that it takes. */
const MEMORY = '/dev/shm';
const MEMORY_MIN_BYTES = 4 * 1024 ** 3;
if (existsSync(MEMORY) && / \/dev\/shm tmpfs (?!\S*noexec)/.test(readFileSync('/proc/mounts', 'utf8'))) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize >= MEMORY_MIN_BYTES) process.env['TMPDIR'] ??= MEMORY;
}

/** Node 22 has its SQLite, which the simulated database is made of, behind a flag until 22.13, and warns that it may change. */
const SQLITE_OF_NODE_22 = process.versions.node.startsWith('22.') ? ['--experimental-sqlite', '--disable-warning=ExperimentalWarning'] : [];

/** A larger young generation, in MiB: these processes make much that is dropped at once, and collecting it took a tenth of their time. */
const YOUNG_GENERATION = '--max-semi-space-size=64';

const WORKER_OPTIONS = [
  YOUNG_GENERATION,
  `--import=${pathToFileURL(join(import.meta.dirname, 'tests/support/growing-miniflare.mjs'))}`,
  ...SQLITE_OF_NODE_22,
];

/** Modules of Astro's build, for tests of modules of `src/site`. */
const resolve = { alias: { 'virtual:strings': join(import.meta.dirname, 'tests/support/english-strings.ts') } };

/** Packages as they are deployed: some, such as micromark, have a slow build for development that Vite prefers. */
const deployedPackages: Plugin = {
  name: 'deployed-packages',
  configResolved: ({ ssr, environments }) => {
    for (const { resolve } of [ssr, ...Object.values(environments)])
      if (resolve?.conditions) resolve.conditions = resolve.conditions.filter((condition) => condition !== 'development|production');
  },
};

/** Files of a project share a process, and projects share modules that are compiled. */
const COMMON = { isolate: false, execArgv: WORKER_OPTIONS, fsModuleCache: true, hookTimeout: 60_000, testTimeout: 120_000 };

/** What is awaited without an event, such as a line of a log, comes at once, except on a machine that is busy with something else. */
const POLL = { poll: { timeout: 30_000 } };

/** Rooms of tests: plain Node, workerd on the compiled functions, and the whole service started as a user would. */
export default defineConfig({
  test: {
    // One more than there are cores, because tests of the whole service wait for programs that they start.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        resolve,
        plugins: [deployedPackages],
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/house/**/*.test.ts'],
          ...COMMON,
        },
      },
      {
        resolve,
        plugins: [deployedPackages],
        test: {
          name: 'edge',
          include: ['tests/edge/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
          expect: POLL,
          globalSetup: ['tests/support/build-beside.ts'],
          setupFiles: ['tests/support/await-build.ts'],
          ...COMMON,
        },
      },
      {
        resolve,
        plugins: [deployedPackages],
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/build-beside.ts'],
          setupFiles: ['tests/support/await-build.ts'],
          ...COMMON,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});

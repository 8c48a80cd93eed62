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

/** Node 22 has TypeScript and its SQLite, which the simulated database is made of, behind flags at first, and warns that they may change. */
const FLAGS_OF_NODE_22 = process.versions.node.startsWith('22.')
  ? ['--experimental-strip-types', '--experimental-sqlite', '--disable-warning=ExperimentalWarning']
  : [];

/** A larger young generation, in MiB: these processes make much that is dropped at once, and collecting it took a tenth of their time. */
const YOUNG_GENERATION = '--max-semi-space-size=64';

const WORKER_OPTIONS = [
  YOUNG_GENERATION,
  `--import=${pathToFileURL(join(import.meta.dirname, 'tests/support/module-hooks.mjs'))}`,
  ...FLAGS_OF_NODE_22,
];

/** Packages as they are deployed: some, such as micromark, have a slow build for development, which Node prefers as Vitest starts it. */
const plugins: Plugin[] = [
  {
    name: 'deployed-packages',
    configResolved: ({ ssr: { resolve } }) => {
      if (resolve?.conditions) resolve.conditions = resolve.conditions.filter((condition) => condition !== 'development|production');
    },
  },
];

/** Files of a project share a process, and Node itself loads their modules: Vite's way to load them takes a tenth of the time of all tests. */
const COMMON = {
  isolate: false,
  execArgv: WORKER_OPTIONS,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  hookTimeout: 300_000,
  testTimeout: 300_000,
};

/** What is awaited without an event, such as a line of a log, comes at once, except on a machine that is busy with something else. */
const POLL = { poll: { timeout: 30_000 } };

/** Rooms of tests: plain Node, workerd on the compiled functions, and the whole service started as a user would. */
const ROOMS = {
  unit: ['tests/unit/**/*.test.ts', 'tests/house/**/*.test.ts'],
  edge: ['tests/edge/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
  e2e: ['tests/e2e/**/*.test.ts'],
};

/** Tests that need the built publication wait for it; it is built beside those that do not. */
const BUILT = { globalSetup: ['tests/support/build-beside.ts'], setupFiles: ['tests/support/await-build.ts'], expect: POLL };

/** Without a room or files that the command names, all rooms are one: each has processes of its own, which all load the same modules. */
const isWhole = !process.argv.some((argument) => argument.startsWith('--project') || argument.includes('tests/'));

export default defineConfig({
  plugins: isWhole ? plugins : [],
  test: {
    // One more than there are cores, because tests of the whole service wait for programs that they start.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    ...(isWhole
      ? { include: Object.values(ROOMS).flat(), ...COMMON, ...BUILT }
      : {
          projects: [
            { plugins, test: { name: 'unit', include: ROOMS.unit, ...COMMON } },
            { plugins, test: { name: 'edge', include: ROOMS.edge, ...COMMON, ...BUILT } },
            { plugins, test: { name: 'e2e', include: ROOMS.e2e, ...COMMON, ...BUILT } },
          ],
        }),
  },
});

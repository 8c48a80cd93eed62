import { defineConfig } from 'vitest/config';

/** Node 22 has its SQLite, which the simulated database is made of, behind a flag until 22.13, and warns that it may change. */
const SQLITE_OF_NODE_22 = process.versions.node.startsWith('22.') ? ['--experimental-sqlite', '--disable-warning=ExperimentalWarning'] : [];

/** Rooms of tests: plain Node, workerd on the compiled functions, and the whole service started as a user would. */
export default defineConfig({
  test: {
    // Every core: the default leaves one idle, which on two cores is half of them.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/house/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          isolate: false,
          execArgv: SQLITE_OF_NODE_22,
        },
      },
      {
        test: {
          name: 'edge',
          include: ['tests/edge/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
          globalSetup: ['tests/support/build-once.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          isolate: false,
          execArgv: SQLITE_OF_NODE_22,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/build-once.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
    ],
  },
});

import { defineConfig } from 'vitest/config';

/** Rooms of tests: plain Node, workerd on the compiled functions, and the whole service started as a user would. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['tests/unit/**/*.test.ts', 'tests/house/**/*.test.ts'], testTimeout: 60_000, isolate: false } },
      {
        test: {
          name: 'edge',
          include: ['tests/edge/**/*.test.ts', 'tests/conformance/**/*.test.ts'],
          globalSetup: ['tests/support/build-once.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          isolate: false,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          globalSetup: ['tests/support/build-once.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
